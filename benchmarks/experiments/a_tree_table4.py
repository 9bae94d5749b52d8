"""How do the seven indexes of A-Tree 2021 compare on ads? Its Table 4: matching, construction and memory.

All on one workload of the paper's size, one after the other, since they have no room together. How many expressions
match, the paper does not print; here it is one in a hundred.
"""

from __future__ import annotations

from benchmarks.contest import Contender, Contest, Point, Reading
from benchmarks.experiment import Experiment
from benchmarks.workloads.catalogue import variant

CONTENDERS = tuple(
    Contender(name, name) for name in ("a_tree", "bdd", "translation", "bop", "interval_id", "dewey_id", "scan")
)
CONTEST = Contest(
    "% matching",
    CONTENDERS,
    (Point(1, variant("ads_like", match_share=0.01)),),
    one_at_a_time=True,
    most_seconds=2.0,
)

PAPER: dict[Reading, dict[str, float]] = {
    "matching": {
        "a_tree": 1.6,
        "bdd": 11.5,
        "translation": 13.7,
        "bop": 44.1,
        "interval_id": 53.6,
        "dewey_id": 62.7,
        "scan": 529.1,
    },
    "construction": {
        "a_tree": 2.9,
        "bdd": 25.6,
        "translation": 25.7,
        "bop": 8.6,
        "interval_id": 12.2,
        "dewey_id": 14.8,
    },
    "memory": {
        "a_tree": 205,
        "bdd": 823,
        "translation": 4_912,
        "bop": 684,
        "interval_id": 1_775,
        "dewey_id": 1_887,
    },
}
"""Milliseconds, seconds and megabytes; of translation, the index and the conjunctions together."""

EXPERIMENT = Experiment(
    "a_tree_table4",
    "How do indexes compare on ads, 1 % of which match? (A-Tree 2021, Table 4)",
    (
        *(CONTEST.row(item.label, 1, of, paper=PAPER[of].get(item.label)) for of in PAPER for item in CONTENDERS),
        CONTEST.ratio("bdd", "a_tree", 1, paper=11.5 / 1.6),
        CONTEST.ratio("bop", "a_tree", 1, paper=44.1 / 1.6),
        CONTEST.ratio("interval_id", "a_tree", 1, paper=53.6 / 1.6),
        CONTEST.ratio("dewey_id", "interval_id", 1, paper=62.7 / 53.6),
        CONTEST.ratio("scan", "a_tree", 1, paper=529.1 / 1.6),
    ),
)
