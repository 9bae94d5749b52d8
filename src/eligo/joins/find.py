"""Which documents satisfy an expression? The reverse question: one expression, many documents, a segment at a time.

The truth of each node is two masks over the documents of a segment, where it is true and where it is false; where it is
neither, it is unknown. A predicate is tested on whole columns, connectives join masks as Kleene's tables say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.errors import InputError, shown
from eligo.joins.column_tests import hits, present
from eligo.joins.segment import Mask, Segment, Snapshot
from eligo.language.evaluate import NEGATIVE, Hierarchies, Missing, check_policy, checked_hierarchies
from eligo.language.forms.any_form import as_tree
from eligo.language.quantified import quantified_parts
from eligo.language.tree import (
    And,
    Constant,
    Exists,
    Expression,
    IsMissing,
    Literal,
    Not,
    Or,
    Predicate,
    StrongNotIn,
    WeakNotIn,
    Xor,
    distinct_nodes,
)


class Truths(NamedTuple):
    """Where a node is true, and where it is false."""

    is_true: Mask
    is_false: Mask


def tree_about_documents(expression: Any) -> Expression:
    """The tree of an expression over one document; a quantified part in it is refused."""
    tree = as_tree(expression)
    for part in quantified_parts(tree):
        raise InputError(
            f"an expression over one document cannot speak of others: {shown(repr(part))}",
            help="name the document's attributes as they are: price < 20",
        )
    return tree


def find(
    snapshot: Snapshot, tree: Expression, missing: Missing = "unknown", hierarchies: Hierarchies | None = None
) -> npt.NDArray[np.int64]:
    """The numbers, ascending, of the documents for which a tree is true."""
    check_policy(missing)
    known = checked_hierarchies(hierarchies)
    found = [np.zeros(0, np.int64)]
    for segment, is_alive in snapshot.segments:
        is_true = satisfying(segment, tree, missing, known)
        found.append(segment.numbers[is_true if is_alive is None else is_true & is_alive])
    return np.concatenate(found)


def satisfying(segment: Segment, tree: Expression, missing: Missing, hierarchies: Hierarchies | None) -> Mask:
    """The documents of a segment for which a tree is true."""
    truth_of: dict[int, Truths] = {}
    for node in distinct_nodes(tree):
        if isinstance(node, Predicate):
            truth_of[id(node)] = _predicate(segment, node, missing, hierarchies)
        elif isinstance(node, Literal):
            truth_of[id(node)] = _literal(segment, node, hierarchies)
        elif isinstance(node, Constant):
            is_true = np.full(segment.num_documents, node.value)
            truth_of[id(node)] = Truths(is_true, ~is_true)
        else:
            truth_of[id(node)] = _connective(node, [truth_of[id(child)] for child in node.children])
    return truth_of[id(tree)].is_true


def _predicate(segment: Segment, predicate: Predicate, missing: Missing, hierarchies: Hierarchies | None) -> Truths:
    """As `evaluate.predicate_truth` says of one event."""
    is_present = present(segment, predicate.attribute)
    if isinstance(predicate, Exists):
        return Truths(is_present, ~is_present)
    if isinstance(predicate, IsMissing):
        return Truths(~is_present, is_present)
    is_hit = hits(segment, predicate, (hierarchies or {}).get(predicate.attribute))
    is_negative = isinstance(predicate, NEGATIVE)
    is_true, is_false = (is_present & ~is_hit, is_hit) if is_negative else (is_hit, is_present & ~is_hit)
    if isinstance(predicate, WeakNotIn):
        return Truths(is_true | ~is_present, is_false)
    if isinstance(predicate, StrongNotIn):
        return Truths(is_true, is_false | ~is_present)
    if missing == "unknown":
        return Truths(is_true, is_false)
    return Truths(is_true | ~is_present, is_false) if is_negative else Truths(is_true, is_false | ~is_present)


def _literal(segment: Segment, literal: Literal, hierarchies: Hierarchies | None) -> Truths:
    """As `evaluate.literal_truth` says of one event; never unknown."""
    name = literal.predicate.attribute
    is_present = present(segment, name)
    is_hit = hits(segment, literal.predicate, (hierarchies or {}).get(name))
    is_true = np.where(is_present, is_hit == literal.positive, literal.holds_when_missing)
    return Truths(is_true, ~is_true)


def _connective(node: Expression, operands: Sequence[Truths]) -> Truths:
    """As `evaluate.connective_truth` says of one event."""
    if isinstance(node, Not):
        return Truths(operands[0].is_false, operands[0].is_true)
    trues, falses = [each.is_true for each in operands], [each.is_false for each in operands]
    if isinstance(node, And):
        return Truths(np.logical_and.reduce(trues), np.logical_or.reduce(falses))
    if isinstance(node, Or):
        return Truths(np.logical_or.reduce(trues), np.logical_and.reduce(falses))
    is_known = np.logical_and.reduce([each.is_true | each.is_false for each in operands])
    is_odd = np.logical_xor.reduce(trues)
    # `xnor` is true when an even number of operands is false.
    is_true = is_odd if isinstance(node, Xor) else is_odd == (len(operands) % 2 == 1)
    return Truths(is_known & is_true, is_known & ~is_true)
