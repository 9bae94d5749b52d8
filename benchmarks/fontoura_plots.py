"""How do the figures of Fontoura 2010 look? Size, time and steps, each by what the experiment varies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt

from benchmarks.contest_plots import FAINT, PAPERS, finish
from benchmarks.results import Result, ResultError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS: Mapping[str, str] = {
    "interval_id": "#1d5fa8",
    "dewey_id": "#2a7f62",
    "k_index": "#9d4edd",
    "conjunction_scan": "#c1443c",
    "scan": "#7d8597",
}
"""For each engine: the colour of its curves."""
SHADES: Mapping[str, float] = {"index evaluation": 0.35, "sorting": 0.65, "expression evaluation": 1.0}
"""For each step: how dark it is."""

Details = Mapping[str, Any]


def draw_fontoura(result: Result, target: Path) -> None:
    """A panel for each of memory, time, steps and evaluation that the result has."""
    held = by_place(result, "megabytes")
    steps = by_place(result, "steps_ms")
    panels: list[Callable[[Axes], None]] = []
    if held:
        panels.append(lambda axis: draw_memory(axis, held, result))
    if any(len(point["ms_per_event"]) > 2 for point in held):
        panels.append(lambda axis: draw_times(axis, held))
    if steps:
        panels += [lambda axis: draw_steps(axis, steps), lambda axis: draw_evaluation(axis, steps)]
    if not panels:
        raise ResultError("no point of the experiment is in this result; there is nothing to draw")
    figure_, axes = plt.subplots(1, len(panels), figsize=(5.2 * len(panels), 5.2), squeeze=False, dpi=120)
    for axis, draw_panel in zip(axes[0], panels, strict=True):
        draw_panel(axis)
    finish(figure_, result, target)


def by_place(result: Result, what: str) -> list[Details]:
    """The details of each point that have this, once each."""
    found = {row.details["at"]: row.details for row in result.rows if row.details and what in row.details}
    return [found[at] for at in sorted(found)]


def draw_memory(axis: Axes, points: list[Details], result: Result) -> None:
    """Megabytes of each engine, and crosses where the paper prints them."""
    for label in COLOURS:
        draw_curve(axis, label, points, "megabytes")
        for place, point in enumerate(points):
            title = f"{point['unit']} {point['at']:g}: {label}, memory"
            for row in result.rows:
                if row.title == title and row.paper is not None:
                    axis.plot(place, row.paper, "x", color=COLOURS[label], markersize=9, markeredgewidth=2)
    axis.plot([], [], "x", color=PAPERS, markersize=9, markeredgewidth=2, label="paper, same colour")
    axis.set_yscale("log")
    finish_panel(axis, points, "megabytes")


def draw_times(axis: Axes, points: list[Details]) -> None:
    """Milliseconds an event of each engine."""
    for label in COLOURS:
        draw_curve(axis, label, points, "ms_per_event")
    axis.set_yscale("log")
    finish_panel(axis, points, "ms an event, one by one")


def draw_curve(axis: Axes, label: str, points: list[Details], what: str) -> None:
    """One engine, where it takes the expressions."""
    places = [place for place, point in enumerate(points) if label in point[what]]
    if places:
        values = [points[place][what][label] for place in places]
        axis.plot(places, values, color=COLOURS[label], marker="o", linewidth=2, markersize=5.5, label=label)


def draw_steps(axis: Axes, points: list[Details]) -> None:
    """The steps of both engines, one upon the other."""
    for side, engine in ((-0.2, "dewey_id"), (0.2, "interval_id")):
        bottom = [0.0] * len(points)
        for step, shade in SHADES.items():
            heights = [point["steps_ms"][engine][step]["median"] for point in points]
            places = [place + side for place in range(len(points))]
            axis.bar(places, heights, 0.36, bottom, color=COLOURS[engine], alpha=shade, label=f"{engine}, {step}")
            bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
    axis.set_ylim(bottom=0)
    finish_panel(axis, points, "ms an event: the steps")


def draw_evaluation(axis: Axes, points: list[Details]) -> None:
    """Expression evaluation alone."""
    for engine in ("dewey_id", "interval_id"):
        of_engine = [point["steps_ms"][engine]["expression evaluation"] for point in points]
        medians = [step["median"] for step in of_engine]
        lower = [max(0.0, step["median"] - step["quartiles"][0]) for step in of_engine]
        upper = [max(0.0, step["quartiles"][1] - step["median"]) for step in of_engine]
        axis.errorbar(
            range(len(points)), medians, (lower, upper), color=COLOURS[engine], marker="o", linewidth=2, label=engine
        )
    axis.set_ylim(bottom=0)
    finish_panel(axis, points, "ms an event: expression evaluation alone")


def finish_panel(axis: Axes, points: list[Details], title: str) -> None:
    """Places, title and legend."""
    shares = [point.get("selectivity", point.get("matching_share", 0.0)) for point in points]
    ticks = [f"{point['at']:g}\n({100 * share:.0f} %)" for point, share in zip(points, shares, strict=True)]
    axis.set_xticks(range(len(points)), ticks)
    axis.set_xlabel(f"{points[0]['unit']}  (share of trees that match)")
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_title(title, fontsize=10.5, loc="left")
    axis.grid(axis="y", color=FAINT, linewidth=0.8)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
