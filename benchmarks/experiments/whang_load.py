"""How long does loading take, and how large is the index? Whang 2009, section 7: a million expressions in each form."""

from __future__ import annotations

from functools import partial
from time import perf_counter, process_time
from typing import Any

import eligo
from benchmarks.bench import Bench
from benchmarks.experiment import Bar, Experiment, IndexNeed, Measurement, Outcome
from benchmarks.experiments.default_engine import one_core
from benchmarks.experiments.whang_contenders import CNF_MONTHS
from benchmarks.memory import index_bytes
from benchmarks.workloads.catalogue import variant

DNF = IndexNeed("whang_contracts", "k_index")
CNF = IndexNeed(variant("whang_contracts", form="cnf", months=CNF_MONTHS), "cnf")
NUM_WARM_UP = 2_000


def load(bench: Bench, need: IndexNeed) -> Outcome:
    """From texts to an index, on one core; what is compiled was compiled before."""
    expressions = bench.expressions(need)
    eligo.build(expressions.slice(0, NUM_WARM_UP), engine=need.engine)
    with one_core() as is_pinned:
        started, processor = perf_counter(), process_time()
        index = eligo.build(expressions, engine=need.engine)
        wall, processor = perf_counter() - started, process_time() - processor
    return Outcome(
        wall,
        {"processor_s": processor, "is_pinned_to_one_core": is_pinned, "num_expressions": len(index)},
    )


def size(bench: Bench, need: IndexNeed, *, whole: bool) -> Outcome:
    """Megabytes of the posting lists, as the paper counts, or of everything but ids and texts."""
    index = bench.index(need)
    details: dict[str, Any] = dict(index.engine.stats().details)
    everything = index_bytes(index)
    num_bytes = sum(everything.values()) if whole else details["list_bytes"]
    kept = {name: details[name] for name in ("items", "lists", "list_bytes", "tree_bytes", "weight_bytes")}
    return Outcome(num_bytes / 1e6, {"bytes": everything, "num_postings": index.engine.stats().num_postings, **kept})


def rows(need: IndexNeed, form: str, minutes: float, megabytes: float) -> tuple[Measurement, ...]:
    """The rows of one form, with what the paper prints for it."""
    return (
        Measurement(
            f"load_{form}",
            f"{form.upper()}: load from text, one core",
            "s",
            partial(load, need=need),
            Bar(60, at_least=False),
            60 * minutes,
            workloads=(need.workload,),
            engines=(need.engine,),
        ),
        Measurement(
            f"lists_{form}",
            f"{form.upper()}: posting lists with their keys, no weights",
            "MB",
            partial(size, need=need, whole=False),
            Bar(100, at_least=False),
            megabytes,
            indexes=(need,),
        ),
        Measurement(
            f"whole_{form}",
            f"{form.upper()}: lists, tree, literals and vocabulary, no weights",
            "MB",
            partial(size, need=need, whole=True),
            Bar(100, at_least=False),
            indexes=(need,),
        ),
    )


EXPERIMENT = Experiment(
    "whang_load",
    "How long does loading take, and how large is the index? (Whang 2009, section 7)",
    (*rows(DNF, "dnf", 7, 35), *rows(CNF, "cnf", 90, 91)),
)
