"""How do the experiments of A-Tree 2021 look, and the field of all engines? Grids of panels and of coloured cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm

from benchmarks.contest_plots import FAINT, OURS, PAPERS, QUIET, finish, labels_of, style
from benchmarks.results import Result, ResultError
from benchmarks.tables import as_printed, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLOCK = ", block"
WORST = 100
"""Times the quickest at which a cell is as dark as it gets."""
READINGS: Mapping[str, str] = {
    "megabytes": "Figure 11: memory, MB",
    "ms_per_event": "Figure 12: matching, ms an event",
    "build_s": "Figure 13: construction, s",
}
"""For each figure that is read from the sweeps: its title."""


def held_points(result: Result) -> list[Mapping[str, Any]]:
    """What came of each point of a result's contests."""
    points = [row.details for row in result.rows if row.details and "ms_per_event" in row.details]
    if not points:
        raise ResultError("no point of the contest is in this result; there is nothing to draw")
    return points


def draw_field(result: Result, target: Path) -> None:
    """Two grids, engines by workloads: one event at a time, and in blocks; the darker, the slower."""
    points = held_points(result)
    engines = [label for label in labels_of(points) if BLOCK not in label]
    figure_, axes = plt.subplots(1, 2, figsize=(19, 6.6), dpi=110)
    for axis, ending, title in ((axes[0], "", "one event at a time"), (axes[1], BLOCK, "up to 512 in one call")):
        times = [[1e3 * point["ms_per_event"].get(name + ending, math.nan) for point in points] for name in engines]
        draw_cells(axis, np.array(times), engines, [point["column"] for point in points])
        axis.set_title(f"µs an event, {title}; colour: times the quickest of the column", fontsize=10.5, loc="left")
    finish(figure_, result, target)


def draw_cells(axis: Axes, times: Any, engines: Sequence[str], columns: Sequence[str]) -> None:
    """A cell for each engine and workload; what refuses stays white."""
    over_best = times / np.nanmin(times, axis=0)
    axis.imshow(over_best, norm=LogNorm(1, WORST), cmap="YlOrRd", aspect="auto", alpha=0.8)
    for (row, column), value in np.ndenumerate(times):
        is_best = over_best[row, column] == 1
        text = "refused" if math.isnan(value) else figure(value)
        axis.text(
            column,
            row,
            text,
            ha="center",
            va="center",
            fontsize=7.5 if math.isnan(value) else 8.5,
            fontweight="bold" if is_best else "normal",
            color=QUIET if math.isnan(value) else "white" if over_best[row, column] > 40 else "black",
        )
    axis.set_yticks(range(len(engines)), engines, fontsize=9)
    names = [column.replace("`", "").replace(" ", "\n", 1).replace("_", "_\u200b") for column in columns]
    axis.set_xticks(range(len(columns)), names, fontsize=7.5)
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)


def draw_table4(result: Result, target: Path) -> None:
    """Three panels of bars, logarithmic: ours above the paper's for each engine."""
    figure_, axes = plt.subplots(1, 3, figsize=(16, 5), dpi=120)
    for axis, unit, title in zip(
        axes, ("ms an event", "s", "MB"), ("matching, ms an event", "construction, s", "memory, MB"), strict=True
    ):
        rows = [row for row in result.rows if row.unit == unit]
        labels = [row.title.rpartition(": ")[2].partition(",")[0] for row in rows]
        for place, row in enumerate(reversed(rows)):
            for offset, value, colour in ((0.18, row.value, OURS), (-0.18, row.paper, PAPERS)):
                if value is not None:
                    axis.barh(place + offset, value, height=0.34, color=colour)
                    text = figure(value) if colour == OURS else as_printed(value)
                    axis.text(value * 1.1, place + offset, text, va="center", fontsize=8)
            if row.value is None:
                axis.text(0.02, place + 0.18, "refused", va="center", fontsize=8, color=QUIET,
                          transform=axis.get_yaxis_transform())  # fmt: skip
        axis.set_yticks(range(len(rows)), labels[::-1])
        axis.set_xscale("log")
        low, high = axis.get_xlim()
        axis.set_xlim(low / 1.5, high * 2.5)
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        axis.set_title(title, fontsize=10.5, loc="left")
        axis.grid(axis="x", color=FAINT, linewidth=0.8)
        axis.set_axisbelow(True)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].barh([0], [math.nan], color=OURS, label="measured here")
    axes[0].barh([0], [math.nan], color=PAPERS, label="A-Tree 2021")
    axes[0].legend(frameon=False, fontsize=9, loc="upper right")
    finish(figure_, result, target)


