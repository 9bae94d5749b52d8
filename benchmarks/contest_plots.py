"""How do contests look? A curve for each contender, and a bar for each ratio beside what the paper prints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt

from benchmarks.results import Paper, Result, ResultError, Row
from benchmarks.tables import as_printed, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OURS, PAPERS = "#1d5fa8", "#e09f3e"
INK, FAINT, QUIET = "#22252b", "#d9dce2", "#7d8597"

FAMILIES: Mapping[str, str] = {
    "k_index": "#1d5fa8",
    "cnf": "#1d5fa8",
    "propagation": "#c1443c",
    "sift": "#2a7f62",
    "pscan": "#c1443c",
    "scan": "#7d8597",
    "a_tree": "#1d5fa8",
    "bdd": "#2a7f62",
    "translation": "#e09f3e",
    "bop": "#c1443c",
    "interval_id": "#9d4edd",
    "dewey_id": "#5a3d2b",
    "conjunction_scan": "#4a4e57",
}
"""For each engine: the colour of its curves."""
OTHERS = ("#1d5fa8", "#2a7f62", "#c1443c", "#e09f3e", "#9d4edd", "#5a3d2b")
"""Colours of contenders that are not named after their engine."""


def style(label: str, place: int = 0) -> dict[str, Any]:
    """How a contender's curve is drawn: colour by engine, or by its place; line by way."""
    as_in_paper = "lists as in the paper" in label or "not deduplicated" in label
    return {
        "color": FAMILIES.get(label.partition(",")[0], OTHERS[place % len(OTHERS)]),
        "linestyle": "--" if as_in_paper else "-",
        "marker": "D" if "top 5" in label else "s" if as_in_paper else "o",
        "linewidth": 2,
        "markersize": 5.5,
        "markerfacecolor": "white" if as_in_paper else None,
    }


def draw_contest(result: Result, target: Path) -> None:
    """A panel of curves for each unit, then a panel of ratios."""
    panels: dict[str, list[Mapping[str, Any]]] = {}
    for row in result.rows:
        if row.details and "ms_per_event" in row.details:
            panels.setdefault(row.details["unit"], []).append(row.details)
    if not panels:
        raise ResultError("no point of the contest is in this result; there is nothing to draw")
    ratios = [row for row in result.rows if row.unit == "times" and row.value is not None]
    widths = [6.2] * len(panels) + ([7.4] if ratios else [])
    size = (sum(widths), max(5.4, 1.6 + 0.55 * len(ratios)))
    figure_, axes = plt.subplots(1, len(widths), figsize=size, squeeze=False, dpi=120, width_ratios=widths)
    for axis, (unit, points) in zip(axes[0], panels.items(), strict=False):
        draw_curves(axis, unit, points)
    if ratios:
        draw_ratios(axes[0][-1], ratios)
    finish(figure_, result, target)


def labels_of(points: Sequence[Mapping[str, Any]]) -> list[str]:
    """The contenders of some points, also those that refuse one of them."""
    return list(dict.fromkeys(label for point in points for label in point["ms_per_event"]))


def draw_curves(axis: Axes, unit: str, points: list[Mapping[str, Any]]) -> None:
    """Milliseconds an event for each contender, logarithmic, at places of equal distance."""
    places = range(len(points))
    for place, label in enumerate(labels_of(points)):
        times = [point["ms_per_event"].get(label, math.nan) for point in points]
        axis.plot(places, times, label=label, **style(label, place))
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")
    ticks = [f"{point['at']:g}\n({100 * point['matching_share']:.1f} %)" for point in points]
    axis.set_xticks(list(places), ticks)
    axis.set_xlim(-0.2, len(points) - 0.8)
    axis.set_xlabel(f"{unit}  (share of expressions that match)")
    axis.set_title("ms an event, one by one", fontsize=10.5, loc="left")
    axis.grid(axis="y", color=FAINT, linewidth=0.8)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)


