"""When do elementary lists of ranges pay? Both kinds of lists, forced and chosen, as ranges overlap more and more.

Conjunctions, a third of whose predicates are ranges, about 4,000 distinct ones on each of 33 attributes; `POINTS` says
how many of an attribute's ranges hold a value. The rule of `ranges.list_choice` follows from these rows.
"""

from __future__ import annotations

from dataclasses import replace

from benchmarks.contest import Contender, Contest, Point
from benchmarks.experiment import Bar, Experiment, Measurement
from benchmarks.workloads.catalogue import variant

NUM_EXPRESSIONS = 100_000
NUM_EVENTS = 14_500
"""As many as all rounds need, single ones and those of blocks."""
RANGES_OF_ATTRIBUTE = 4_040
"""4 predicates a conjunction, a third of them ranges, on 33 attributes."""
OVERLAPS = (0.1, 1, 2, 4, 16)
"""How many ranges of an attribute hold a value, on average."""
DOMAIN = 10_000_000

FORMS = {"elementary": "elementary", "auto": "auto", "segment tree": "segment_tree"}
"""Titles, and what engines are asked for. The first has its turn after another engine's, which may slow it."""


def contenders(label: str, engine: str, way: str, num_events: int) -> tuple[Contender, ...]:
    """One way through an engine, with each kind of lists."""
    return tuple(
        Contender(f"{label}, {title}", engine, way, {"ranges": ranges}, num_events) for title, ranges in FORMS.items()
    )


def workload(overlap: float) -> str:
    """Conjunctions whose ranges are so wide that so many hold a value."""
    width = overlap / RANGES_OF_ATTRIBUTE
    return variant(
        "conjunctions",
        num_expressions=NUM_EXPRESSIONS,
        num_events=NUM_EVENTS,
        range_domain=DOMAIN,
        range_width=[width, width],
    ).replace(", ", ",")


SINGLE = contenders("a_tree", "a_tree", "match", 256)
BLOCK = contenders("a_tree block", "a_tree", "match_batch", 1024)
LISTS = contenders("k_index", "k_index", "match", 64)

OVERLAPPING = Contest(
    "overlap", (*SINGLE, *BLOCK, *LISTS), tuple(Point(overlap, workload(overlap)) for overlap in OVERLAPS)
)
ADS = Contest(
    "thousand ads", (*SINGLE, *BLOCK), (Point(50, variant("ads_like", num_expressions=50_000, num_events=NUM_EVENTS)),)
)


def rows(contest: Contest, at: float) -> tuple[Measurement, ...]:
    """Times of both kinds, then times and bytes of what is elementary or chosen beside those of segment trees."""
    labels = [contender.label for contender in contest.contenders]
    elementary, chosen, trees = labels[0::3], labels[1::3], labels[2::3]
    chosen_bytes = contest.ratio(chosen[0], trees[0], at, "memory")
    return (
        contest.row(elementary[0], at),
        contest.row(trees[0], at),
        *(contest.ratio(label, tree, at) for label, tree in zip(elementary, trees, strict=True)),
        contest.ratio(elementary[0], trees[0], at, "memory"),
        *(contest.ratio(label, tree, at) for label, tree in zip(chosen, trees, strict=True)),
        replace(chosen_bytes, bar=Bar(2.0, at_least=False)),
    )


EXPERIMENT = Experiment(
    "range_lists",
    "When do elementary lists of ranges pay, and does the choice follow?",
    (*(row for overlap in OVERLAPS for row in rows(OVERLAPPING, overlap)), *rows(ADS, 50)),
)
