"""Which values do the predicates of many expressions name? Each point gets a number, in the order of first use.

The rows are those of the postfix form, which `language.text.postfix` draws.

    age in (3, 4, 3^2) and home = 'it''s'

    names     0 age           1 home
    strings   0 it's
    points    0 (age, 3)      1 (age, 4)      2 (home, string 0)
    operand_point    0 1 NONE 2          a member that is listed again counts once,
    weights          2 1 2    1          with its largest weight
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba.extending import register_jitable

from eligo.data.expressions.kernels.points import KIND_BITS
from eligo.kernels.codes import BOOL, CONTAINS_ALL, EQUALS, IN, IS_TRUE, STRING, UNDER, UNDER_NODE
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import i64, u64
from eligo.kernels.interning import (
    EMPTY,
    Places,
    Slots,
    doubled_slots,
    enlarged,
    number_in,
    slot_content,
    tag_of,
    words_code,
)
from eligo.language.text.kernels.postfix_columns import Outcome, Postfix
from eligo.language.text.kernels.postfix_rows import IS_FLOAT

RECORD = 3
"""Words of a point: its owner; a payload or a string's number; the bits of a float, see `operand_value`."""
INT64_MIN = -(2**63)
INT64_MIN_BITS = 0xC3E0000000000000
"""The bits of the float that is `INT64_MIN`, the only whole number within 64 bits that the parser gives as a float."""
NO_POINT = 0xFFFFFFFF
"""`NONE`, as a number that interpreted loops can write."""


@register_jitable(inline="always")
def operand_value(
    kind: int,
    operand: int,
    operand_kind: npt.NDArray[np.uint8],
    operand_flags: npt.NDArray[np.uint8],
    operand_payload: npt.NDArray[np.int64],
    number_bits: npt.NDArray[np.uint64],
    operand_string: npt.NDArray[np.uint32],
) -> tuple[int, int, int]:
    """(kind, word, bits) of a value: bits are those of a float that is no whole number within 64 bits, else 0."""
    value_kind = i64(operand_kind[operand])
    if value_kind == STRING:
        return (UNDER_NODE if kind == UNDER else value_kind), i64(operand_string[operand]), u64(0)
    if operand_flags[operand] & IS_FLOAT == 0:
        return value_kind, i64(operand_payload[operand]), u64(0)
    if number_bits[operand] == INT64_MIN_BITS:
        return value_kind, i64(INT64_MIN), u64(0)
    return value_kind, i64(operand_payload[operand]), u64(number_bits[operand])


@register_jitable(inline="always")
def find_point_slot(slots: Slots, records: Slots, tag: int, owner: int, word: int, bits: int) -> int:
    """The slot of the point (owner, word, bits), or the empty one to put it in."""
    one, half, mask = u64(1), u64(32), u64(len(slots) - 1)
    slot: int = tag & mask
    while slots[slot] != EMPTY:
        if slots[slot] >> half == tag:
            base = RECORD * number_in(slots[slot])
            if records[base] == owner and records[base + 1] == word and records[base + 2] == bits:
                break
        slot = (slot + one) & mask
    return slot


@register_jitable(inline="always")
def note_member(
    operand: int,
    point: int,
    number: int,
    list_of_point: Places,
    place_of_point: Places,
    weights: npt.NDArray[np.float64],
    operand_point: npt.NDArray[np.uint32],
) -> None:
    """Write the point of a member of the list of this number; a member that stands there already is no other one."""
    if list_of_point[point] == number:
        operand_point[operand] = NO_POINT
        if len(weights) > 0:  # the first one takes the larger of both weights
            place = place_of_point[point]
            weights[place] = max(weights[place], weights[operand])
        return
    operand_point[operand] = point
    list_of_point[point] = number
    place_of_point[point] = operand


@kernel
def number_points(
    postfix: Postfix,
    number_bits: npt.NDArray[np.uint64],
    outcome: Outcome,
    rows: Places,
    node_attribute: npt.NDArray[np.uint32],
    operand_string: npt.NDArray[np.uint32],
    seed: int,
    slots: Slots,
    records: Slots,
    list_of_point: Places,
    place_of_point: Places,
    weights: npt.NDArray[np.float64],
    operand_point: npt.NDArray[np.uint32],
    true_points: npt.NDArray[np.uint32],
) -> tuple[int, Slots]:
    """Number the points of the expressions `rows`: how many there are, and their records, with room to spare.

    `number_bits` are the bits of `operand_number`. `slots` is an empty table; `records` (words side by side,
    because each is a cache miss apart) and the two arrays for each point have room for some. `weights` are those of the
    operands, lists with repeated members to be mended, or empty when all are 1. `true_points`, one for each attribute,
    gets the point (attribute, true) where a name stands alone.
    """
    node_kind, node_count, first_operands = postfix.node_kind, postfix.node_count, postfix.node_first_operand
    operand_kind, operand_flags, operand_payload = postfix.operand_kind, postfix.operand_flags, postfix.operand_payload
    node_offsets, operand_offsets = outcome.node_offsets, outcome.operand_offsets
    num_points = num_lists = 0
    for row in rows:
        for node in range(node_offsets[row], node_offsets[row + 1]):
            kind = i64(node_kind[node])
            if kind < EQUALS:
                continue
            attribute = u64(node_attribute[node])
            is_list = IN <= kind <= CONTAINS_ALL or kind == UNDER
            num_lists += 1
            first = operand_offsets[row] + first_operands[node]
            last = first + (1 if kind == IS_TRUE else i64(node_count[node]))
            for operand in range(first, last):
                value_kind, word, bits = i64(BOOL), i64(1), u64(0)  # of a name that stands alone: true
                if kind != IS_TRUE:
                    value_kind, word, bits = operand_value(
                        kind, operand, operand_kind, operand_flags, operand_payload, number_bits, operand_string
                    )
                owner, own_word = (attribute << u64(KIND_BITS)) | u64(value_kind), u64(word)
                tag = tag_of(words_code(owner, own_word, bits, seed))
                slot = find_point_slot(slots, records, tag, owner, own_word, bits)
                point = num_points
                if slots[slot] != EMPTY:
                    point = number_in(slots[slot])
                else:
                    slots[slot] = slot_content(tag, point)
                    if num_points == len(list_of_point):
                        records = enlarged(records, 0)
                        list_of_point, place_of_point = enlarged(list_of_point, 0), enlarged(place_of_point, 0)
                    base = RECORD * point
                    records[base], records[base + 1], records[base + 2] = owner, own_word, bits
                    list_of_point[point] = 0
                    num_points += 1
                    if 2 * num_points > len(slots):
                        slots = doubled_slots(slots)
                if kind == IS_TRUE:
                    true_points[attribute] = point
                elif is_list:
                    note_member(operand, point, num_lists, list_of_point, place_of_point, weights, operand_point)
                else:
                    operand_point[operand] = point
    return num_points, records
