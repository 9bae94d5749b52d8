"""How often does the same subexpression come again? A-Tree 2021, Figure 7: occurrences over distinct, by level."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.workloads.expression_dag import ExpressionDag


def occurrences(dag: ExpressionDag, times_as_root: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """For each node: how often it stands in the expressions, where node i is an expression `times_as_root[i]` times."""
    counts = times_as_root.astype(np.float64)  # exact: far below 2^53
    for first, child_offsets, children in reversed(dag.batches):
        of_parent = np.repeat(counts[first : first + len(child_offsets) - 1], np.diff(child_offsets))
        counts += np.bincount(children, weights=of_parent, minlength=len(counts))
    return counts.astype(np.int64)


def ratio_of(dag: ExpressionDag, counts: npt.NDArray[np.int64], nodes: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """Occurrences, distinct and their ratio over some of the nodes; equal up to the order of children is equal."""
    used = nodes & (counts > 0)
    total, distinct = int(counts[used].sum()), len(np.unique(dag.structure[used]))
    return {"occurrences": total, "distinct": distinct, "ratio": round(total / distinct, 2) if distinct else None}


def sharing_report(dag: ExpressionDag, times_as_root: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Sharing by level, of predicates, and of subexpressions: the operator nodes below the root of an expression."""
    counts = occurrences(dag, times_as_root)
    levels = range(1, int(dag.level[counts > 0].max(initial=0)) + 1)
    is_operator = dag.level > 1
    below_root = counts - times_as_root
    return {
        "predicates": ratio_of(dag, counts, ~is_operator),
        "subexpressions": ratio_of(dag, below_root, is_operator),
        "expressions": ratio_of(dag, times_as_root, np.ones(len(dag), np.bool_)),
        "levels": {str(level): ratio_of(dag, counts, dag.level == level) for level in levels},
        "most_shared_predicate": int(counts[~is_operator].max(initial=0)),
        "zipf_exponent_of_predicates": zipf_exponent(counts[~is_operator]),
        "uses_of_predicate_by_rank": by_rank(counts[~is_operator]),
    }


def by_rank(counts: npt.NDArray[np.int64]) -> dict[str, int]:
    """How often the predicate of rank 1, 10, 100, … is used, and the last one (Figure 7 b)."""
    ordered = np.sort(counts[counts > 0])[::-1]
    ranks = [10**power for power in range(8) if 10**power < len(ordered)] + [len(ordered)]
    return {str(rank): int(ordered[rank - 1]) for rank in ranks if rank > 0}


def zipf_exponent(counts: npt.NDArray[np.int64]) -> float | None:
    """The slope of log(count) against log(rank), over ranks evenly spaced in their logarithm."""
    ordered = np.sort(counts[counts > 0])[::-1]
    if len(ordered) < 10:
        return None
    ranks = np.unique(np.geomspace(1, len(ordered), 200).astype(np.int64))
    slope = np.polyfit(np.log(ranks), np.log(ordered[ranks - 1]), 1)[0]
    return round(-float(slope), 3)
