"""How do the neighbours look beside Eligo? Microseconds an event by size, both logarithmic; one event, and batches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

from benchmarks.contest_plots import FAINT, finish
from benchmarks.neighbours.tables import sizes_of
from benchmarks.results import Result, ResultError, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ONE_EVENT: Mapping[str, tuple[str, str]] = {
    "eligo_dict": ("Eligo, match(dict)", "#1d5fa8"),
    "eligo_matcher": ("Eligo, matcher", "#5b9bd5"),
    "vespa_8": ("Vespa, arity 8 †", "#9d4edd"),
    "vespa_32": ("Vespa, arity 32 †", "#c77dff"),
    "be_indexer": ("be_indexer †", "#e09f3e"),
    "event_ruler": ("event-ruler", "#c1443c"),
    "lucene_monitor": ("Lucene Monitor", "#7f5539"),
    "a_tree": ("a-tree", "#d9776c"),
    "duckdb": ("DuckDB", "#b5a642"),
    "polars": ("Polars", "#7d8597"),
    "python_loop": ("Python loop", "#22252b"),
}
"""For each curve of one event a call: its label and colour, by the beginning of its rows' names."""

BATCHES: Mapping[str, tuple[str, str]] = {
    "eligo_arrow_100": ("Eligo, Arrow, 100 rows", "#8fd3bd"),
    "eligo_arrow_1000": ("Eligo, Arrow, 1,000", "#4fb093"),
    "eligo_arrow_20000": ("Eligo, Arrow, 20,000", "#2a7f62"),
    "eligo_list_1000": ("Eligo, 1,000 dicts", "#1d5fa8"),
    "vespa_8": ("Vespa, one by one †", "#9d4edd"),
    "duckdb_100": ("DuckDB, 100 events", "#b5a642"),
    "polars_100": ("Polars, 100 events", "#7d8597"),
}
"""The same for batches, with the neighbour to beat beside them."""


def draw_neighbours(result: Result, target: Path) -> None:
    """A panel for one event a call, and one for batches."""
    sizes = sizes_of(result)
    if not sizes:
        raise ResultError("every measurement of this result was skipped; there is nothing to draw")
    figure_, axes = plt.subplots(1, 2, figsize=(15, 6.4), sharey=True, dpi=120)
    draw_panel(axes[0], result, ONE_EVENT, "One event a call")
    draw_panel(axes[1], result, BATCHES, "Batches")
    for axis in axes:
        axis.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axis.set_xlim(min(sizes) / 1.5, max(sizes) * 6)
    axes[0].set_ylabel("µs an event, median")
    finish(figure_, result, target)


def draw_panel(axis: Axes, result: Result, curves: Mapping[str, tuple[str, str]], title: str) -> None:
    """Curves with their names at their ends."""
    axis.set_xscale("log")
    axis.set_yscale("log")
    ends = []
    for name, (label, colour) in curves.items():
        points = sorted((row.details["size"], row.value) for row in rows_of(result, name) if row.details)
        if not points:
            continue
        is_ours = name.startswith("eligo")
        axis.plot(*zip(*points, strict=True), color=colour, marker="o", linewidth=2.6 if is_ours else 1.5)
        ends.append((points[-1][1], points[-1][0], label, colour, is_ours))
    write_names(axis, ends)
    axis.minorticks_off()
    axis.set_xlabel("expressions (targeting)")
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    axis.set_title(title, fontsize=10.5, loc="left")
    axis.grid(axis="y", color=FAINT, linewidth=0.8)
    axis.spines[["top", "right"]].set_visible(False)


def write_names(axis: Axes, ends: list[tuple[float, int, str, str, bool]], factor: float = 1.38) -> None:
    """Names at the right, pushed apart where they would lie on each other among those that end at the same size."""
    heights: dict[int, float] = {}
    for value, size, label, colour, is_ours in sorted(ends):
        height = max(value, heights.get(size, 0.0) * factor)
        heights[size] = height
        weight = "bold" if is_ours else "normal"
        axis.annotate(label, (size * 1.2, height), color=colour, va="center", fontsize=8.5, fontweight=weight)


def rows_of(result: Result, name: str) -> list[Row]:
    """The rows of one curve."""
    return [row for row in result.rows if row.value is not None and row.name.rpartition("_")[0] == name]
