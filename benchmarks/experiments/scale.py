"""What do ten million expressions take on one machine, beside one million? Memory while building and after, and time.

Each size is built from Parquet, batch by batch, in a process of its own, by `benchmarks.scale_run`: more than a million
become several shards over one vocabulary. The peak is of all resident memory beyond that of the same process before,
pages of mapped files among it; the index is the bytes of its files, ids and texts among them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.bench import Bench
from benchmarks.experiment import Bar, Experiment, Measurement, Outcome

SIZES = (1_000_000, 10_000_000)
MOST_PEAK = 2.5
NUM_EVENTS = 2_000
SMALL, SMALL_EVENTS = 3_000, 20
"""Expressions of the first size and events at scale `small`; the second size has ten times as many."""


def run_of(bench: Bench, size: int) -> dict[str, Any]:
    """What the process said of a size; it runs once."""
    key = ("scale", size)
    if key not in bench.contests:
        num_expressions = size if bench.is_full else SMALL * size // SIZES[0]
        num_events = NUM_EVENTS if bench.is_full else SMALL_EVENTS
        with TemporaryDirectory(prefix="eligo-scale-") as directory:
            command = [sys.executable, "-m", "benchmarks.scale_run"]
            arguments = [str(num_expressions), str(num_events), str(bench.seed), f"{directory}/index"]
            done = subprocess.run([*command, *arguments], check=True, stdout=subprocess.PIPE, text=True)
        bench.contests[key] = json.loads(done.stdout.splitlines()[-1])
    found: dict[str, Any] = bench.contests[key]
    return found


def peak_against_index(bench: Bench, size: int) -> Outcome:
    """The peak while building, in sizes of the index."""
    found = run_of(bench, size)
    return Outcome(found["peak_bytes"]["all"] / found["index_bytes"], found)


def figure(bench: Bench, size: int, name: str, per: float = 1.0, part: str | None = None) -> Outcome:
    """One of the figures."""
    found = run_of(bench, size)[name]
    return Outcome((found if part is None else found[part]) / per)


def rows_of(size: int) -> list[Measurement]:
    """The measurements of a size."""
    what, short = f"{size // 1_000_000} million", f"{size // 1_000_000}m"

    def row(name: str, title: str, unit: str, *arguments: Any) -> Measurement:
        return Measurement(f"{name}_{short}", f"{what}: {title}", unit, partial(_figure, size, arguments))

    bar = Bar(MOST_PEAK, at_least=False) if size == SIZES[-1] else None
    peak = partial(_peak, size)
    return [
        Measurement(f"peak_{short}", f"{what}: peak while building, in sizes of the index", "times", peak, bar),
        row("peak_mb", "peak while building", "MB", "peak_bytes", 1e6, "all"),
        row("index_mb", "files of the index", "MB", "index_bytes", 1e6),
        row("built_mb", "memory of the index just built", "MB", "built_bytes", 1e6, "all"),
        row("asked_mb", "memory after all events, scratch included", "MB", "asked_bytes", 1e6, "all"),
        row("build_s", "build, processor time", "s", "build_processor_s"),
        row("single_us", "an event as a mapping", "µs", "us_one_by_one"),
        row("batch_us", "an event in Arrow batches of 1,000", "µs", "us_in_batches"),
    ]


def _peak(size: int, bench: Bench) -> Outcome:
    return peak_against_index(bench, size)


def _figure(size: int, arguments: tuple[Any, ...], bench: Bench) -> Outcome:
    return figure(bench, size, *arguments)


EXPERIMENT = Experiment(
    "scale",
    "What do ten million expressions take on one machine?",
    tuple(measurement for size in SIZES for measurement in rows_of(size)),
)
