"""What does a result look like? Pictures from stored results; nothing is measured here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from benchmarks.a_tree_plots import draw_field, draw_shares, draw_sweeps, draw_table4
from benchmarks.contest_plots import draw_contest, draw_load
from benchmarks.fontoura_plots import draw_fontoura
from benchmarks.neighbours.plots import draw_neighbours
from benchmarks.range_plots import draw_growth, draw_races
from benchmarks.results import Result, ResultError, Row
from benchmarks.service_plots import draw_service
from benchmarks.tables import figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REACHED, MISSED, UNJUDGED = "#2a7f62", "#c1443c", "#7d8597"
INK, FAINT = "#22252b", "#d9dce2"

CURVES: Mapping[str, tuple[str, str, str]] = {
    "scan_mean_us": ("scan", "#7d8597", "s"),
    "dict_mean_us": ("dict to ids", "#e09f3e", "^"),
    "single_mean_us": ("single event", "#1d5fa8", "o"),
    "block_mean_us": ("in blocks", "#2a7f62", "D"),
}
"""For each curve of the latency plot: its label, colour and marker."""


def draw(result: Result, target: Path) -> None:
    """Draw a result into a PNG file."""
    drawing = DRAWINGS.get(result.experiment)
    if drawing is None:
        raise ResultError(f"there is no drawing of {result.experiment!r}; there are: {', '.join(DRAWINGS)}")
    with plt.rc_context({"font.size": 10, "axes.edgecolor": FAINT, "axes.labelcolor": INK, "text.color": INK}):
        drawing(result, target)


def draw_default_engine(result: Result, target: Path) -> None:
    """Bars against what they have to reach, and microseconds an event against the number of expressions."""
    rows = [row for row in result.rows if row.value is not None and row.bar is not None]
    latency = result.row("latency")
    points = (latency.details or {}).get("points", []) if latency is not None else []
    if not rows and not points:
        raise ResultError("every measurement of this result was skipped; there is nothing to draw")
    panels = [name for name, wanted in (("bars", rows), ("latency", points)) if wanted]
    figure_, axes = plt.subplots(1, len(panels), figsize=(8.4 * len(panels), 5.4), squeeze=False, dpi=150)
    for panel, axis in zip(panels, axes[0], strict=True):
        if panel == "bars":
            draw_bars(axis, rows)
        else:
            draw_latency(axis, points)
    about = result.machine
    figure_.set_layout_engine("constrained", w_pad=0.15, h_pad=0.1)
    figure_.suptitle(f"{result.question}   ({result.scale} scale)", fontsize=13, fontweight="bold")
    figure_.supxlabel(
        f"{about['cores']} cores of {about['cpu']}, {str(about['date'])[:10]}, "
        f"commit {str(about['commit'] or 'none')[:10]}",
        fontsize=8,
        color=UNJUDGED,
    )
    figure_.savefig(target)
    plt.close(figure_)


def draw_bars(axis: Axes, rows: list[Row]) -> None:
    """How many times better, or worse, than its bar each row is: to the right of the line at 1, or to the left."""
    margins = [margin(row) for row in rows]
    places = range(len(rows) - 1, -1, -1)
    colours = [{True: REACHED, False: MISSED, None: UNJUDGED}[row.is_reached] for row in rows]
    left, right = min([*margins, 1.0]) / 1.25, max([*margins, 1.0]) * 1.25
    axis.barh(places, [value - 1 for value in margins], left=1, color=colours, height=0.55)
    axis.axvline(1, color=INK, linewidth=1.2)
    for place, row in zip(places, rows, strict=True):
        bound = f"{'at least' if row.at_least else 'at most'} {figure(row.bar or 0)}"
        axis.text(
            1.02,
            place,
            f"{figure(row.value or 0)} {row.unit}\n{bound}",
            transform=axis.get_yaxis_transform(),
            va="center",
            fontsize=8.5,
        )
    axis.set_xscale("log")
    axis.set_xlim(left, right)
    axis.set_yticks(list(places), [row.title.replace("`", "").replace(", ", ",\n", 1) for row in rows], fontsize=9)
    axis.tick_params(axis="y", length=0)
    every = (
        (0.01, 0.1, 1, 10, 100) if right > 30 * left else (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
    )
    ticks = [tick for tick in every if left <= tick <= right]
    axis.set_xticks(ticks, [f"{tick:g}×" for tick in ticks])
    axis.minorticks_off()
    axis.set_title("How many times better than the bar", fontsize=10.5, loc="left")
    axis.grid(axis="x", color=FAINT, linewidth=0.8)
    axis.set_axisbelow(True)
    axis.spines[["top", "right", "left"]].set_visible(False)


def margin(row: Row) -> float:
    """How many times better than its bar a row is; below 1 it misses it."""
    assert row.value is not None and row.bar is not None
    return row.value / row.bar if row.at_least else row.bar / row.value


def draw_latency(axis: Axes, points: list[dict[str, Any]]) -> None:
    """Microseconds an event against the number of expressions, both logarithmic, each curve named at its end."""
    sizes = [point["num_expressions"] for point in points]
    ends: list[tuple[float, str, str]] = []
    for key, (label, colour, marker) in CURVES.items():
        values = [point[key] for point in points]
        axis.plot(sizes, values, color=colour, marker=marker, linewidth=2, markersize=6)
        ends.append((values[-1], label, colour))
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlim(min(sizes) / 1.4, max(sizes) * 6)
    for value, (_, label, colour) in zip(spread([end[0] for end in sorted(ends)]), sorted(ends), strict=True):
        axis.annotate(label, (max(sizes) * 1.25, value), color=colour, va="center", fontsize=9, fontweight="bold")
    axis.set_xticks(sizes, [short(size) for size in sizes])
    axis.minorticks_off()
    axis.set_xlabel("expressions (conjunctions)")
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    axis.set_title("µs an event, mean", fontsize=10.5, loc="left")
    axis.grid(axis="y", color=FAINT, linewidth=0.8)
    axis.spines[["top", "right"]].set_visible(False)


def spread(heights: list[float], factor: float = 1.45) -> list[float]:
    """Heights on a logarithmic axis, pushed up where labels would lie on each other; given and returned ascending."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] * factor) if placed else height)
    return placed


