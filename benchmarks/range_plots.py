"""How do races of structures look? A panel for each metric, with a curve for each structure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt

from benchmarks.contest_plots import FAINT, finish
from benchmarks.range_tables import points_of
from benchmarks.results import Result, ResultError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS: Mapping[str, str] = {
    "cluster": "#c1443c",
    "elementary": "#1d5fa8",
    "hybrid": "#9d4edd",
    "segment_tree": "#2a7f62",
    "interval_tree": "#e09f3e",
    "auto": "#22252b",
    "naive": "#7d8597",
    "lazy": "#b5b9c2",
}
"""For each contender: the colour of its curve."""


def draw_races(result: Result, target: Path) -> None:
    """A row of panels for each thing that varies."""
    races = points_of(result)
    if not races:
        raise ResultError("no point of the race is in this result; there is nothing to draw")
    width = max(len(points[0]["metrics"]) for points in races.values())
    figure_, axes = plt.subplots(len(races), width, figsize=(4.8 * width, 4.4 * len(races)), squeeze=False, dpi=120)
    for row, (unit, points) in zip(axes, races.items(), strict=True):
        for axis in row[len(points[0]["metrics"]) :]:
            axis.set_axis_off()
        for axis, metric in zip(row, points[0]["metrics"], strict=False):
            draw_metric(axis, unit, metric, points)
    finish(figure_, result, target)


def draw_metric(axis: Axes, unit: str, metric: str, points: list[Mapping[str, Any]]) -> None:
    """One metric of all contenders."""
    for name, colour in COLOURS.items():
        places = [place for place, point in enumerate(points) if name in point["metrics"][metric]]
        values = [points[place]["metrics"][metric][name] for place in places]
        if not places:
            continue
        style = "--" if name in ("naive", "lazy", "auto") else "-"
        axis.plot(places, values, style, color=colour, marker="o", markersize=5, linewidth=2, label=name)
    axis.set_yscale("log")
    axis.set_xticks(range(len(points)), [f"{point['at']:,}" for point in points])
    dress(axis, unit, metric)


def draw_growth(result: Result, target: Path) -> None:
    """Evaluations against profiles, both logarithmic, at low and at high overlap."""
    found = [row.details for row in result.rows if row.details]
    series = list(dict.fromkeys(details["series"] for details in found))
    if not series:
        raise ResultError("nothing was fitted in this result; there is nothing to draw")
    figure_, axes = plt.subplots(1, len(series), figsize=(5.6 * len(series), 4.8), squeeze=False, dpi=120)
    for axis, name in zip(axes[0], series, strict=True):
        for details in found:
            if details["series"] == name:
                colour, label = COLOURS[details["structure"]], details["structure"]
                axis.plot(details["num_profiles"], details["evaluations"], color=colour, marker="o", label=label)
        axis.set_xscale("log")
        axis.set_yscale("log")
        dress(axis, "profiles", f"evaluations at {name} overlap")
    finish(figure_, result, target)


def dress(axis: Axes, unit: str, title: str) -> None:
    """Titles, grid and legend."""
    axis.set_xlabel(unit)
    axis.set_title(title, fontsize=10.5, loc="left")
    axis.grid(axis="y", color=FAINT, linewidth=0.8)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8)
