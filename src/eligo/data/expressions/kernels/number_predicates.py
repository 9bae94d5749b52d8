"""Which predicates and literals are the same? Each distinct one gets a number, in the order of first use.

A predicate is what hits it, not how it is written: `a = 1`, `a in (1)` and `a in (1, 1)` are one. It is kept as its
owner (attribute and class) and its points, each with a weight:

    class            points                        weights
    IN               members, ascending            of each       also =, !=, bare names, members of `contains all`
    LESS …           the bound                     one
    BETWEEN          both bounds; none if no       on each       nothing hits it then, so its weight is dropped
                     value lies between them
    STARTS_WITH      the prefix                    one
    UNDER            nodes, ascending              of each       of no nodes it is IN of no members
    EXISTS           none
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.kernels.forms import Forms, NormalForms
from eligo.data.expressions.kernels.normal_form import HOLDS_WHEN_MISSING
from eligo.data.expressions.kernels.number_points import NO_POINT
from eligo.data.expressions.kernels.points import KIND_BITS, KIND_MASK, Operands, Points, Texts
from eligo.data.expressions.kernels.sort_points import sort_points
from eligo.data.kernels.vocabulary_lookup import compare_bytes
from eligo.kernels.codes import (
    BETWEEN,
    CONTAINS_ALL,
    EQUALS,
    EXISTS,
    IN,
    IS_MISSING,
    IS_TRUE,
    LITERAL,
    NOT_BETWEEN,
    NOT_EQUALS,
    STRING,
    UNDER,
)
from eligo.kernels.compiled import compiled_form_of, kernel, part
from eligo.kernels.hashing import i64, mix, u64
from eligo.kernels.interning import (
    EMPTY,
    Bytes,
    Places,
    Slots,
    doubled_slots,
    enlarged,
    number_in,
    slot_content,
    tag_of,
)
from eligo.language.text.kernels.postfix_columns import Postfix

HEAD = 2
"""Words of a predicate's record before those of its points."""
NUM_FLAGS = 4
"""Literals that a predicate can have: positive or not, holding when missing or not."""
ONE_BITS = 0x3FF0000000000000
"""The bits of the weight 1.0."""

PointNumbers = npt.NDArray[np.uint32]


class LiteralRoom(NamedTuple):
    """Where distinct predicates and literals are written; there is room for some to begin with."""

    slots: Slots
    """An empty table; a slot will hold where a predicate's record begins."""
    starts: Places
    """For each predicate: where its record begins."""
    records: Slots
    """A predicate's owner, its number beside the number of its points, and for each point the point and the bits of its
    weight: side by side because each is a cache miss apart."""
    literal_of: PointNumbers
    """For each predicate and each of its NUM_FLAGS flags: the literal, or NONE."""
    predicate_of: PointNumbers
    """For each literal: its predicate."""
    flags_of: Bytes
    """For each literal: its flags."""
    own_points: PointNumbers
    """The points of one predicate."""
    own_bits: Slots
    """The bits of their weights."""


@part
def predicate_class(kind: int, flags: int, is_member: bool, count: int) -> int:
    """The class of the predicate of a literal whose source has this kind; the predicate has `count` points."""
    if kind == EXISTS or kind == IS_MISSING:
        return EXISTS
    if kind == CONTAINS_ALL and not is_member and flags & HOLDS_WHEN_MISSING != 0:
        return EXISTS  # `not a contains all ()`, which only a missing attribute satisfies
    if kind == EQUALS or kind == NOT_EQUALS or kind == IS_TRUE or IN <= kind <= CONTAINS_ALL:
        return IN
    if kind == UNDER and count == 0:
        return IN
    return BETWEEN if kind == NOT_BETWEEN else kind


