"""What do parsed texts name? Their attributes, strings and points, each numbered once; no object is made for any."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import encode_floats
from eligo.data.expressions.kernels.number_points import RECORD, number_points
from eligo.kernels import codes
from eligo.kernels.hashing import NONE
from eligo.kernels.interning import number_texts
from eligo.language.text.parse import ParsedBatch


class Texts(NamedTuple):
    """Distinct byte strings, in the order of first use."""

    offsets: npt.NDArray[np.int64]
    """Text i is data[offsets[i] : offsets[i + 1]]."""
    data: npt.NDArray[np.uint8]


class Points(NamedTuple):
    """Distinct points, in the order of first use: an attribute with a value, or with a node of an `under`."""

    owners: npt.NDArray[np.uint64]
    """For each point: its attribute, shifted by `KIND_BITS`, and its kind."""
    highs: npt.NDArray[np.int64]
    """For each point: the value's high part (see `encoded_value`); for STRING and UNDER_NODE the string's number."""
    lows: npt.NDArray[np.float64]
    """For each point: the low part."""


class Operands(NamedTuple):
    """The predicates of parsed texts in terms of attributes and points; rows are those of the postfix form.

    Rows of connectives, and of texts that were not asked for, hold nothing of meaning.
    """

    node_attribute: npt.NDArray[np.uint32]
    """For each node that is a predicate: its attribute, by first use."""
    operand_point: npt.NDArray[np.uint32]
    """For each operand: its point; NONE for a member that is in its list already."""
    operand_weight: npt.NDArray[np.float64]
    """For each operand: its weight; for a member of a list the largest that the list gives it."""
    true_points: npt.NDArray[np.uint32]
    """For each attribute: the point (attribute, true) if its name stands alone somewhere, else NONE."""


def number_operands(
    batch: ParsedBatch, rows: npt.NDArray[np.int64], seed: int
) -> tuple[Texts, Texts, Points, Operands]:
    """The names of attributes, the strings and the points of the texts `rows`, and where they stand."""
    postfix, outcome = batch.postfix, batch.outcome
    node_attribute = np.empty(len(postfix.node_kind), np.uint32)
    operand_string = np.empty(len(postfix.operand_kind), np.uint32)
    operand_point = np.empty(len(postfix.operand_kind), np.uint32)
    names = _distinct(
        number_texts(
            *batch.buffers(),
            rows,
            outcome.node_offsets,
            postfix.node_kind,
            postfix.name_start,
            postfix.name_end,
            postfix.node_flags,
            codes.EQUALS,
            codes.IS_TRUE,
            ord('"'),
            0,
            seed,
            node_attribute,
        )
    )
    strings = _distinct(
        number_texts(
            *batch.buffers(),
            rows,
            outcome.operand_offsets,
            postfix.operand_kind,
            postfix.operand_start,
            postfix.operand_end,
            postfix.operand_flags,
            codes.STRING,
            codes.STRING,
            ord("'"),
            1,
            seed,
            operand_string,
        )
    )
    weights = postfix.operand_weight
    is_weighted = bool((weights != 1.0).any())
    if is_weighted:
        weights = weights.copy()
    true_points = np.full(len(names.offsets) - 1, NONE, np.uint32)
    num_points, records = number_points(
        postfix,
        outcome,
        rows,
        node_attribute,
        operand_string,
        seed,
        weights if is_weighted else np.empty(0, np.float64),
        operand_point,
        true_points,
    )
    points = _points(records[: num_points * RECORD].reshape(num_points, RECORD))
    return names, strings, points, Operands(node_attribute, operand_point, weights, true_points)


def _distinct(numbered: tuple[int, npt.NDArray[np.int64], npt.NDArray[np.uint8]]) -> Texts:
    num_texts, offsets, data = numbered
    return Texts(offsets[: num_texts + 1], data[: int(offsets[num_texts])])


def _points(records: npt.NDArray[np.uint64]) -> Points:
    owners, words, bits = (records[:, field].copy() for field in range(RECORD))
    highs, lows = words.view(np.int64), np.zeros(len(words), np.float64)
    is_float = np.flatnonzero(bits)
    highs[is_float], lows[is_float] = encode_floats(bits.view(np.float64)[is_float])
    return Points(owners, highs, lows)
