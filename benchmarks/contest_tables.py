"""How do contests of many get into the documentation? As tables with contenders in rows or columns, from JSON only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.neighbours.tables import neighbour_table
from benchmarks.range_tables import growth_table, race_table
from benchmarks.results import Result, Row
from benchmarks.tables import as_printed, figure, figure_with_spread, figure_within, machine_line, result_table

REFUSED = "—"
BLOCK = ", block"


def markdown(result: Result) -> str:
    """A result as Markdown, in the form that its experiment has."""
    return TABLES.get(result.experiment, result_table)(result)


def lines_of(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table whose first column is to the left and all others to the right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]


def refusals(found: Sequence[Mapping[str, Any]], leave_out: str = "") -> list[str]:
    """What a dash means: each reason, and who gives it where."""
    reasons: dict[str, list[str]] = {}
    for details in found:
        for label, reason in details["refused"].items():
            if not leave_out or leave_out not in label:
                plain = reason.partition(" (of ")[0]
                reasons.setdefault(plain, []).append(label)
    return [f"{REFUSED} {reason}: {', '.join(dict.fromkeys(labels))}." for reason, labels in reasons.items()]


def spread_line(found: Sequence[Mapping[str, Any]]) -> str:
    """How far quartiles are from the figures of a table."""
    widths = [
        max(high - value, value - low) / value
        for details in found
        for label, value in details["ms_per_event"].items()
        for low, high in [details["ms_quartiles"][label]]
    ]
    middle, most = 100 * float(np.median(widths)), 100 * max(widths)
    return (
        f"Half of the rounds lie within ±{figure(middle)} % of the time that is printed, "
        f"for the figure that varies most within ±{figure(most)} %."
    )


def cell(figures: Sequence[tuple[float, bool, tuple[float, float] | None]]) -> str:
    """Several figures of one contender; the best of their kind are bold."""
    written = [(figure_within(value, spread), is_best) for value, is_best, spread in figures]
    return " / ".join(f"**{text}**" if is_best else text for text, is_best in written)


def field_table(result: Result) -> str:
    """Engines in rows, workloads in columns: first the times, then bytes and builds."""
    columns = {
        row.details["column"]: row.details for row in result.rows if row.details and "ms_per_event" in row.details
    }
    found = list(columns.values())
    engines = list(dict.fromkeys(label for details in found for label in (*details["build_s"], *details["refused"])))
    engines = [engine for engine in engines if BLOCK not in engine]
    sizes = {f"{details['num_expressions']:,}" for details in found}
    times, costs = [], []
    for engine in engines:
        times.append([f"`{engine}`", *(_times(details, engine) for details in found)])
        costs.append([f"`{engine}`", *(_costs(details, engine) for details in found)])
    shares = ["matching", *(f"{figure(100 * details['matching_share'])} %" for details in found)]
    times += [[f"{title} / quickest", *_over_best(result, columns, ending)] for title, ending in OVER_BEST.items()]
    return "\n".join(
        [
            machine_line(result),
            "",
            f"{' or '.join(sorted(sizes))} expressions. µs an event, one core: one event at a time / in one call for "
            f"up to 512. {spread_line(found)}",
            "",
            *lines_of(["", *columns], [shares, *times]),
            "",
            "Bytes an expression / seconds to build from the encoded table, one core.",
            "",
            *lines_of(["", *columns], costs),
            "",
            *refusals(found, BLOCK),
        ]
    )


OVER_BEST = {"`a_tree`": "_a_tree", "`auto`": "_auto"}
"""For each row below the engines: how the names of its measurements end."""


def _times(details: Mapping[str, Any], engine: str) -> str:
    if engine in details["refused"]:
        return REFUSED
    times, parts = details["ms_per_event"], []
    for label, ending in ((engine, ""), (engine + BLOCK, BLOCK)):
        rivals = [value for other, value in times.items() if other.endswith(BLOCK) == bool(ending)]
        low, high = details["ms_quartiles"][label]
        parts.append((1e3 * times[label], times[label] == min(rivals), (1e3 * low, 1e3 * high)))
    return cell(parts)


def _costs(details: Mapping[str, Any], engine: str) -> str:
    if engine in details["refused"]:
        return REFUSED
    sizes, builds = details["megabytes"], details["build_s"]
    of_expression = 1e6 * sizes[engine] / details["num_expressions"]
    is_smallest, is_quickest = sizes[engine] == min(sizes.values()), builds[engine] == min(builds.values())
    return cell([(of_expression, is_smallest, None), (builds[engine], is_quickest, None)])


def _over_best(result: Result, columns: Mapping[str, Any], ending: str) -> list[str]:
    """How many times as long as the quickest, and which engine that was where one was chosen."""
    written = []
    for column in columns:
        row = next(row for row in result.rows if row.title.startswith(f"{column}:") and row.name.endswith(ending))
        if row.value is None:
            written.append("")
            continue
        chosen = f" `{row.details['engine']}`" if row.details and ending == "_auto" else ""
        written.append(figure_within(row.value, row.spread) + chosen)
    return written


def table4(result: Result) -> str:
    """Engines in rows; matching, construction and memory beside the paper's."""
    labels = [row.title.rpartition(": ")[2] for row in result.rows if row.unit == "ms an event"]
    rows = []
    for label in labels:
        written = [f"`{label}`"]
        for unit, ending in (("ms an event", ""), ("s", ", construction"), ("MB", ", memory")):
            row = next(row for row in result.rows if row.unit == unit and row.title.endswith(f": {label}{ending}"))
            measured = REFUSED if row.value is None else figure_with_spread(row.value, row.spread)
            written += [measured, "" if row.paper is None else as_printed(row.paper)]
        rows.append(written)
    found = next(row.details for row in result.rows if row.details and "refused" in row.details)
    head = ["", "matching, ms", "paper", "construction, s", "paper", "memory, MB", "paper"]
    ratios = [_ratio_cells(row) for row in result.rows if row.unit == "times"]
    return "\n".join(
        [
            machine_line(result),
            "",
            f"{found['num_expressions']:,} expressions, {figure(100 * found['matching_share'])} % of which match.",
            "",
            *lines_of(head, rows),
            "",
            *lines_of(["matching time", "measured", "paper"], ratios),
            "",
            *refusals([found]),
        ]
    )


