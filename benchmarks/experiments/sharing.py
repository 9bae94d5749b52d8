"""Are the generated workloads shaped as A-Tree 2021 describes its own? Sharing ratios as in its Figure 7, and sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.bench import Bench
from benchmarks.experiment import Experiment, IndexNeed, Measurement, Outcome, RefusedError
from eligo.workloads import abe_gen, ads_like

SCANNED = IndexNeed("conjunctions", "scan")


def from_report(workload: str, read: Callable[[Mapping[str, Any]], float]) -> Callable[[Bench], Outcome]:
    """A measurement that reads a figure from a workload's report."""
    return lambda bench: Outcome(read(bench.workload(workload).report))


def sharing_of_level(level: int) -> Measurement:
    """How often a subexpression of a level comes in `ads_like`."""
    return Measurement(
        f"ads_like_level_{level}",
        f"`ads_like`, level {level}",
        "times",
        from_report("ads_like", lambda report: report["sharing"]["levels"][str(level)]["ratio"]),
        paper={1: ads_like.PAPER["level_1"], 9: ads_like.PAPER["level_9"]}.get(level),
        workloads=("ads_like",),
    )


RANKS = (1, 10, 100, 1_000, 10_000, 100_000)


def uses_at_rank(rank: int) -> Measurement:
    """How often the predicate of a rank stands in `ads_like`: the distribution of Figure 7 (b)."""

    def run(bench: Bench) -> Outcome:
        uses = bench.workload("ads_like").report["sharing"]["uses_of_predicate_by_rank"]
        if str(rank) not in uses:
            raise RefusedError(f"there are no {rank:,} distinct predicates")
        return Outcome(uses[str(rank)], {"all": uses})

    title = f"`ads_like`, uses of the predicate of rank {rank:,}"
    return Measurement(f"ads_like_rank_{rank}", title, "times", run, workloads=("ads_like",))


def matches_an_event(bench: Bench) -> Outcome:
    """How many conjunctions an event meets."""
    num_events = 64
    matches = bench.index(SCANNED).engine.match_batch(bench.events(SCANNED, num_events))
    return Outcome(len(matches.positions) / num_events, {"num_events": num_events})


EXPERIMENT = Experiment(
    "sharing",
    "Are the generated workloads shaped as the papers describe theirs?",
    (
        *(
            Measurement(
                f"abe_gen_{kind}",
                f"`abe_gen`, {kind}",
                "times",
                from_report("abe_gen", lambda report, kind=kind: report["sharing"][kind]["ratio"]),  # type: ignore[misc]
                paper=abe_gen.PAPER[kind],
                workloads=("abe_gen",),
            )
            for kind in ("predicates", "subexpressions")
        ),
        *(sharing_of_level(level) for level in range(1, ads_like.DEEPEST + 1)),
        *(uses_at_rank(rank) for rank in RANKS),
        Measurement(
            "ads_like_zipf_exponent",
            "`ads_like`, exponent of Zipf's law that these uses follow",
            "",
            from_report("ads_like", lambda report: report["sharing"]["zipf_exponent_of_predicates"]),
            workloads=("ads_like",),
        ),
        Measurement(
            "ads_like_distinct_predicates",
            "`ads_like`, distinct predicates",
            "predicates",
            from_report("ads_like", lambda report: report["sharing"]["predicates"]["distinct"]),
            paper=ads_like.PAPER["distinct_predicates"],
            workloads=("ads_like",),
        ),
        Measurement(
            "ads_like_predicates_per_expression",
            "`ads_like`, predicates an expression",
            "predicates",
            from_report("ads_like", lambda report: report["predicates_per_expression"]),
            paper=ads_like.PAPER["predicates_per_expression"],
            workloads=("ads_like",),
        ),
        Measurement(
            "conjunctions_matches",
            "`conjunctions`, matches an event",
            "matches",
            matches_an_event,
            indexes=(SCANNED,),
        ),
    ),
)
