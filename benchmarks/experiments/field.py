"""Which engine is first on which workload? Every engine on every workload: one event at a time, blocks, bytes, builds.

A column is a workload; all engines take turns on its events, and one that refuses its expressions says why. What
`auto` takes is divided by the quickest of the column.
"""

from __future__ import annotations

from functools import partial

import eligo
from benchmarks.bench import Bench
from benchmarks.contest import Contender, Contest, Point
from benchmarks.experiment import Bar, Experiment, Measurement, Outcome, RefusedError
from benchmarks.holding import NUM_SAMPLE
from benchmarks.workloads.catalogue import variant
from eligo.engines import registry
from eligo.errors import UnknownEngineError

NUM_EXPRESSIONS = 50_000
SIZES = {"num_expressions": NUM_EXPRESSIONS, "num_events": 7_000}
"""As many events as all rounds need."""
USUAL = "a_tree"
CHOOSING = "auto"
BLOCK = ", block"
MOST_OVER_BEST = 1.3
"""How many times as long as the quickest engine the chosen one may take."""

ENGINES = tuple(name for name in registry.names() if name != CHOOSING)
CONTENDERS = tuple(
    contender
    for name in ENGINES
    for contender in (Contender(name, name), Contender(name + BLOCK, name, "match_batch", num_events=512))
)

COLUMNS = {
    "`abe_gen`": variant("abe_gen", **SIZES),
    "`ads_like` 0.1 %": variant("ads_like", **SIZES, match_share=0.001),
    "`ads_like` 1 %": variant("ads_like", **SIZES, match_share=0.01),
    "`ads_like` 10 %": variant("ads_like", **SIZES, match_share=0.1),
    "`ads_like` 50 %": variant("ads_like", **SIZES, match_share=0.5, or_roots=0.8),
    "`conjunctions`": variant("conjunctions", **SIZES),
    "`targeting`": variant("targeting", **SIZES),
    "`fontoura_trees`": variant("fontoura_trees", **SIZES),
    "`whang_contracts`": variant("whang_contracts", **SIZES),
    "`whang_contracts` CNF": variant("whang_contracts", **SIZES, form="cnf", months=8),
}
"""For each column: its workload."""


def contest(column: str) -> Contest:
    """All engines on the workload of a column."""
    return Contest(column, CONTENDERS, (Point(1, COLUMNS[column]),), most_seconds=0.2)


def over_best(bench: Bench, column: str, engine: str) -> Outcome:
    """How many times as long as the quickest one an engine takes for an event."""
    meeting = contest(column)
    found = meeting.held(bench, meeting.points[0])
    times = found["ms_per_event"]
    quickest = min((item for item in ENGINES if item in times), key=lambda item: times[item])
    blocks = {item: times[item + BLOCK] for item in ENGINES if item + BLOCK in times}
    outcome = meeting.ratio(engine, quickest, 1).run(bench)
    in_blocks = {"quickest_in_blocks": min(blocks, key=lambda item: blocks[item])}
    details = {"column": column, "engine": engine, "quickest": quickest, **in_blocks}
    return Outcome(
        outcome.value, {**details, "blocks_over_best": blocks[engine] / min(blocks.values())}, outcome.spread
    )


def usual_over_best(bench: Bench, column: str) -> Outcome:
    """The engine that takes every shape; all figures of all engines are in the details."""
    outcome = over_best(bench, column, USUAL)
    meeting = contest(column)
    return Outcome(outcome.value, {**outcome.details, **meeting.held(bench, meeting.points[0])}, outcome.spread)


def chosen_over_best(bench: Bench, column: str) -> Outcome:
    """The engine that is chosen from these expressions and a sample of events."""
    workload = bench.workload(COLUMNS[column])
    sample = workload.events.slice(0, NUM_SAMPLE)
    try:
        index = eligo.build(workload.expressions, engine=CHOOSING, sample=sample, id="id", expression="expression")
    except UnknownEngineError as error:
        raise RefusedError(error.message) from error
    return over_best(bench, column, index.engine.name)


def rows(column: str) -> tuple[Measurement, Measurement]:
    """The rows of one column."""
    name = "_".join(column.replace("`", "").replace("%", "percent").split())
    needs = {"workloads": (COLUMNS[column],), "engines": ENGINES}
    usual = Measurement(
        f"{name}_{USUAL}",
        f"{column}: `{USUAL}` / quickest",
        "times",
        partial(usual_over_best, column=column),
        **needs,  # type: ignore[arg-type]
    )
    chosen = Measurement(
        f"{name}_{CHOOSING}",
        f"{column}: `{CHOOSING}` / quickest",
        "times",
        partial(chosen_over_best, column=column),
        Bar(MOST_OVER_BEST, at_least=False),
        **needs,  # type: ignore[arg-type]
    )
    return usual, chosen


EXPERIMENT = Experiment(
    "field",
    "Which engine is first on which workload?",
    tuple(row for column in COLUMNS for row in rows(column)),
)