def short(number: int) -> str:
    """10k, 1M."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return str(number)


def draw_sharing(result: Result, target: Path) -> None:
    """Sharing ratios of `ads_like` by level, logarithmic, beside those that the paper prints."""
    rows = [row for row in result.rows if row.name.startswith("ads_like_level_") and row.value is not None]
    if not rows:
        raise ResultError("the levels of `ads_like` are not in this result; there is nothing to draw")
    levels = [int(row.name.rpartition("_")[2]) for row in rows]
    by_rank = [row for row in result.rows if row.name.startswith("ads_like_rank_") and row.value is not None]
    width = 7.4 if not by_rank else 13.4
    figure_, axes = plt.subplots(
        1, 2 if by_rank else 1, figsize=(width, 4.6), layout="constrained", dpi=130, squeeze=False
    )
    axis = axes[0][0]
    if by_rank:
        draw_ranks(axes[0][1], by_rank[0].details or {})
    axis.plot(levels, [row.value or 0 for row in rows], color=REACHED, marker="o", linewidth=2, label="ads_like")
    printed = [(level, row.paper) for level, row in zip(levels, rows, strict=True) if row.paper is not None]
    if printed:
        axis.plot(
            *zip(*printed, strict=True), color=MISSED, marker="x", markersize=11, linestyle="", label="A-Tree 2021"
        )
    for level, row in zip(levels, rows, strict=True):
        offset = (9, 6)
        axis.annotate(figure(row.value or 0), (level, row.value or 0), offset, textcoords="offset points", fontsize=9)
    axis.set_yscale("log")
    axis.set_xlim(0.6, 9.8)
    axis.set_xticks(levels)
    axis.set_yticks([1, 2, 5, 10, 20, 50, 100])
    axis.set_ylim(min(row.value or 0 for row in rows) / 1.3, max(row.value or 0 for row in rows) * 1.3)
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    axis.minorticks_off()
    axis.set_xlabel("level of the subexpression (1: predicates)")
    axis.set_title(f"How often a subexpression comes again   ({result.scale} scale)", fontsize=12, loc="left")
    axis.grid(axis="y", color=FAINT, linewidth=0.8)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False)
    figure_.savefig(target)
    plt.close(figure_)


def draw_ranks(axis: Axes, details: Mapping[str, Any]) -> None:
    """How often a predicate is used, by its rank, both logarithmic: A-Tree 2021, Figure 7 (b)."""
    ranks = [int(rank) for rank in details["all"]]
    axis.plot(ranks, list(details["all"].values()), color=REACHED, marker="o", linewidth=2)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axis.minorticks_off()
    axis.set_xlabel("rank of the predicate")
    axis.set_title("How often each predicate comes", fontsize=12, loc="left")
    axis.grid(axis="y", color=FAINT, linewidth=0.8)
    axis.spines[["top", "right"]].set_visible(False)


DRAWINGS: Mapping[str, Callable[[Result, Path], None]] = {
    "default_engine": draw_default_engine,
    "cold": draw_default_engine,
    "spark_pipeline": draw_default_engine,
    "sharing": draw_sharing,
    **dict.fromkeys((f"whang_fig{number}" for number in range(14, 20)), draw_contest),
    "whang_load": draw_load,
    **dict.fromkeys(("fontoura_depth", "fontoura_size", "fontoura_selectivity"), draw_fontoura),
    "field": draw_field,
    "a_tree_table4": draw_table4,
    "a_tree_shares": draw_shares,
    "dense": draw_default_engine,
    "a_tree_fig8": draw_contest,
    "a_tree_sweeps": draw_sweeps,
    **dict.fromkeys(("tatbul_fig7", "tatbul_fig8", "range_sweep", "range_choice"), draw_races),
    "tatbul_table1": draw_growth,
    "neighbours": draw_neighbours,
    "service": draw_service,
}
"""For each experiment: what draws it."""
