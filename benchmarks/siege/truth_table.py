"""What does the oracle say of all pairs of a world? A table of trees by events.

The truth of a predicate for an event comes from the oracle, `language/evaluate.py`, once for each pair of them.
Connectives are Kleene's tables over whole rows, which is what makes a hundred million pairs affordable; each world
compares some of its pairs with the oracle's own evaluation of the whole tree, so the table is tested while it is used.

    false = 0, unknown = 1, true = 2         and = minimum, or = maximum, not = 2 − x
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.language.evaluate import Missing, predicate_truth
from eligo.language.tree import And, Constant, Expression, Not, Or, Predicate, Xor, distinct_nodes
from eligo.language.value import event_attributes

Row = npt.NDArray[np.int8]
"""For each event: 0 for false, 1 for unknown, 2 for true."""


def truth_table(
    trees: Sequence[Expression], events: Sequence[dict[str, Any]], missing: Missing
) -> npt.NDArray[np.bool_]:
    """For each tree and each event, whether the event satisfies the tree."""
    attributes = [event_attributes(event) for event in events]
    known: dict[int, Row] = {}
    table = np.zeros((len(trees), len(events)), np.bool_)
    for place, tree in enumerate(trees):
        for node in distinct_nodes(tree):
            if id(node) not in known:
                known[id(node)] = (
                    _predicate_row(node, attributes, missing)
                    if isinstance(node, Predicate)
                    else _connective_row(node, [known[id(child)] for child in node.children], len(events))
                )
        table[place] = known[id(tree)] == 2
    return table


def _predicate_row(predicate: Predicate, attributes: Sequence[Any], missing: Missing) -> Row:
    truths = (predicate_truth(predicate, values.get(predicate.attribute, ()), missing) for values in attributes)
    return np.fromiter((1 if truth is None else 2 * truth for truth in truths), np.int8, len(attributes))


def _connective_row(node: Expression, operands: Sequence[Row], num_events: int) -> Row:
    if isinstance(node, Constant):
        return np.full(num_events, 2 * node.value, np.int8)
    if isinstance(node, Not):
        return np.int8(2) - operands[0]
    if isinstance(node, And):
        return np.minimum.reduce(operands)
    if isinstance(node, Or):
        return np.maximum.reduce(operands)
    is_unknown = np.logical_or.reduce([operand == 1 for operand in operands])
    result = operands[0] == 2
    for operand in operands[1:]:
        result = (result != (operand == 2)) if isinstance(node, Xor) else (result == (operand == 2))
    return np.where(is_unknown, 1, 2 * result).astype(np.int8)