@part
def is_above(
    left: int,
    right: int,
    owners: Slots,
    highs: Places,
    lows: npt.NDArray[np.float64],
    string_offsets: Places,
    string_bytes: Bytes,
) -> bool:
    """Whether the left one of two points of one kind has the larger value."""
    one, other = highs[left], highs[right]
    if i64(owners[left]) & KIND_MASK == STRING:
        first, last, begin, end = string_offsets[one], string_offsets[one + 1], string_offsets[other], other + 1
        return compare_bytes(string_bytes, first, last, string_bytes, begin, string_offsets[end]) > 0
    if one != other:
        return bool(one > other)
    return bool(lows[left] > lows[right])


@part
def gather_points(
    kind: int,
    member: int,
    first: int,
    count: int,
    operand_point: PointNumbers,
    weight_bits: Slots,
    point_owners: Slots,
    highs: Places,
    lows: npt.NDArray[np.float64],
    string_offsets: Places,
    string_bytes: Bytes,
    true_points: PointNumbers,
    attribute: int,
    own_points: PointNumbers,
    own_bits: Slots,
) -> int:
    """Write the points of a predicate, whose operands begin at `first`, with their weights; how many there are."""
    if count == 1:  # most are such
        own_points[0], own_bits[0] = operand_point[first], weight_bits[first]
        return 1
    if kind == IS_TRUE:
        own_points[0], own_bits[0] = true_points[attribute], ONE_BITS
        return 1
    if member != NO_POINT:
        own_points[0] = operand_point[member]
        own_bits[0] = weight_bits[member]
        return 1
    if kind == BETWEEN or kind == NOT_BETWEEN:
        low, high = i64(operand_point[first]), i64(operand_point[first + 1])
        if is_above(low, high, point_owners, highs, lows, string_offsets, string_bytes):
            return 0
        own_points[0] = low
        own_points[1] = high
        own_bits[0] = own_bits[1] = weight_bits[first + 1]
        return 2
    num_own = 0
    for operand in range(first, first + count):
        if operand_point[operand] != NO_POINT:
            own_points[num_own] = operand_point[operand]
            own_bits[num_own] = weight_bits[operand]
            num_own += 1
    if num_own > 1:
        sort_points(own_points, own_bits, 0, num_own)
    return num_own


def predicate_code(owner: int, points: Any, bits: Any, count: int, seed: int) -> int:
    """The hash of the predicate (owner, points[:count], bits[:count])."""
    return hash((seed, owner, *points[:count], *bits[:count]))


@compiled_form_of(predicate_code)
def _compiled_predicate_code(owner: Any, points: Any, bits: Any, count: Any, seed: Any) -> Any:
    code = mix(u64(seed) ^ u64(owner))
    for place in range(count):
        code = mix(code ^ u64(points[place]) ^ u64(bits[place]))
    return code


@part
def find_predicate_slot(
    slots: Slots, records: Slots, tag: int, owner: int, points: PointNumbers, bits: Slots, count: int
) -> int:
    """The slot of the predicate (owner, points[:count], bits[:count]), or the empty one to put it in."""
    one, half, mask = u64(1), u64(32), u64(len(slots) - 1)
    slot: int = tag & mask
    while slots[slot] != EMPTY:
        if slots[slot] >> half == tag:
            start = number_in(slots[slot])
            is_same = records[start] == owner and number_in(records[start + 1]) == count
            place = 0
            while is_same and place < count:
                word = start + HEAD + 2 * place
                is_same = records[word] == points[place] and records[word + 1] == bits[place]
                place += 1
            if is_same:
                break
        slot = (slot + one) & mask
    return slot


@part
def write_record(
    records: Slots, start: int, owner: int, predicate: int, points: PointNumbers, bits: Slots, count: int
) -> None:
    """Write a predicate's record, from `start` on."""
    records[start] = owner
    records[start + 1] = slot_content(predicate, count)
    for place in range(count):
        records[start + HEAD + 2 * place] = points[place]
        records[start + HEAD + 2 * place + 1] = bits[place]