def draw_ratios(axis: Axes, rows: list[Row]) -> None:
    """Ours and the paper's, one above the other."""
    places = range(len(rows) - 1, -1, -1)
    values = [row.value or 0.0 for row in rows]
    above, heights = [place + 0.18 for place in places], [value - 1 for value in values]
    axis.barh(above, heights, left=1, height=0.34, color=OURS, label="measured here")
    printed = [
        (place - 0.18, ends(row.paper)) for place, row in zip(places, rows, strict=True) if row.paper is not None
    ]
    if printed:
        below, lows = [at for at, _ in printed], [low for _, (low, _) in printed]
        lengths = [high - low for _, (low, high) in printed]
        axis.barh(below, lengths, left=lows, height=0.34, color=PAPERS, label="paper")
    for place, row in zip(places, rows, strict=True):
        axis.text(max(row.value or 0, 1) * 1.06, place + 0.18, figure(row.value or 0), va="center", fontsize=8)
        if row.paper is not None:
            right = max(*ends(row.paper), 1) * 1.06
            axis.text(right, place - 0.18, as_printed(row.paper), va="center", fontsize=8, color=QUIET)
    largest = max([*values, *(max(interval) for _, interval in printed)])
    smallest = min([*values, 1.0])
    axis.set_xscale("log")
    axis.set_xlim(smallest / 2, largest * 2.5)
    axis.axvline(1, color=INK, linewidth=1)
    axis.set_yticks(list(places), [short_title(row) for row in rows], fontsize=8)
    axis.tick_params(axis="y", length=0)
    ticks = [tick for tick in (0.1, 0.5, 1, 2, 5, 10, 100) if smallest / 2 <= tick <= largest * 2.5]
    axis.set_xticks(ticks, [f"{tick:g}×" for tick in ticks])
    axis.xaxis.set_minor_formatter(lambda *_: "")
    is_whang = any(" (lists)" in short_title(row) or " (apart)" in short_title(row) for row in rows)
    note = "   (lists: as in the paper; apart: not deduplicated)" if is_whang else ""
    axis.set_title(f"times{note}", fontsize=10.5, loc="left")
    axis.grid(axis="x", color=FAINT, linewidth=0.8)
    axis.set_axisbelow(True)
    axis.spines[["top", "right", "left"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8, loc="lower right")


def ends(paper: Paper) -> tuple[float, float]:
    """Where the bar of what a paper prints begins and ends: a figure's at 1, a range's where the range does."""
    return paper if isinstance(paper, tuple) else (1.0, paper)


def short_title(row: Row) -> str:
    """A row's title in two lines; where it is at comes last."""
    at, _, what = row.title.rpartition(": ")
    what = what.replace(", lists as in the paper", " (lists)").replace(", not deduplicated", " (apart)")
    return f"{what}\n{at}"


def draw_load(result: Result, target: Path) -> None:
    """Seconds and megabytes, beside the paper's, each row on its own scale of 0 to the larger of the two."""
    rows = [row for row in result.rows if row.value is not None]
    if not rows:
        raise ResultError("every measurement of this result was skipped; there is nothing to draw")
    figure_, axes = plt.subplots(1, len(rows), figsize=(2.4 * len(rows), 4.2), squeeze=False, dpi=130)
    for axis, row in zip(axes[0], rows, strict=True):
        values = [row.value or 0.0, 0.0 if row.paper is None else max(ends(row.paper))]
        axis.bar(["here", "paper"], values, color=[OURS, PAPERS], width=0.6)
        for place, value in enumerate(values):
            axis.text(place, value, f"{figure(value)} {row.unit}", ha="center", va="bottom", fontsize=9)
        if row.bar is not None and row.bar < 1.2 * max(values):
            axis.axhline(row.bar, color=INK, linewidth=1, linestyle=":")
        axis.set_ylim(0, 1.2 * max(values))
        axis.set_title(row.title.replace(": ", ":\n").replace(", ", ",\n"), fontsize=8.5)
        axis.set_yticks([])
        axis.spines[["top", "right", "left"]].set_visible(False)
    finish(figure_, result, target)


def finish(figure_: Any, result: Result, target: Path) -> None:
    """The question, the machine, and the file."""
    about = result.machine
    figure_.set_layout_engine("constrained", w_pad=0.12, h_pad=0.1)
    figure_.suptitle(f"{result.question}   ({result.scale} scale)", fontsize=12, fontweight="bold")
    figure_.supxlabel(
        f"{about['cores']} cores of {about['cpu']}, {str(about['date'])[:10]}, "
        f"commit {str(about['commit'] or 'none')[:10]}",
        fontsize=8,
        color=QUIET,
    )
    figure_.savefig(target)
    plt.close(figure_)
