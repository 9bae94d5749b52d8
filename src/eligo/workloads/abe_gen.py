"""What did A-Tree 2021 measure on? ABE-Gen, its section 6.1, with every parameter of its Table 3.

An expression is an n-ary tree with `tree_depth` levels of operators over predicates. Each node draws its operator;
`and` and `or` have `num_children` children, `not` has one, `xor` and `xnor` have two. A child subexpression is drawn
from a pool by P(r) = C / r^alpha; with alpha = 0 every subexpression is made anew. The paper leaves open how large the
pool is, how skewed the dimensions are and which operators predicates have. Here the pool has 0.9 subexpressions for
each expression, dimensions follow Zipf's law with 0.45, and seven operators are equally likely; together they bring the
sharing ratios to those that the paper prints.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.workloads.expression_dag import AND, NOT, OR, ExpressionDag
from eligo.workloads.predicate_texts import Texts, comparisons, interleave, join, memberships, to_texts
from eligo.workloads.sharing_by_level import sharing_report
from eligo.workloads.workload import Workload, choose_attributes, expressions_table, random_streams
from eligo.workloads.zipf import Zipf

VERSION = 1
"""Raised whenever the same parameters would give another workload."""

PAPER = {"predicates": 18.35, "subexpressions": 4.33}
"""The sharing ratios of the default workload in A-Tree 2021, section 6.1."""

RELATIONS = ("=", "!=", "<", "<=", ">", ">=", "in")
"""The operators of predicates, equally likely."""

SET_SIZE = 3
"""The values that an `in` lists, before repetitions fall out."""


def generate(
    num_expressions: int,
    num_events: int,
    seed: int,
    *,
    operators: tuple[float, float, float, float, float] = (0.40, 0.40, 0.10, 0.05, 0.05),
    tree_depth: int = 2,
    num_children: int = 4,
    alpha: float = 0.6,
    num_dimensions: int = 1_000,
    cardinality: int = 100,
    dimension_alpha: float = 0.45,
    event_size: int = 20,
    pool_ratio: float = 0.9,
    block: int = 0,
) -> Workload:
    """ABE-Gen. `operators` are the shares of and, or, not, xor, xnor; a pool has `pool_ratio` nodes an expression."""
    parameters = dict(locals()) | {"operators": list(operators)}
    del parameters["block"]
    check(parameters)
    expression_rng, event_rng = random_streams(seed, 2, block)
    shares = np.array(operators) / sum(operators)

    sizes = level_sizes(parameters, float(shares @ [num_children, num_children, 1, 2, 2]))
    drawn = [draw_operators(expression_rng, size, shares, num_children) for size in sizes]
    codes, leaf_predicates = draw_predicates(expression_rng, int(drawn[0][1][-1]), parameters)
    dag = ExpressionDag(predicate_texts(codes, cardinality))
    nodes = np.arange(len(codes))
    texts: Texts = pa.array([], pa.large_string())
    for level, (kinds, child_offsets) in enumerate(drawn):
        num_drawn = int(child_offsets[-1])
        children = leaf_predicates if level == 0 else nodes[draw_children(expression_rng, len(nodes), num_drawn, alpha)]
        is_root = level == tree_depth - 1
        if is_root:
            texts = dag.texts(kinds, child_offsets, children)
        nodes = dag.add(kinds, child_offsets, children, with_texts=not is_root)

    times_as_root = np.zeros(len(dag), np.int64)
    times_as_root[nodes] = 1
    report = {"sharing": sharing_report(dag, times_as_root), "paper": PAPER if is_default(parameters) else None}
    events = make_events(event_rng, parameters)
    return Workload("abe_gen", expressions_table(texts), events, parameters, report)


def check(parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that describe no workload."""
    for name in ("num_expressions", "tree_depth", "num_children", "num_dimensions", "cardinality"):
        if parameters[name] < 1:
            raise ValueError(f"{name} is at least 1, not {parameters[name]}")
    if len(parameters["operators"]) != 5 or min(parameters["operators"]) < 0 or sum(parameters["operators"]) <= 0:
        raise ValueError("operators are five shares, of and, or, not, xor and xnor")