def _ratio_cells(row: Row) -> list[str]:
    measured = REFUSED if row.value is None else figure_with_spread(row.value, row.spread)
    return [row.title.rpartition(": ")[2], measured, "" if row.paper is None else figure(row.paper)]


def sweeps_table(result: Result) -> str:
    """Points in rows, engines in columns: times for all sweeps; megabytes and build seconds for the first four."""
    sweeps: dict[str, list[Mapping[str, Any]]] = {}
    for row in result.rows:
        if row.details and "ms_per_event" in row.details:
            sweeps.setdefault(row.details["unit"], []).append(row.details)
    found = [details for points in sweeps.values() for details in points]
    labels = list(dict.fromkeys(label for details in found for label in (*details["build_s"], *details["refused"])))
    times, costs = [], []
    for place, (unit, points) in enumerate(sweeps.items()):
        for details in points:
            name = f"{unit} {as_printed(details['at'])}"
            times.append([name, *(_time(details, label) for label in labels)])
            if place < NUM_COST_SWEEPS:
                costs.append([name, *(_size_and_build(details, label) for label in labels)])
    head = ["", *(f"`{label}`" for label in labels)]
    return "\n".join(
        [
            machine_line(result),
            "",
            f"Figure 12: ms an event, one core. {spread_line(found)}",
            "",
            *lines_of(head, times),
            "",
            "Figures 11 and 13: MB of the engine / seconds to build it from the encoded table, one core.",
            "",
            *lines_of(head, costs),
            "",
            *refusals(found),
        ]
    )


NUM_COST_SWEEPS = 4
"""Sweeps that Figures 11 and 13 have; the others change neither memory nor construction much."""


def _time(details: Mapping[str, Any], label: str) -> str:
    if label in details["refused"]:
        return REFUSED
    times = details["ms_per_event"]
    low, high = details["ms_quartiles"][label]
    return cell([(times[label], times[label] == min(times.values()), (low, high))])


def _size_and_build(details: Mapping[str, Any], label: str) -> str:
    if label in details["refused"]:
        return REFUSED
    sizes, builds = details["megabytes"], details["build_s"]
    is_smallest, is_quickest = sizes[label] == min(sizes.values()), builds[label] == min(builds.values())
    return cell([(sizes[label], is_smallest, None), (builds[label], is_quickest, None)])


TABLES: Mapping[str, Callable[[Result], str]] = {
    "field": field_table,
    "a_tree_table4": table4,
    "a_tree_sweeps": sweeps_table,
    **dict.fromkeys(("tatbul_fig7", "tatbul_fig8", "range_sweep", "range_choice"), race_table),
    "tatbul_table1": growth_table,
    "neighbours": neighbour_table,
}
"""For each experiment that has a form of its own: what writes it."""