@kernel
def number_literals(
    postfix: Postfix,
    operand_offsets: Places,
    rows: Places,
    forms: Forms,
    nodes: NormalForms,
    operands: Operands,
    points: Points,
    strings: Texts,
    seed: int,
    room: LiteralRoom,
    node_literal: PointNumbers,
) -> tuple[int, Places, Slots, int, PointNumbers, Bytes]:
    """Number the literals of normal forms and their predicates; write each node's literal, NONE where it has none.

    Gives the number of predicates, where the record of each begins, the records, the number of literals, their
    predicates and flags; all with room to spare. Fields are taken out of their tuples first: to do so in the loop
    costs more than what it does.
    """
    source_kind, source_count, first_operands = postfix.node_kind, postfix.node_count, postfix.node_first_operand
    form_flags, form_source, form_member = forms.flags, forms.source, forms.member
    expression_offsets, node_kind, node_form = nodes.expression_offsets, nodes.node_kind, nodes.node_form
    node_attribute, operand_point, true_points = operands.node_attribute, operands.operand_point, operands.true_points
    weight_bits, owners, highs, lows = operands.weight_bits, points.owners, points.highs, points.lows
    text_offsets, text_bytes = strings.offsets, strings.data
    slots, starts, records, literal_of = room.slots, room.starts, room.records, room.literal_of
    predicate_of, flags_of, own_points, own_bits = room.predicate_of, room.flags_of, room.own_points, room.own_bits
    num_predicates = num_literals = end = 0
    for index in range(len(rows)):
        first_operand = operand_offsets[rows[index]]
        for node in range(i64(expression_offsets[index]), i64(expression_offsets[index + 1])):
            if node_kind[node] != LITERAL:
                node_literal[node] = NO_POINT
                continue
            form = node_form[node]
            source, member, flags = form_source[form], i64(form_member[form]), i64(form_flags[form])
            kind, attribute = i64(source_kind[source]), i64(node_attribute[source])
            first, count = first_operand + first_operands[source], i64(source_count[source])
            count = gather_points(
                kind, member, first, count, operand_point, weight_bits, owners, highs, lows,
                text_offsets, text_bytes, true_points, attribute, own_points, own_bits,
            )  # fmt: skip
            owner = (u64(attribute) << u64(KIND_BITS)) | u64(predicate_class(kind, flags, member != NO_POINT, count))
            tag = tag_of(predicate_code(owner, own_points, own_bits, count, seed))
            slot = find_predicate_slot(slots, records, tag, owner, own_points, own_bits, count)
            predicate = num_predicates
            if slots[slot] != EMPTY:
                predicate = i64(records[number_in(slots[slot]) + 1] >> u64(32))
            else:
                slots[slot] = slot_content(tag, end)
                if num_predicates == len(starts):
                    starts, literal_of = enlarged(starts, 0), enlarged(literal_of, 0)
                if end + HEAD + 2 * count > len(records):
                    records = enlarged(records, end + HEAD + 2 * count)
                starts[predicate] = end
                write_record(records, end, owner, predicate, own_points, own_bits, count)
                for flag in range(NUM_FLAGS):
                    literal_of[NUM_FLAGS * predicate + flag] = NO_POINT
                end += HEAD + 2 * count
                num_predicates += 1
                if 2 * num_predicates > len(slots):
                    slots = doubled_slots(slots)
            # The literal: a predicate has at most one for each combination of flags.
            place = NUM_FLAGS * predicate + flags
            if literal_of[place] == NO_POINT:
                if num_literals == len(predicate_of):
                    predicate_of, flags_of = enlarged(predicate_of, 0), enlarged(flags_of, 0)
                predicate_of[num_literals], flags_of[num_literals] = predicate, flags
                literal_of[place] = num_literals
                num_literals += 1
            node_literal[node] = literal_of[place]
    return num_predicates, starts, records, num_literals, predicate_of, flags_of