def is_default(parameters: Mapping[str, Any]) -> bool:
    """Whether the paper's ratios belong to these parameters: all but size and seed are as declared."""
    defaults: dict[str, Any] = generate.__kwdefaults__ or {}
    return all(np.array_equal(parameters[name], defaults[name]) for name in defaults.keys() & parameters.keys())


def level_sizes(parameters: Mapping[str, Any], mean_children: float) -> list[int]:
    """How many operator nodes to make on each level, from the lowest to the expressions themselves.

    With alpha = 0 nothing is shared: a level has a node for every child of the level above, with a margin for chance.
    """
    num_expressions: int = parameters["num_expressions"]
    sizes = [num_expressions]
    for _ in range(parameters["tree_depth"] - 1):
        unshared = int(sizes[0] * mean_children + 6 * parameters["num_children"] * np.sqrt(sizes[0])) + 1
        pooled = max(int(parameters["pool_ratio"] * num_expressions), 1)
        sizes.insert(0, unshared if parameters["alpha"] == 0 else pooled)
    return sizes


def draw_operators(
    rng: np.random.Generator, num_nodes: int, shares: npt.NDArray[np.float64], num_children: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The operator of each node, and the offsets that its number of children gives."""
    kinds = rng.choice(5, size=num_nodes, p=shares).astype(np.int64)
    counts = np.where((kinds == AND) | (kinds == OR), num_children, np.where(kinds == NOT, 1, 2))
    return kinds, np.concatenate(([0], np.cumsum(counts)))


def draw_children(rng: np.random.Generator, pool_size: int, num_drawn: int, alpha: float) -> npt.NDArray[np.int64]:
    """Which of the pool's nodes each child is."""
    if alpha == 0:
        return np.arange(num_drawn) % pool_size
    return Zipf(pool_size, alpha).draw(rng, num_drawn)


def draw_predicates(
    rng: np.random.Generator, num_drawn: int, parameters: Mapping[str, Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The distinct predicates as (dimension, relation, value) in one number, and which of them each leaf is."""
    dimensions = Zipf(parameters["num_dimensions"], parameters["dimension_alpha"]).draw(rng, num_drawn)
    relations = rng.integers(0, len(RELATIONS), num_drawn)
    values = rng.integers(0, parameters["cardinality"], num_drawn)
    codes, leaf_predicates = np.unique(
        (dimensions * len(RELATIONS) + relations) * parameters["cardinality"] + values, return_inverse=True
    )
    return codes, leaf_predicates


def predicate_texts(codes: npt.NDArray[np.int64], cardinality: int) -> Texts:
    """The predicates that `draw_predicates` has numbered. A set is `SET_SIZE` values spread evenly from its own on."""
    attributes = join("d", to_texts(codes // (cardinality * len(RELATIONS))))
    relations = codes // cardinality % len(RELATIONS)
    values = codes % cardinality
    rows, texts = [], []
    for number, relation in enumerate(RELATIONS):
        chosen = np.flatnonzero(relations == number)
        if not len(chosen):
            continue
        names = attributes.take(pa.array(chosen))
        rows.append(chosen)
        if relation == "in":
            members = (values[chosen][:, None] + np.arange(SET_SIZE) * max(cardinality // 7, 1)) % cardinality
            sizes = np.full(len(chosen), SET_SIZE)
            texts.append(memberships(names, relation, members, sizes, strings=False))
        else:
            texts.append(comparisons(names, relation, to_texts(values[chosen])))
    return interleave(rows, texts)


def make_events(rng: np.random.Generator, parameters: Mapping[str, Any]) -> pa.Table:
    """Events of `event_size` dimensions, popular ones more often, with values that are equally likely."""
    num_events, num_dimensions = parameters["num_events"], parameters["num_dimensions"]
    weights = Zipf(num_dimensions, parameters["dimension_alpha"]).weights
    present = choose_attributes(rng, weights, num_events, parameters["event_size"])
    columns = {}
    for dimension in range(num_dimensions):
        values = rng.integers(0, parameters["cardinality"], num_events)
        columns[f"d{dimension}"] = pa.array(values, mask=~present[:, dimension])
    return pa.table(columns)
