"""Which values do the predicates of many expressions name? Each point gets a number, in the order of first use.

A *point* is an attribute with a value: what an event can have, or where a range can end. The rows are those of the
postfix form, which `language.text.postfix` draws.

    age in (3, 4, 3^2) and home = 'it''s'

    names     0 age           1 home
    strings   0 it's
    points    0 (age, 3)      1 (age, 4)      2 (home, string 0)
    operand_point    0 1 NONE 2          a member that is listed again counts once,
    operand_weight   2 1 2    1          with its largest weight
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.kernels.codes import BOOL, CONTAINS_ALL, EQUALS, IN, IS_TRUE, STRING, UNDER, UNDER_NODE
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE, hash_words, u64
from eligo.kernels.interning import (
    EMPTY,
    HALF,
    ONE,
    ROOM,
    doubled_slots,
    enlarged,
    new_slots,
    number_in,
    slot_content,
    tag_of,
)
from eligo.language.text.kernels.postfix_rows import IS_FLOAT

INT64_MIN = -(2**63)
KIND_BITS = 8
"""A point's owner is its attribute, shifted by these, and its kind."""
RECORD = 3
"""Words of a point."""


@kernel
def number_points(
    postfix: Any,
    outcome: Any,
    rows: Any,
    node_attribute: Any,
    operand_string: Any,
    seed: int,
    weights: Any,
    operand_point: Any,
    true_points: Any,
) -> Any:
    """Number the points of the expressions `rows`: how many there are, and their records, with room to spare.

    A record is three words, side by side because each is a cache miss apart: the owner; a payload or a string's
    number; the bits of a float that is no whole number within 64 bits, else 0. `weights` are those of the operands,
    lists with repeated members to be mended, or empty when all are 1. `true_points`, one for each attribute, gets the
    point (attribute, true) where a name stands alone.
    """
    node_kind, node_count, first_operands = postfix.node_kind, postfix.node_count, postfix.node_first_operand
    operand_kind, operand_flags, operand_payload = postfix.operand_kind, postfix.operand_flags, postfix.operand_payload
    operand_number = postfix.operand_number
    operand_bits = operand_number.view(np.uint64)
    node_offsets, operand_offsets = outcome.node_offsets, outcome.operand_offsets

    slots = new_slots()
    records = np.empty(RECORD * ROOM, np.uint64)
    # The list in which a point was last seen, counted from 1, and where in it.
    list_of_point, place_of_point = np.empty(ROOM, np.int64), np.empty(ROOM, np.int64)
    num_points = num_lists = 0
    for row in rows:
        for node in range(node_offsets[row], node_offsets[row + 1]):
            kind = node_kind[node]
            if kind < EQUALS:
                continue
            attribute = node_attribute[node]
            is_list = IN <= kind <= CONTAINS_ALL
            num_lists += 1
            first_operand = operand_offsets[row] + first_operands[node]
            num_values = 1 if kind == IS_TRUE else np.int64(node_count[node])
            for operand in range(first_operand, first_operand + num_values):
                value_kind = BOOL
                word = np.int64(1)
                own_bits = np.uint64(0)
                if kind != IS_TRUE:
                    value_kind = np.int64(operand_kind[operand])
                    word = operand_payload[operand]
                    if operand_flags[operand] & IS_FLOAT:
                        if operand_number[operand] == float(INT64_MIN):  # the only one that is also a whole number
                            word = np.int64(INT64_MIN)
                        else:
                            own_bits = operand_bits[operand]
                    if value_kind == STRING:
                        word = np.int64(operand_string[operand])
                        if kind == UNDER:
                            value_kind = UNDER_NODE

                owner = (np.uint64(attribute) << np.uint64(KIND_BITS)) | np.uint64(value_kind)
                own_word = u64(word)
                tag = tag_of(hash_words(owner, own_word, own_bits, seed))
                mask = np.uint64(len(slots) - 1)
                slot = tag & mask
                point = -1
                while slots[slot] != EMPTY:
                    if slots[slot] >> HALF == tag:
                        base = RECORD * number_in(slots[slot])
                        if records[base] == owner and records[base + 1] == own_word and records[base + 2] == own_bits:
                            point = number_in(slots[slot])
                            break
                    slot = (slot + ONE) & mask
                if point < 0:
                    point = num_points
                    slots[slot] = slot_content(tag, point)
                    if num_points == len(list_of_point):
                        records = enlarged(records, 0)
                        list_of_point, place_of_point = enlarged(list_of_point, 0), enlarged(place_of_point, 0)
                    records[RECORD * point] = owner
                    records[RECORD * point + 1] = own_word
                    records[RECORD * point + 2] = own_bits
                    list_of_point[point] = 0
                    num_points += 1
                    if 2 * num_points > len(slots):
                        slots = doubled_slots(slots)

                if kind == IS_TRUE:
                    true_points[attribute] = point
                elif is_list and list_of_point[point] == num_lists:
                    operand_point[operand] = NONE
                    if len(weights) > 0:
                        place = place_of_point[point]
                        weights[place] = max(weights[place], weights[operand])
                else:
                    operand_point[operand] = point
                    list_of_point[point] = num_lists
                    place_of_point[point] = operand
    return num_points, records
