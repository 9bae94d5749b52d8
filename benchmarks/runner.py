"""How does a run go? Each measurement in turn; a missing piece skips it, a wrong answer ends the run."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter

from benchmarks import machine
from benchmarks.bench import Bench
from benchmarks.experiment import Experiment, Measurement, RefusedError, missing_piece
from benchmarks.results import Result, Row
from benchmarks.tables import figure_with_spread
from benchmarks.workloads.catalogue import Scale

Say = Callable[[str], None]


def say_now(line: str) -> None:
    """Print a line that is seen at once, also in a file or a pipe."""
    print(line, flush=True)


def run(
    experiment: Experiment,
    scale: Scale,
    seed: int = 1,
    *,
    only: Sequence[str] = (),
    say: Say = say_now,
    keep: Callable[[Result], object] = lambda so_far: None,
) -> Result:
    """Run an experiment, or only some of its measurements, and return the result.

    `keep` is given what there is so far after every measurement.
    """
    unknown = set(only) - {measurement.name for measurement in experiment.measurements}
    if unknown:
        names = ", ".join(measurement.name for measurement in experiment.measurements)
        raise ValueError(f"{experiment.name} has no measurement {sorted(unknown)[0]!r}; it has {names}")
    chosen = [measurement for measurement in experiment.measurements if not only or measurement.name in only]
    about_machine = machine.describe()
    bench = Bench(scale, seed)
    rows: list[Row] = []

    def found() -> Result:
        return Result(
            experiment=experiment.name,
            question=experiment.question,
            scale=scale,
            seed=seed,
            machine=about_machine,
            workloads=bench.about_workloads,
            indexes=list(bench.about_indexes),
            rows=rows,
            peak_memory_gib=peak_memory_gib(),
        )

    for place, measurement in enumerate(chosen):
        started = perf_counter()
        row = run_one(measurement, bench, say)
        rows.append(row)
        say(f"{describe(row)}   [{perf_counter() - started:.1f} s]")
        keep(found())
        bench.keep_only(later for later in chosen[place + 1 :] if missing_piece(later) is None)
    return found()


def run_one(measurement: Measurement, bench: Bench, say: Say) -> Row:
    """One measurement, with its indexes made and compared with the oracle before it."""
    bar = measurement.bar
    row = Row(
        name=measurement.name,
        title=measurement.title,
        unit=measurement.unit,
        paper=measurement.paper,
        bar=bar.limit if bar else None,
        at_least=bar.at_least if bar else True,
    )
    reason = missing_piece(measurement)
    if reason is not None:
        return replace(row, skipped=reason)
    for need in measurement.indexes:
        say(f"  {measurement.name}: {need.engine} over {bench.expressions(need).num_rows:,} {need.workload}")
        bench.index(need)
    try:
        outcome = measurement.run(bench)
    except RefusedError as refusal:
        return replace(row, skipped=str(refusal), details=refusal.details or None)
    is_reached = bar.is_reached(outcome.value) if bar and bench.is_full else None
    return replace(
        row, value=outcome.value, details=dict(outcome.details), is_reached=is_reached, spread=outcome.spread
    )


def describe(row: Row) -> str:
    """One line on a row."""
    if row.value is None:
        return f"{row.name}: skipped, {row.skipped}"
    verdict = {True: ", reached", False: ", NOT reached", None: ""}[row.is_reached]
    bar = f" (bar: {'at least' if row.at_least else 'at most'} {row.bar:,g}{verdict})" if row.bar is not None else ""
    return f"{row.name}: {figure_with_spread(row.value, row.spread)} {row.unit}{bar}"


def peak_memory_gib() -> float:
    """The most memory that this process has held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    in_bytes = peak if sys.platform == "darwin" else peak * 1024
    return round(in_bytes / 2**30, 2)
