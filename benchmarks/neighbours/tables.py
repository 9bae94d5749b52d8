"""How do the neighbours get into the documentation? Contenders in rows, sizes in columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.results import Result, Row
from benchmarks.tables import figure, figure_within, machine_line

ABSENT = "—"
NOT_REPEATABLE = "†"
"""Behind the name of a neighbour that is in no package registry."""


def neighbour_table(result: Result) -> str:
    """Where it was measured; microseconds an event; the factors that are wanted; memory and builds."""
    sizes = sizes_of(result)
    return "\n".join(
        [
            machine_line(result),
            "",
            "Median µs an event, one thread.",
            "",
            *_lines(["", "one call", *map(_expressions, sizes)], _times(result, sizes), left=2),
            "",
            *_lines(["", *map(_expressions, sizes)], _factors(result, sizes)),
            "",
            "Memory, MB / seconds to build, or to open.",
            "",
            *_lines(["", *map(_expressions, sizes)], _costs(result, sizes)),
            "",
            f"{NOT_REPEATABLE} In no package registry: a reader cannot repeat the figure without its sources.",
            *(line for reason in _absences(result) for line in ("", reason)),
        ]
    )


def sizes_of(result: Result) -> list[int]:
    """The sizes at which something was measured."""
    return sorted({row.details["size"] for row in result.rows if row.details and row.value and "size" in row.details})


def timed_rows(result: Result) -> dict[str, dict[int, Row]]:
    """For each way and neighbour with a time, by its title: its rows by size."""
    found: dict[str, dict[int, Row]] = {}
    for row in result.rows:
        if row.details and row.value is not None and "title" in row.details:
            found.setdefault(shown_title(row.details), {})[row.details["size"]] = row
    return found


def shown_title(details: Mapping[str, Any]) -> str:
    """The name in tables and pictures."""
    mark = "" if details.get("is_repeatable", True) else f" {NOT_REPEATABLE}"
    return f"Eligo: {details['title']}" if details["who"] == "eligo" else f"{details['title']}{mark}"


def _expressions(size: int) -> str:
    return f"{size:,}"


def _times(result: Result, sizes: Sequence[int]) -> list[list[str]]:
    lines = []
    for title, rows in timed_rows(result).items():
        inside = next(iter(rows.values())).details["inside"]  # type: ignore[index]
        lines.append([title, inside, *_cells(rows, sizes, lambda row: figure_within(row.value or 0, row.spread))])
    return lines


def _cells(rows: Mapping[int, Row], sizes: Sequence[int], write: Callable[[Row], str]) -> list[str]:
    return [write(rows[size]) if size in rows else ABSENT for size in sizes]


def _factors(result: Result, sizes: Sequence[int]) -> list[list[str]]:
    """Rows that compare, with what they have to reach."""
    found: dict[str, dict[int, Row]] = {}
    for row in result.rows:
        size, _, title = row.title.partition(" expressions: ")
        if row.unit == "times" and row.value is not None:
            found.setdefault(title, {})[int(size.replace(",", ""))] = row
    return [[title, *_cells(rows, sizes, _factor)] for title, rows in found.items()]


def _factor(row: Row) -> str:
    written = f"{figure(row.value or 0)}×"
    if row.bar is None:
        return written
    wanted = f"{written} ({'≥' if row.at_least else '≤'} {row.bar:g})"
    return f"**{wanted}, not reached**" if row.is_reached is False else wanted


def _costs(result: Result, sizes: Sequence[int]) -> list[list[str]]:
    """Megabytes and seconds, of every process that holds an index."""
    found: dict[str, dict[int, Row]] = {}
    for row in result.rows:
        if row.details and row.value is not None and "bytes" in row.details and "size" in row.details:
            if row.details.get("events_a_call", 1) > 1:
                continue  # it has the same tables as the one that is asked one by one
            title = row.title.partition(" expressions: ")[2].replace(": memory of a process that", ", a process that")
            kind = f" ({row.details.get('kind_of_bytes', 'resident')})"
            mark = "" if row.details.get("is_repeatable", True) else f" {NOT_REPEATABLE}"
            found.setdefault(f"{title}{mark}{kind}", {})[row.details["size"]] = row
    return [[title, *_cells(rows, sizes, _cost)] for title, rows in found.items()]


def _cost(row: Row) -> str:
    details = row.details or {}
    return f"{figure(details['bytes'] / 1e6)} / {figure(details['build_s'])}"


def _absences(result: Result) -> list[str]:
    """What a dash means."""
    reasons: dict[str, list[str]] = {}
    for row in result.rows:
        if row.skipped and row.details and row.details.get("title"):
            at = f"{row.details['title']} ({row.details['size']:,})"
            reasons.setdefault(row.skipped.splitlines()[0], []).append(at)
    return [f"{ABSENT} {reason}: {', '.join(titles)}." for reason, titles in reasons.items()]


def _lines(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """A Markdown table whose first columns are to the left and all others to the right."""
    rule = [*["---"] * left, *["---:"] * (len(head) - left)]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]
