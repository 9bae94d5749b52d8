"""What stands in for A-Tree 2021's display ads? Expressions with the sizes and the sharing that its section 6.2 prints.

The data were never published. Their figures are: 1,392,196 expressions of 1 to 56 predicates and depth 1 to 9 over 122
dimensions, 973,794 distinct predicates that each come 68.76 times, sharing that falls by level to 2.88 at level 9, and
Zipf frequencies. Together they mean 48.1 predicates an expression.

    level 9    root: and ─── or ─── …       an expression is drawn by its depth, then from the roots of that depth
    level 8          └ or ─ and ─ …         the first child is of the level below, so that the level is exact
    …                  └ …                  further children are of any lower level and the other operator
    level 2                └ or ─ d3 = 'v1' or's children are mostly predicates, and's mostly groups
    level 1                    └ d0 in (…)  predicates, the popular ones first

Every level keeps a pool of nodes for each operator, and every child is drawn from a pool by rank with Zipf's law. The
shares and sizes below were chosen so that the paper's figures come out; at levels 2 to 8, for which it prints none in
words, so that sharing falls evenly. How many expressions match an event it does not print: about one in eight here,
unless `match_share` says otherwise (`match_shares`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.workloads.ads_dimensions import make_dimensions, make_events, make_predicates, sample_masks
from eligo.workloads.expression_dag import AND, OR, ExpressionDag
from eligo.workloads.match_shares import MOST_ROOTS, Masks, add_masks, choose_popularity, choose_roots, shares_of
from eligo.workloads.predicate_texts import Texts
from eligo.workloads.sharing_by_level import sharing_report
from eligo.workloads.workload import Workload, expressions_table, random_streams
from eligo.workloads.zipf import zipf

VERSION = 2
"""Raised whenever the same parameters would give another workload, or another report."""

PAPER = {
    "num_expressions": 1_392_196,
    "predicates_per_expression": 48.1,
    "distinct_predicates": 973_794,
    "level_1": 68.76,
    "level_9": 2.88,
}
"""A-Tree 2021, section 6.2; the mean number of predicates follows from the others."""

DEEPEST = 9
MOST_PREDICATES = 56
SAMPLE_SIZE = 512
"""Events by which the share of matches is told, where one is wanted."""
MOST_OFF = 0.25
"""By how much of it the share of matches may be missed."""

DEPTH_SHARES = (0.002, 0.008, 0.02, 0.04, 0.08, 0.13, 0.17, 0.22, 0.33)
"""The share of expressions of depth 1, 2, … 9."""

ROOTS_OF_DEPTH = (1.0, 0.3, 0.25, 0.25, 0.3, 0.35, 0.42, 0.48, 0.53)
"""For each depth: roots to draw from for each expression of that depth."""

POOL_OF_LEVEL = (0.15, 0.075, 0.06, 0.06, 0.062, 0.058, 0.055)
"""For levels 2 to 8: nodes of each operator in the pool, for each expression."""

SIZE_OF_LEVEL = ((2, 6), (5, 12), (9, 18), (13, 24), (18, 30), (23, 36), (28, 42))
"""For levels 2 to 8: the fewest and the most predicates that a pooled node aims at."""


def generate(
    num_expressions: int,
    num_events: int,
    seed: int,
    *,
    num_dimensions: int = 122,
    event_size: int = 20,
    predicate_ratio: float = 0.99,
    alpha: float = 0.7,
    dimension_alpha: float = 0.8,
    value_alpha: float = 1.0,
    or_roots: float = 0.16,
    mean_unused: float = 8.3,
    match_share: float | None = None,
    block: int = 0,
) -> Workload:
    """Ad-like expressions.

    `predicate_ratio` is the predicates on offer for each expression; `alpha` skews all drawing of subexpressions;
    `or_roots` is the share of expressions that are an `or`; `mean_unused` is how far expressions stay below 56
    predicates on average; `match_share` is the share of expressions that match an event under the policy `unknown`, as
    far as a sample of events tells.
    """
    parameters = dict(locals())
    del parameters["block"]
    if num_expressions < 1:
        raise ValueError(f"num_expressions is at least 1, not {num_expressions}")
    if match_share is not None and not 0 < match_share < 1:
        raise ValueError(f"match_share is between 0 and 1, not {match_share}")
    dimension_rng = random_streams(seed, 1, 0)[0]  # all blocks have the same dimensions
    _, expression_rng, event_rng = random_streams(seed, 3, block)
    dimensions = make_dimensions(dimension_rng, num_dimensions, dimension_alpha, value_alpha)
    num_predicates = max(int(predicate_ratio * num_expressions), 200)
    predicates, rows = make_predicates(expression_rng, dimensions, num_predicates)
    dag = ExpressionDag(predicates)
    pools = build_pools(expression_rng, dag, num_expressions, alpha)
    masks = None
    if match_share is None:
        del parameters["match_share"]  # the workload is what it was before there was a choice
    else:
        sample_rng = random_streams(seed, 4, block)[3]
        masks = add_masks(sample_masks(sample_rng, dimensions, rows, SAMPLE_SIZE, event_size), dag)
    texts, times_as_root = make_expressions(expression_rng, dag, pools, parameters, masks)
    report = make_report(dag, times_as_root)
    if match_share is not None and masks is not None:
        shares = shares_of(add_masks(masks, dag), SAMPLE_SIZE)
        report["match_share"] = round(float(np.average(shares, weights=times_as_root)), 5)
        if abs(report["match_share"] - match_share) > MOST_OFF * match_share:
            raise ValueError(
                f"match_share is {match_share:g}, and comes to {report['match_share']:g}: "
                "more or_roots raise it, fewer lower it; with few expressions chance is larger"
            )
    events = make_events(event_rng, dimensions, num_events, event_size)
    return Workload("ads_like", expressions_table(texts), events, parameters, report)


Pools = dict[tuple[int, int], npt.NDArray[np.int64]]
"""For each (level, operator): the nodes to draw from, the most popular first."""


def build_pools(rng: np.random.Generator, dag: ExpressionDag, num_expressions: int, alpha: float) -> Pools:
    """The shared subexpressions of levels 2 to 8."""
    pools: Pools = {}
    for level, share in enumerate(POOL_OF_LEVEL, 2):
        size = max(int(share * num_expressions), 4)
        fewest, most = SIZE_OF_LEVEL[level - 2]
        for operator in (AND, OR):
            targets = rng.integers(fewest, most + 1, size)
            child_offsets, children = draw_children(rng, dag, pools, level, operator, targets, alpha)
            pools[level, operator] = dag.add(np.full(size, operator), child_offsets, children)
    return pools


class ChildSource:
    """What the children of nodes of one level and operator are drawn from."""

    def __init__(self, dag: ExpressionDag, pools: Pools, level: int, operator: int, alpha: float) -> None:
        other = OR if operator == AND else AND
        self.num_leaves = dag.num_leaves
        self.predicates = np.arange(dag.num_predicates)
        self.groups = [pools[lower, other] for lower in range(2, level)]
        self.group_share = 0.85 if operator == AND else 0.3
        self.alpha = alpha

    def first(self, rng: np.random.Generator, count: int) -> npt.NDArray[np.int64]:
        """First children: of the level just below, so that the level of the node is exact."""
        return self._draw(rng, self.groups[-1] if self.groups else self.predicates, count)

    def further(self, rng: np.random.Generator, room: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Children of any lower level; where one has no room, a smaller one, and in the end a single predicate."""
        children = self._draw(rng, self.predicates, len(room))
        if self.groups:
            is_group = rng.random(len(room)) < self.group_share
            of_group = rng.integers(0, len(self.groups), len(room))
            for number, group in enumerate(self.groups):
                rows = np.flatnonzero(is_group & (of_group == number))
                children[rows] = self._draw(rng, group, len(rows))
            for smaller in (*self.groups[2::-1], self.predicates):
                rows = np.flatnonzero(self.num_leaves[children] > room)
                children[rows] = self._draw(rng, smaller, len(rows))
        return children

    def _draw(self, rng: np.random.Generator, pool: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
        return pool[zipf(len(pool), self.alpha).draw(rng, count)]


def draw_children(
    rng: np.random.Generator,
    dag: ExpressionDag,
    pools: Pools,
    level: int,
    operator: int,
    targets: npt.NDArray[np.int64],
    alpha: float,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Children of new nodes, all nodes at once, a child a round, until each node has about its target of predicates."""
    source = ChildSource(dag, pools, level, operator, alpha)
    # An `and` that is filled up with single predicates to the last would hardly ever hold.
    least_room = 2 if operator == AND and level > 2 else 1
    parents = np.arange(len(targets))
    children = source.first(rng, len(targets))
    num_leaves, num_children = np.zeros_like(targets), np.zeros_like(targets)
    rounds: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []
    while len(parents):
        rounds.append((parents, children))
        num_leaves[parents] += dag.num_leaves[children]
        num_children[parents] += 1
        room = targets - num_leaves
        parents = parents[(room[parents] >= least_room) | (num_children[parents] < 2)]
        children = source.further(rng, room[parents])
    by_parent = np.argsort(np.concatenate([parents for parents, _ in rounds]), kind="stable")
    child_offsets = np.concatenate(([0], np.cumsum(num_children)))
    return child_offsets, np.concatenate([children for _, children in rounds])[by_parent]


def make_expressions(
    rng: np.random.Generator, dag: ExpressionDag, pools: Pools, parameters: Mapping[str, Any], masks: Masks | None
) -> tuple[Texts, npt.NDArray[np.int64]]:
    """The expressions in random order, and for each node how many expressions it is.

    With masks of the nodes so far, roots are chosen by the share of matches that is wanted.
    """
    num_expressions, alpha = parameters["num_expressions"], parameters["alpha"]
    depths = 1 + rng.choice(DEEPEST, size=num_expressions, p=np.array(DEPTH_SHARES) / sum(DEPTH_SHARES))
    root_of_expression = np.zeros(num_expressions, np.int64)
    texts: list[Texts] = []
    roots: list[npt.NDArray[np.int64]] = []
    for depth in range(1, DEEPEST + 1):
        rows = np.flatnonzero(depths == depth)
        pool_size = max(int(ROOTS_OF_DEPTH[depth - 1] * len(rows)), 2)
        num_made = pool_size if masks is None else MOST_ROOTS * pool_size
        if depth == 1:
            pool = np.arange(min(num_made, dag.num_predicates))
            pool_texts = dag.predicate_texts(pool)
        else:
            pool, pool_texts = make_roots(rng, dag, pools, depth, num_made, parameters)
        if masks is not None:
            masks = add_masks(masks, dag)
            shares = shares_of(masks[pool], SAMPLE_SIZE)
            chosen = choose_roots(rng, shares, min(pool_size, len(pool)), parameters["match_share"])
            pool, pool_texts = pool[chosen], pool_texts.take(pa.array(chosen))
        texts.append(pool_texts)
        if masks is None:
            popularity = rng.permutation(len(pool))
        else:
            weights = zipf(len(pool), alpha).weights
            popularity = choose_popularity(rng, shares[chosen], weights, parameters["match_share"])
        first = sum(map(len, roots))
        root_of_expression[rows] = first + popularity[zipf(len(pool), alpha).draw(rng, len(rows))]
        roots.append(pool)
    times_as_root = np.bincount(np.concatenate(roots)[root_of_expression], minlength=len(dag))
    return pa.concat_arrays(texts).take(pa.array(root_of_expression)), times_as_root


def make_roots(
    rng: np.random.Generator,
    dag: ExpressionDag,
    pools: Pools,
    depth: int,
    count: int,
    parameters: Mapping[str, Any],
) -> tuple[npt.NDArray[np.int64], Texts]:
    """Expressions of one depth to draw from: their nodes and texts."""
    nodes, texts = [], []
    num_or = int(parameters["or_roots"] * count)
    for operator, size in ((AND, count - num_or), (OR, num_or)):
        if not size:
            continue
        unused = rng.exponential(parameters["mean_unused"], size).astype(np.int64)
        targets = np.maximum(MOST_PREDICATES - unused, 2)
        child_offsets, children = draw_children(rng, dag, pools, depth, operator, targets, parameters["alpha"])
        operators = np.full(size, operator)
        texts.append(dag.texts(operators, child_offsets, children))
        nodes.append(dag.add(operators, child_offsets, children, with_texts=False))
    return np.concatenate(nodes), pa.concat_arrays(texts)


def make_report(dag: ExpressionDag, times_as_root: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Sizes and sharing beside the paper's."""
    used = np.flatnonzero(times_as_root)
    sizes, depths = dag.num_leaves[used], dag.level[used]
    return {
        "predicates_per_expression": round(float(np.average(sizes, weights=times_as_root[used])), 2),
        "fewest_predicates": int(sizes.min()),
        "most_predicates": int(sizes.max()),
        "expressions_of_depth": {
            str(depth): int(times_as_root[used][depths == depth].sum()) for depth in np.unique(depths)
        },
        "sharing": sharing_report(dag, times_as_root),
        "paper": PAPER,
    }
