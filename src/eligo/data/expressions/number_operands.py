"""What do parsed texts name? Their attributes, strings and points, each numbered once; no object is made for any."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import encode_floats
from eligo.data.expressions.given_texts import GivenTexts
from eligo.data.expressions.kernels.number_points import RECORD, number_points
from eligo.data.expressions.kernels.points import Operands, Points, Texts
from eligo.kernels import codes
from eligo.kernels.hashing import NONE
from eligo.kernels.interning import ROOM, number_texts


def number_operands(given: GivenTexts, seed: int) -> tuple[Texts, Texts, Points, Operands]:
    """The names of attributes, the strings and the points of texts, all as arrays, and where they stand."""
    running, postfix, outcome = given.running, given.postfix, given.outcome
    node_attribute = running.room(len(postfix.node_kind), np.uint32)
    names = _distinct_texts(
        given,
        seed,
        outcome.node_offsets,
        (postfix.node_kind, postfix.name_start, postfix.name_end, postfix.node_flags),
        (codes.EQUALS, codes.IS_TRUE, ord('"'), 0),
        node_attribute,
    )
    operand_string = running.room(len(postfix.operand_kind), np.uint32)
    strings = _distinct_texts(
        given,
        seed,
        outcome.operand_offsets,
        (postfix.operand_kind, postfix.operand_start, postfix.operand_end, postfix.operand_flags),
        (codes.STRING, codes.STRING, ord("'"), 1),
        operand_string,
    )
    weights: Any = postfix.operand_weight[:] if given.is_weighted else running.room(0, np.float64)
    if running.is_compiled and given.is_weighted:
        weights = weights.copy()
    operand_point = running.room(len(postfix.operand_kind), np.uint32)
    true_points = running.filled(len(names.offsets) - 1, int(NONE), np.uint32)
    num_points, records = running.loop(number_points)(
        postfix,
        given.number_bits,
        outcome,
        given.rows,
        node_attribute,
        operand_string,
        seed,
        running.slots(),
        running.room(RECORD * ROOM, np.uint64),
        running.room(ROOM, np.int64),
        running.room(ROOM, np.int64),
        weights,
        operand_point,
        true_points,
    )
    mended = running.array(weights if given.is_weighted else postfix.operand_weight, np.float64)
    operands = Operands(node_attribute, operand_point, running.given(mended.view(np.uint64)), true_points)
    return names, strings, _points(running.array(records, np.uint64, num_points * RECORD)), operands


def _distinct_texts(
    given: GivenTexts, seed: int, item_offsets: Any, items: tuple[Any, ...], chosen: tuple[int, ...], numbers: Any
) -> Texts:
    """The distinct texts of items, whose kinds, starts, ends and flags are given; `chosen` says which and how."""
    running = given.running
    num_texts, offsets, data = running.loop(number_texts)(
        given.data,
        given.text_offsets,
        given.rows,
        item_offsets,
        *items,
        *chosen,
        seed,
        running.slots(),
        running.filled(ROOM, 0, np.int64),
        running.room_for_bytes(ROOM),
        numbers,
    )
    return Texts(
        running.array(offsets, np.int64, num_texts + 1), running.array(data, np.uint8, int(offsets[num_texts]))
    )


def _points(records: npt.NDArray[np.uint64]) -> Points:
    owners, words, bits = (records[field::RECORD].copy() for field in range(RECORD))
    highs, lows = words.view(np.int64), np.zeros(len(words), np.float64)
    is_float = np.flatnonzero(bits)
    if len(is_float):
        highs[is_float], lows[is_float] = encode_floats(bits.view(np.float64)[is_float])
    return Points(owners, highs, lows)
