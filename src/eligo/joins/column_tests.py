"""Which documents of a segment satisfy a predicate? All values of a column are compared at once.

Kinds never mix, and ints and floats compare exactly: a float of a column is not whole, or lies beyond 64 bits, so an
int is compared with it through a float on the same side.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo.joins.segment import Column, ColumnKind, Mask, Segment, stored_value
from eligo.language.evaluate import HierarchyLike
from eligo.language.paths import SEPARATOR, date_node_range, timestamp_node_range
from eligo.language.tree import (
    Comparison,
    ContainsAll,
    Exists,
    IsMissing,
    IsTrue,
    Predicate,
    RangePredicate,
    SetPredicate,
    StartsWith,
    Under,
    ValuePredicate,
)
from eligo.language.value import INT64_MAX, INT64_MIN, Scalar

NUMBERS = (ColumnKind.INT, ColumnKind.FLOAT)
_NUMPY = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
_ARROW = {"<": pc.less, "<=": pc.less_equal, ">": pc.greater, ">=": pc.greater_equal}
_WHOLE_FROM = 2**53
"""From here on every float is whole, so none of a column lies between this and 64 bits."""
_BETWEEN = 2.0**60


def present(segment: Segment, attribute: str) -> Mask:
    """The documents that have an attribute."""
    return _documents(segment, ((column, None) for column in segment.columns(attribute).values()))


def hits(segment: Segment, predicate: Predicate, hierarchy: HierarchyLike | None = None) -> Mask:
    """The documents of which some value satisfies the positive form of a predicate; see `evaluate.is_hit`."""
    columns = segment.columns(predicate.attribute)
    if isinstance(predicate, ContainsAll):
        found = present(segment, predicate.attribute)
        for member in predicate.members:
            found &= _documents(segment, ((c, members(kind, c.values, [member])) for kind, c in columns.items()))
        return found
    return _documents(segment, ((c, _passing(kind, c.values, predicate, hierarchy)) for kind, c in columns.items()))


def _documents(segment: Segment, passing: Iterable[tuple[Column, Mask | None]]) -> Mask:
    """The documents of values that pass; None when all do."""
    found = np.zeros(segment.num_documents, np.bool_)
    for column, is_passing in passing:
        found[column.rows if is_passing is None else column.rows[is_passing]] = True
    return found


def _passing(kind: ColumnKind, values: Any, predicate: Predicate, hierarchy: HierarchyLike | None) -> Mask | None:
    """Which values of a column pass the test that a predicate makes of one value."""
    if isinstance(predicate, Comparison):
        return compared(kind, values, predicate.operator, predicate.value)
    if isinstance(predicate, RangePredicate):
        return compared(kind, values, ">=", predicate.low) & compared(kind, values, "<=", predicate.high)
    if isinstance(predicate, Under):
        return _under(kind, values, predicate.nodes, hierarchy)
    if isinstance(predicate, ValuePredicate | SetPredicate):
        return members(kind, values, predicate.values())
    if isinstance(predicate, IsTrue):
        return values == 1 if kind is ColumnKind.BOOL else _none(values)
    if isinstance(predicate, StartsWith):
        return _starts_with(values, predicate.operand) if kind is ColumnKind.STRING else _none(values)
    assert isinstance(predicate, Exists | IsMissing), f"no test for {type(predicate).__name__}"
    return None


def compared(kind: ColumnKind, values: Any, operator: str, operand: Scalar) -> Mask:
    """Which values of a column are below, or above, an operand."""
    other, bound = stored_value(operand)
    if kind is ColumnKind.STRING:
        return _mask(_ARROW[operator](values, _text(bound))) if other is kind else _none(values)
    if kind is not other and not (kind in NUMBERS and other in NUMBERS):
        return _none(values)
    if kind is ColumnKind.INT and other is ColumnKind.FLOAT:
        return _ints_compared(values, operator, bound)
    if kind is ColumnKind.FLOAT and other is ColumnKind.INT:
        bound = math.copysign(_BETWEEN, bound) if abs(bound) > _WHOLE_FROM else float(bound)
    found: Mask = _NUMPY[operator](values, bound)
    return found


def _ints_compared(values: npt.NDArray[np.int64], operator: str, bound: float) -> Mask:
    """Ints with a float that is not whole, or beyond 64 bits: below it is at most its floor."""
    is_below = operator in ("<", "<=")
    if not INT64_MIN <= bound <= INT64_MAX:
        return np.full(len(values), is_below == (bound > 0))
    floor = math.floor(bound)
    return values <= floor if is_below else values > floor


def members(kind: ColumnKind, values: Any, operands: Iterable[Scalar]) -> Mask:
    """Which values of a column are among some operands."""
    own = [stored for other, stored in map(stored_value, operands) if other is kind]
    if not own:
        return _none(values)
    if kind is ColumnKind.STRING:
        if len(own) == 1:
            return _mask(pc.equal(values, _text(own[0])))
        return _mask(pc.is_in(values, value_set=pa.array(own, pa.large_string())))
    if len(own) == 1:
        is_equal: Mask = values == own[0]
        return is_equal
    return np.isin(values, np.array(own, values.dtype))


def _under(kind: ColumnKind, values: Any, nodes: Iterable[str], hierarchy: HierarchyLike | None) -> Mask:
    found = _none(values)
    if kind is ColumnKind.STRING and hierarchy is not None:
        words = values.dictionary_encode()
        is_under = [any(hierarchy.is_under(word, node) for node in nodes) for word in words.dictionary.to_pylist()]
        return np.array(is_under, np.bool_)[words.indices.to_numpy(zero_copy_only=False)] if is_under else found
    for node in nodes:
        if kind is ColumnKind.STRING:
            found |= members(kind, values, [node]) | _starts_with(values, node + SEPARATOR)
        elif kind in (ColumnKind.DATE, ColumnKind.TIMESTAMP):
            ends = date_node_range(node) if kind is ColumnKind.DATE else timestamp_node_range(node)
            if ends is not None:
                found |= compared(kind, values, ">=", ends[0]) & compared(kind, values, "<=", ends[1])
    return found


def _starts_with(texts: pa.Array, prefix: str) -> Mask:
    return _mask(pc.starts_with(texts, prefix))


def _text(value: str) -> pa.Scalar:
    return pa.scalar(value, pa.large_string())


def _mask(found: pa.Array) -> Mask:
    mask: Mask = found.to_numpy(zero_copy_only=False)
    return mask


def _none(values: Any) -> Mask:
    return np.zeros(len(values), np.bool_)
