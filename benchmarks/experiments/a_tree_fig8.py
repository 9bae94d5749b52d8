"""What do sharing and nodes of many children bring? A-Tree 2021, Figure 8: three designs of the tree against a scan.

All three are our frozen tree, over the same expressions in other forms (`benchmarks.tree_forms`).
"""

from __future__ import annotations

from benchmarks.contest import Contender, Contest, Point
from benchmarks.experiment import Experiment
from benchmarks.tree_forms import alone, binary
from benchmarks.workloads.catalogue import variant

NUM_EXPRESSIONS = 50_000
ALPHAS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
DESIGNS = (
    Contender("multitree with sharing", "a_tree"),
    Contender("binary tree with sharing", "a_tree", form=binary),
    Contender("multitree without sharing", "a_tree", form=alone),
    Contender("scan", "scan"),
)

SYNTHETIC = Contest(
    "α",
    DESIGNS,
    tuple(Point(at, variant("abe_gen", num_expressions=NUM_EXPRESSIONS, alpha=at, num_events=1_000)) for at in ALPHAS),
    most_seconds=0.5,
)
ADS = Contest(
    "ads, % matching",
    DESIGNS,
    (Point(1, variant("ads_like", num_expressions=NUM_EXPRESSIONS, match_share=0.01)),),
    most_seconds=0.5,
)

EXPERIMENT = Experiment(
    "a_tree_fig8",
    "What do sharing and nodes of many children bring? (A-Tree 2021, Figure 8)",
    (
        *SYNTHETIC.rows(),
        *(SYNTHETIC.ratio(item.label, DESIGNS[0].label, at) for at in (0.0, 0.6, 1.0) for item in DESIGNS[1:]),
        *ADS.rows(),
        *(ADS.ratio(item.label, DESIGNS[0].label, 1) for item in DESIGNS[1:]),
        *(ADS.ratio(item.label, DESIGNS[0].label, 1, "memory") for item in DESIGNS[1:3]),
    ),
)