def draw_shares(result: Result, target: Path) -> None:
    """Milliseconds an event against the share that matches, both logarithmic."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for row in result.rows:
        if row.value is not None and row.unit == "ms an event":
            at, _, label = row.title.rpartition(": ")
            curves.setdefault(label, []).append((float(at.rpartition(" ")[2]), row.value))
    if not curves:
        raise ResultError("no share of matches is in this result; there is nothing to draw")
    figure_, axis = plt.subplots(figsize=(9.4, 5.2), dpi=130)
    colours = {"a_tree": OURS, "a_tree, block": "#2a7f62", "writing the answer": QUIET}
    for label, points in curves.items():
        shares, times = zip(*points, strict=True)
        axis.plot(shares, times, marker="o", linewidth=2, label=label, color=colours.get(label))
        for share, time in points:
            axis.annotate(figure(time), (share, time), (0, 6), textcoords="offset points", fontsize=8, ha="center")
    axis.set_xscale("log")
    axis.set_yscale("log")
    ticks = sorted({share for points in curves.values() for share, _ in points})
    axis.set_xticks(ticks, [f"{tick:g} %" for tick in ticks])
    axis.minorticks_off()
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_xlabel("share of expressions that match an event")
    axis.set_title("ms an event", fontsize=10.5, loc="left")
    axis.grid(axis="y", color=FAINT, linewidth=0.8)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False)
    finish(figure_, result, target)


def draw_sweeps(result: Result, target: Path) -> None:
    """Four panels of memory, eight of matching, four of construction; curves end where an engine refuses."""
    sweeps: dict[str, list[Mapping[str, Any]]] = {}
    for point in held_points(result):
        sweeps.setdefault(point["unit"], []).append(point)
    units = list(sweeps)
    panels = [("megabytes", unit) for unit in units[:4]] + [("ms_per_event", unit) for unit in units]
    panels += [("build_s", unit) for unit in units[:4]]
    num_rows = math.ceil(len(panels) / 4)
    figure_, axes = plt.subplots(num_rows, 4, figsize=(18, 3.6 * num_rows + 1), squeeze=False, dpi=100)
    labels = labels_of([point for points in sweeps.values() for point in points])
    for axis, (reading, unit) in zip(axes.flat, panels, strict=False):
        points = sweeps[unit]
        for place, label in enumerate(labels):
            values = [point[reading].get(label, math.nan) for point in points]
            axis.plot(range(len(points)), values, label=label, **style(label, place))
        axis.set_yscale("log")
        axis.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        axis.yaxis.set_minor_formatter(lambda value, _: f"{value:,g}" if f"{value:e}"[0] in "25" else "")
        axis.tick_params(axis="y", which="both", labelsize=8)
        axis.set_xticks(range(len(points)), [f"{point['at']:,.7g}" for point in points])
        letter = "abcdefgh"[units.index(unit)]
        axis.set_title(READINGS[reading], fontsize=9.5, loc="left")
        axis.set_xlabel(f"({letter}) {unit}", fontsize=9.5)
        axis.grid(axis="y", color=FAINT, linewidth=0.8)
        axis.spines[["top", "right"]].set_visible(False)
    for axis in list(axes.flat)[len(panels) :]:
        axis.set_visible(False)
    axes[0][-1].legend(frameon=False, fontsize=10, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    finish(figure_, result, target)
