"""What did Fontoura 2010 measure on? Alternating trees of AND and OR over conjunctions: its sections 5.1 and 5.5.

    ((a0 = 'v0' or a3 = 'v1' and a0 = 'v1') and (a1 = 'v0' or a2 = 'v0'))              an AND of ORs of conjunctions:
    depth 2

The root is an AND. A node above the least depth has children, 2, 3, 1 or 4 with the paper's probabilities; at the
greatest depth it is a conjunction; between the two it is one with `leaf_probability`. A node with one child is written
as that child. A conjunction has s predicates with probability c_s, on attributes drawn without replacement, with one
value each.

The paper takes c_s, the frequencies of attributes and values, and its 2,000 queries from real contracts and logs, and
prints none of them. It prints how many trees match a query (Table 3): 23, 58, 11 and 49 % of those of depth 1 to 4.
Attributes and values are drawn here so that it is 21, 51, 15 and 59 %. The probabilities that it prints for 1 to 4
children add up to 1, which leaves none for a conjunction above the greatest depth: so `leaf_probability` is 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.workloads.predicate_texts import Texts, interleave, join, join_runs, string_values, to_texts
from eligo.workloads.workload import Workload, choose_attributes, expressions_table, random_streams
from eligo.workloads.zipf import Zipf

VERSION = 1
"""Raised whenever the same parameters would give another workload."""

CHUNK = 20_000
"""Expressions made at a time, which bounds the memory."""
MOST_CHECKED = 2_000
"""Events from which selectivity is counted: the paper's queries."""
MOST_CHUNKS = 1_000
"""Chunks that are made at most in the search for expressions that never match."""

PAPER: Mapping[str, Any] = {
    "selectivity": {1: 0.2285, 2: 0.5797, 3: 0.1097, 4: 0.4923},
    "num_queries": 2_000,
    "children": {1: 0.05, 2: 0.7, 3: 0.2, 4: 0.05},
}
"""What 5.1 and Table 3 print; selectivity by the greatest depth."""

Numbers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


def generate(
    num_expressions: int,
    num_events: int,
    seed: int,
    *,
    min_depth: int = 1,
    max_depth: int = 3,
    child_probabilities: Sequence[float] = (0.05, 0.7, 0.2, 0.05),
    leaf_probability: float = 0.0,
    size_probabilities: Sequence[float] = (0.6, 0.3, 0.1),
    num_attributes: int = 200,
    alpha: float = 1.0,
    event_size: int = 140,
    event_alpha: float = 1.0,
    num_values: int = 20,
    value_alpha: float = 2.7,
    negated_portion: float = 0.0,
    selectivity: float | None = None,
    block: int = 0,
) -> Workload:
    """Trees of `min_depth` to `max_depth`, in edges from the root to a conjunction.

    `child_probabilities` are those of 1, 2, … children, `size_probabilities` those of 1, 2, … predicates in a
    conjunction. With `selectivity`, expressions that match none of the events are put among the others, as in 5.5,
    until an event matches that share of all on average. It is that of the first 2,000 events, and cannot be raised in
    this way.
    """
    parameters = dict(locals())
    del parameters["block"]
    check(parameters)
    expression_rng, event_rng = random_streams(seed, 2, block)
    present, values = make_events(event_rng, parameters)
    num_checked = min(num_events, MOST_CHECKED)
    truths = predicate_truths(present[:MOST_CHECKED], values[:MOST_CHECKED], num_values)
    if selectivity is None:
        chunks = [
            make_trees(expression_rng, min(CHUNK, num_expressions - first), parameters)
            for first in starts(num_expressions)
        ]
        texts = pa.concat_arrays([trees.texts() for trees in chunks])
        num_matching = np.concatenate([trees.num_matching(truths) for trees in chunks])
        num_leaves = sum(len(trees.sizes) for trees in chunks)
    else:
        texts, num_matching, num_leaves = adjusted(expression_rng, truths, num_checked, parameters)
    report = {
        "conjunctions_per_expression": round(num_leaves / num_expressions, 3),
        "selectivity": round(float(num_matching.mean()) / num_checked, 4) if num_checked else None,
        "paper": PAPER["selectivity"].get(max_depth) if selectivity is None else selectivity,
    }
    columns = {
        f"a{attribute}": pa.array(np.char.add("v", values[:, attribute].astype(str)), mask=~present[:, attribute])
        for attribute in range(num_attributes)
    }
    return Workload("fontoura_trees", expressions_table(texts), pa.table(columns), parameters, report)


