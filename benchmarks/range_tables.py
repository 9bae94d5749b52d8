"""How do races of structures get into the documentation? A table for each metric, with contenders in columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.results import Result
from benchmarks.tables import figure, machine_line, result_table
from eligo.ranges.structures import STRUCTURES

REFUSED = "—"
ORDER = ("auto", *STRUCTURES, "lazy", "naive")
"""Of contenders, from left to right."""


def points_of(result: Result) -> dict[str, list[Mapping[str, Any]]]:
    """For each thing that varies: the details of its points, in order."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in result.rows:
        if row.details and "metrics" in row.details:
            found.setdefault(row.details["unit"], []).append(row.details)
    return found


def race_table(result: Result) -> str:
    """Where it was measured, then for each thing that varies and each metric a table."""
    lines = [machine_line(result)]
    for unit, points in points_of(result).items():
        for metric in points[0]["metrics"]:
            found = {name for point in points for name in point["metrics"][metric]}
            contenders = [name for name in ORDER if name in found]
            lines += ["", f"**{metric}**", "", *_table(unit, metric, contenders, points)]
        lines += _refusals(points)
    return "\n".join(lines)


def _table(unit: str, metric: str, contenders: list[str], points: list[Mapping[str, Any]]) -> list[str]:
    has_overlap = "overlap" in points[0]
    head = [unit, *(["overlap"] if has_overlap else []), *(f"`{name}`" for name in contenders)]
    lines = [head, ["---:"] * len(head)]
    for point in points:
        figures = point["metrics"][metric]
        share = [f"{figure(100 * point['overlap'])} %"] if has_overlap else []
        cells = [figure(figures[name]) if name in figures else REFUSED for name in contenders]
        lines.append([f"{point['at']:,}", *share, *cells])
    return [f"| {' | '.join(cells)} |" for cells in lines]


def _refusals(points: list[Mapping[str, Any]]) -> list[str]:
    names = dict.fromkeys(name for point in points for name in point["refused"])
    return ["", f"{REFUSED} refused, because lists would be too large: {', '.join(names)}."] if names else []


def growth_table(result: Result) -> str:
    """Structures in rows: what Table 1 prints, and both fits at low and at high overlap."""
    by_name: dict[str, dict[str, Mapping[str, Any]]] = {}
    slopes: dict[tuple[str, str], float] = {}
    for row in result.rows:
        if row.details and row.value is not None:
            by_name.setdefault(row.details["structure"], {})[row.details["series"]] = row.details
            slopes[row.details["structure"], row.details["series"]] = row.value
    head = ["", "Table 1"]
    for series in ("low", "high"):
        head += [f"{series}: n^p", f"{series}: a doubling adds", "explains"]
    lines = [head, ["---", "---", *["---:"] * (len(head) - 2)]]
    for name, found in by_name.items():
        cells = [f"`{name}`", next(iter(found.values()))["printed"]]
        for series in ("low", "high"):
            details = found.get(series)
            if details is None:
                return result_table(result)
            explained = f"{100 * details['explained']:.0f} %"
            cells += [f"{slopes[name, series]:.2f}", figure(details["per_doubling"]), explained]
        lines.append(cells)
    return "\n".join([machine_line(result), "", *(f"| {' | '.join(cells)} |" for cells in lines)])
