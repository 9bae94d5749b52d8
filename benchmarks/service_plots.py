"""What does a server under load look like? Requests beside the bare handler, writes beside the disk, memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt

from benchmarks.results import Result, ResultError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BARE, OURS, BAR, FAINT = "#7d8597", "#1d5fa8", "#c1443c", "#d9dce2"
NAMES = {"bare": "bare handler", "match": "/match", "writes": "/match beside\n100 writes/s"}
TIMES = {"put_times": "PUT,\n64 writers", "bulk_times": "rows\nin bulk", "log_times": "the log,\ngroups of 64"}
SHARES = {"lines_share": "NDJSON", "arrow_share": "Arrow"}


def draw_service(result: Result, target: Path) -> None:
    """Four panels: requests, batches, writes, memory."""
    values = {row.name: row.value for row in result.rows if row.value is not None}
    details = {row.name: dict(row.details or {}) for row in result.rows}
    if not {*NAMES, *TIMES, *SHARES, "growth"} <= values.keys():
        raise ResultError("not all of this result was measured; there is nothing to draw")
    figure, ((requests, batches), (writes, memory)) = plt.subplots(2, 2, figsize=(13.0, 8.4), dpi=150)
    _draw_requests(requests, values, details)
    _draw_bars(batches, [values[name] for name in SHARES], list(SHARES.values()), 70, "% of the library's own events/s")
    _draw_bars(writes, [values[name] for name in TIMES], list(TIMES.values()), 10, "times the disk's own fsyncs/s")
    writes.set_yscale("log")
    _draw_memory(memory, details["growth"]["resident_mib"])
    about = result.machine
    figure.set_layout_engine("constrained", w_pad=0.15, h_pad=0.15)
    figure.suptitle(f"{result.question}   ({result.scale} scale)", fontsize=13, fontweight="bold")
    figure.supxlabel(
        f"{about['cores']} cores of {about['cpu']}, server and load on the same machine, {str(about['date'])[:10]}, "
        f"commit {str(about['commit'] or 'none')[:10]}",
        fontsize=8,
        color=BARE,
    )
    figure.savefig(target)
    plt.close(figure)


def _draw_requests(axis: Axes, values: dict[str, float], details: dict[str, dict[str, Any]]) -> None:
    places = range(len(NAMES))
    axis.bar(places, [values[name] for name in NAMES], color=[BARE, OURS, OURS], width=0.55)
    axis.axhline(values["bare"] / 2, color=BAR, linestyle="--", linewidth=1.2)
    axis.text(2.55, values["bare"] / 2, "half of the bare handler", color=BAR, ha="right", va="bottom", fontsize=9)
    axis.set_xlim(-0.6, 2.6)
    for place, name in enumerate(NAMES):
        own = details[name]
        told = f"{values[name]:,.0f}\np50 {own['p50_ms']:.1f} ms, p99 {own['p99_ms']:.1f} ms"
        axis.text(place, values[name], told, ha="center", va="bottom", fontsize=9)
    axis.set_xticks(places, list(NAMES.values()))
    axis.set_ylim(0, 1.25 * max(values[name] for name in NAMES))
    axis.set_ylabel("requests/s, 64 connections")
    axis.grid(axis="y", color=FAINT)
    axis.set_axisbelow(True)


def _draw_bars(axis: Axes, heights: list[float], names: list[str], bar: float, label: str) -> None:
    places = range(len(names))
    axis.bar(places, heights, color=OURS, width=0.5)
    axis.axhline(bar, color=BAR, linestyle="--", linewidth=1.2)
    axis.text(-0.58, bar, f"wanted: {bar:g}", color=BAR, ha="left", va="bottom", fontsize=9)
    for place, height in zip(places, heights, strict=True):
        axis.text(place, height, f"{height:.3g}", ha="center", va="bottom", fontsize=9)
    axis.set_xticks(places, names)
    axis.set_xlim(-0.6, len(names) - 0.4)
    axis.set_ylim(0.01 if min(heights) < 1 else None, 2 * max(*heights, bar))
    axis.set_ylabel(label)
    axis.grid(axis="y", color=FAINT)
    axis.set_axisbelow(True)


def _draw_memory(axis: Axes, points: list[tuple[float, float]]) -> None:
    axis.plot([seconds / 60 for seconds, _ in points], [mebibytes for _, mebibytes in points], color=OURS)
    axis.set_ylim(0, 1.2 * max(mebibytes for _, mebibytes in points))
    axis.set_xlabel("minutes of mixed load")
    axis.set_ylabel("resident memory of the server, MiB")
    axis.grid(color=FAINT)
    axis.set_axisbelow(True)