def check(parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that describe no workload."""
    if parameters["num_expressions"] < 1:
        raise ValueError(f"num_expressions is at least 1, not {parameters['num_expressions']}")
    if not 1 <= parameters["min_depth"] <= parameters["max_depth"]:
        raise ValueError(f"trees cannot be {parameters['min_depth']} to {parameters['max_depth']} deep")
    for name in ("child_probabilities", "size_probabilities"):
        shares = parameters[name]
        if not len(shares) or min(shares) < 0 or not np.isclose(sum(shares), 1.0):
            raise ValueError(f"{name} are shares that add up to 1, not {shares!r}")
    if len(parameters["size_probabilities"]) > parameters["num_attributes"]:
        raise ValueError(f"a conjunction cannot have more predicates than {parameters['num_attributes']} attributes")
    if not 0 <= parameters["leaf_probability"] <= 1 or not 0 <= parameters["negated_portion"] <= 1:
        raise ValueError("leaf_probability and negated_portion are from 0 to 1")
    if parameters["selectivity"] is not None and not 0 <= parameters["selectivity"] <= 1:
        raise ValueError(f"selectivity is a share from 0 to 1, not {parameters['selectivity']}")
    if parameters["selectivity"] is not None and not parameters["num_events"]:
        raise ValueError("selectivity is counted over events, and none are made with the expressions: leave it out")


def starts(num_expressions: int) -> range:
    """Where each chunk begins."""
    return range(0, num_expressions, CHUNK)


def make_events(rng: np.random.Generator, parameters: Mapping[str, Any]) -> tuple[npt.NDArray[np.bool_], Numbers]:
    """Which attributes each event has, and a value for each; what expressions ask for often occurs often."""
    num_events, num_attributes = parameters["num_events"], parameters["num_attributes"]
    weights = np.arange(1, num_attributes + 1, dtype=np.float64) ** -parameters["event_alpha"]
    present = choose_attributes(rng, weights, num_events, parameters["event_size"])
    return present, Zipf(parameters["num_values"], parameters["value_alpha"]).draw(rng, (num_events, num_attributes))


def predicate_truths(present: npt.NDArray[np.bool_], values: Numbers, num_values: int) -> Words:
    """For each (attribute, value), and then for its negation: one bit for each event, whether it holds.

    A missing attribute denies nothing.
    """
    num_events, num_attributes = present.shape
    num_bytes = 8 * max(1, -(-num_events // 64))
    holds = np.zeros((num_attributes, num_values, num_events), np.bool_)
    rows, columns = np.nonzero(present)
    holds[columns, values[rows, columns], rows] = True
    packed = np.zeros((2, num_attributes * num_values, num_bytes), np.uint8)
    for number, truth in enumerate((holds, ~holds)):
        bits = np.packbits(truth.reshape(-1, num_events), axis=1)
        packed[number, :, : bits.shape[1]] = bits
    return packed.reshape(-1, num_bytes).view(np.uint64)


class Trees(NamedTuple):
    """Expressions of one chunk, level by level."""

    child_counts: list[Numbers]
    """For each level, from the roots on, and each of its nodes: how many children it has on the next; 0 for a leaf."""
    sizes: Numbers
    """For each leaf, level by level: its predicates."""
    attributes: Numbers
    values: Numbers
    is_negated: npt.NDArray[np.bool_]
    """For each predicate of each leaf."""
    num_values: int

    def leaf_offsets(self) -> Numbers:
        """Where the predicates of each leaf begin."""
        return np.concatenate(([0], np.cumsum(self.sizes)))

    def first_leaves(self) -> list[int]:
        """For each level: the number of its first leaf; then how many leaves there are."""
        counts = [int((counted == 0).sum()) for counted in self.child_counts]
        return [0, *np.cumsum(counts).tolist()]

    def chosen(self, rows: Numbers) -> Trees:
        """Only these expressions; rows ascend."""
        is_kept = np.zeros(len(self.child_counts[0]), np.bool_)
        is_kept[rows] = True
        child_counts: list[Numbers] = []
        of_leaves: list[npt.NDArray[np.bool_]] = []
        for counts in self.child_counts:
            child_counts.append(counts[is_kept])
            of_leaves.append(is_kept[counts == 0])
            is_kept = np.repeat(is_kept, counts)
        is_kept = np.concatenate(of_leaves)
        of_predicates = np.repeat(is_kept, self.sizes)
        return Trees(
            child_counts,
            self.sizes[is_kept],
            self.attributes[of_predicates],
            self.values[of_predicates],
            self.is_negated[of_predicates],
            self.num_values,
        )

    def texts(self) -> Texts:
        """The expressions as texts."""
        operators = to_texts(np.where(self.is_negated, " != ", " = "))
        predicates = join("a", to_texts(self.attributes), operators, string_values(self.values))
        leaves = _in_brackets(join_runs(self.leaf_offsets(), predicates, " and "), self.sizes)
        first_leaves = self.first_leaves()
        below: Texts | None = None
        for level in range(len(self.child_counts) - 1, -1, -1):
            counts = self.child_counts[level]
            own = leaves.slice(first_leaves[level], first_leaves[level + 1] - first_leaves[level])
            if below is not None and (counts > 0).any():
                inner = counts[counts > 0]
                offsets = np.concatenate(([0], np.cumsum(inner)))
                joined = _in_brackets(join_runs(offsets, below, " or " if level % 2 else " and "), inner)
                own = interleave([np.flatnonzero(counts == 0), np.flatnonzero(counts)], [own, joined])
            below = own
        assert below is not None
        return below

    def num_matching(self, truths: Words) -> Numbers:
        """For each expression: how many events it matches; counted here and not by an index."""
        rows = self.num_values * self.attributes + self.values + len(truths) // 2 * self.is_negated
        leaves = np.bitwise_and.reduceat(truths[rows], self.leaf_offsets()[:-1], axis=0)
        first_leaves = self.first_leaves()
        below: Words | None = None
        for level in range(len(self.child_counts) - 1, -1, -1):
            counts = self.child_counts[level]
            own = np.empty((len(counts), truths.shape[1]), np.uint64)
            own[counts == 0] = leaves[first_leaves[level] : first_leaves[level + 1]]
            if below is not None and len(below):
                inner = counts[counts > 0]
                gather = np.bitwise_or if level % 2 else np.bitwise_and
                own[counts > 0] = gather.reduceat(below, np.cumsum(inner) - inner, axis=0)
            below = own
        assert below is not None
        counted: Numbers = np.bitwise_count(below).sum(axis=1).astype(np.int64)
        return counted


def _in_brackets(texts: Texts, counts: Numbers) -> Texts:
    """Brackets around what has several parts."""
    several = to_texts(np.where(counts > 1, "(", "")), to_texts(np.where(counts > 1, ")", ""))
    return join(several[0], texts, several[1])


def make_trees(rng: np.random.Generator, count: int, parameters: Mapping[str, Any]) -> Trees:
    """So many trees with their conjunctions."""
    shares = np.array(parameters["child_probabilities"])
    child_counts: list[Numbers] = []
    width, num_leaves = count, 0
    for depth in range(parameters["max_depth"] + 1):
        counts = 1 + rng.choice(len(shares), width, p=shares / shares.sum())
        if depth == parameters["max_depth"]:
            counts[:] = 0
        elif depth >= parameters["min_depth"]:
            counts[rng.random(width) < parameters["leaf_probability"]] = 0
        child_counts.append(counts)
        num_leaves += int((counts == 0).sum())
        width = int(counts.sum())
    size_shares = np.array(parameters["size_probabilities"])
    sizes = 1 + rng.choice(len(size_shares), num_leaves, p=size_shares / size_shares.sum())
    attributes = _distinct_draws(rng, sizes, Zipf(parameters["num_attributes"], parameters["alpha"]))
    values = Zipf(parameters["num_values"], parameters["value_alpha"]).draw(rng, len(attributes))
    is_negated = rng.random(len(attributes)) < parameters["negated_portion"]
    return Trees(child_counts, sizes, attributes, values, is_negated, parameters["num_values"])


def _distinct_draws(rng: np.random.Generator, sizes: Numbers, ranks: Zipf) -> Numbers:
    """For each leaf as many distinct ranks as it has predicates, one leaf after another."""
    width = int(sizes.max())
    drawn = np.full((len(sizes), width), -1, np.int64)
    for column in range(width):
        todo = np.flatnonzero(sizes > column)
        while len(todo):
            drawn[todo, column] = ranks.draw(rng, len(todo))
            todo = todo[(drawn[todo, :column] == drawn[todo, column][:, None]).any(axis=1)]
    return drawn[np.arange(width) < sizes[:, None]]


def adjusted(
    rng: np.random.Generator, truths: Words, num_checked: int, parameters: Mapping[str, Any]
) -> tuple[Texts, Numbers, int]:
    """Expressions of a selectivity: as they come until they match as often as all are to, then only such as never do.

    In random order: their texts, how many events each matches, and how many conjunctions they have together.
    """
    num_expressions = parameters["num_expressions"]
    most_matches = round(parameters["selectivity"] * num_expressions * num_checked)
    texts: list[Texts] = []
    totals: list[Numbers] = []
    leaves: list[Numbers] = []
    num_taken, num_matches, is_full = 0, 0, most_matches == 0
    for _ in range(MOST_CHUNKS):
        trees = make_trees(rng, CHUNK, parameters)
        if is_full:  # most of the others match one of the first events
            trees = trees.chosen(np.flatnonzero(trees.num_matching(truths[:, :1]) == 0))
        matching = trees.num_matching(truths)
        reached = num_matches + np.cumsum(matching)
        is_taken = (matching == 0) | (reached <= most_matches) & (not is_full)
        chosen = np.flatnonzero(is_taken)[: num_expressions - num_taken]
        is_full = is_full or bool((reached[: chosen[-1] + 1] > most_matches).any() if len(chosen) else True)
        taken = trees.chosen(chosen)
        texts.append(taken.texts())
        totals.append(matching[chosen])
        leaves.append(_leaves_of(taken))
        num_taken, num_matches = num_taken + len(chosen), num_matches + int(matching[chosen].sum())
        if num_taken == num_expressions:
            break
    else:
        raise ValueError(f"only {num_taken:,} of {num_expressions:,} expressions that match so rarely were found")
    if not is_full:
        share = num_matches / max(1, num_expressions * num_checked)
        raise ValueError(f"an event matches {share:.4f} of the expressions, which none that never match can raise")
    order = rng.permutation(num_expressions)
    return (
        pa.concat_arrays(texts).take(pa.array(order)),
        np.concatenate(totals)[order],
        int(np.concatenate(leaves).sum()),
    )


def _leaves_of(trees: Trees) -> Numbers:
    """For each expression: its leaves."""
    below: Numbers = np.zeros(0, np.int64)
    for counts in reversed(trees.child_counts):
        own = np.ones(len(counts), np.int64)
        inner = counts[counts > 0]
        if len(inner):
            own[counts > 0] = np.add.reduceat(below, np.cumsum(inner) - inner)
        below = own
    return below
