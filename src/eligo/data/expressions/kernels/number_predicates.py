"""Which predicates and literals are the same? Each distinct one gets a number, in the order of first use.

A predicate is what hits it, not how it is written: `a = 1`, `a in (1)` and `a in (1, 1)` are one. It is kept as its
owner (attribute and class) and its points, each with a weight:

    class            points                        weights
    IN               members, ascending            of each       also =, !=, bare names, members of `contains all`
    LESS …           the bound                     one
    BETWEEN          both bounds; none if no       on each       nothing hits it then, so its weight is dropped
                     value lies between them
    STARTS_WITH      the prefix                    one
    UNDER            the node                      one
    EXISTS           none
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from eligo.data.expressions.kernels.normal_form import HOLDS_WHEN_MISSING
from eligo.data.expressions.kernels.number_points import KIND_BITS
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
)
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE, mix, u64
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

KIND_MASK = (1 << KIND_BITS) - 1
HEAD = 2
"""Words of a predicate's record before those of its points."""
NUM_FLAGS = 4
"""Literals that a predicate can have: positive or not, holding when missing or not."""
FEW = 24
"""Up to so many points are sorted by insertion."""


@register_jitable
def predicate_class(kind: int, flags: int, is_member: bool) -> int:
    """The class of the predicate of a literal whose source has this kind."""
    if kind == EXISTS or kind == IS_MISSING:
        return EXISTS
    if kind == CONTAINS_ALL and not is_member and flags & HOLDS_WHEN_MISSING != 0:
        return EXISTS  # `not a contains all ()`, which only a missing attribute satisfies
    if kind == EQUALS or kind == NOT_EQUALS or kind == IS_TRUE or IN <= kind <= CONTAINS_ALL:
        return IN
    return BETWEEN if kind == NOT_BETWEEN else kind


@kernel
def sort_points(points: Any, weights: Any, first: int, last: int) -> None:
    """Sort points[first:last], ascending, with their weights: by insertion where they are few, else by a heap."""
    if last - first > FEW:
        for root in range((last - first) // 2 - 1, -1, -1):
            sift_down(points, weights, first, root, last - first)
        for end in range(last - first - 1, 0, -1):
            points[first], points[first + end] = points[first + end], points[first]
            weights[first], weights[first + end] = weights[first + end], weights[first]
            sift_down(points, weights, first, 0, end)
        return
    for place in range(first + 1, last):
        point, weight = points[place], weights[place]
        while place > first and points[place - 1] > point:
            points[place] = points[place - 1]
            weights[place] = weights[place - 1]
            place -= 1
        points[place] = point
        weights[place] = weight


@kernel
def sift_down(points: Any, weights: Any, first: int, root: int, count: int) -> None:
    """Let the root of a heap of `count` points from `first` on sink to its place."""
    point, weight = points[first + root], weights[first + root]
    child = 2 * root + 1
    while child < count:
        if child + 1 < count and points[first + child] < points[first + child + 1]:
            child += 1
        if points[first + child] <= point:
            break
        points[first + root] = points[first + child]
        weights[first + root] = weights[first + child]
        root = child
        child = 2 * root + 1
    points[first + root] = point
    weights[first + root] = weight


@kernel
def is_above(left: int, right: int, owners: Any, highs: Any, lows: Any, string_offsets: Any, string_bytes: Any) -> bool:
    """Whether the left one of two points of one kind has the larger value."""
    if np.int64(owners[left]) & KIND_MASK == STRING:
        one, other = highs[left], highs[right]
        return (
            compare_bytes(
                string_bytes,
                string_offsets[one],
                string_offsets[one + 1],
                string_bytes,
                string_offsets[other],
                string_offsets[other + 1],
            )
            > 0
        )
    if highs[left] != highs[right]:
        return bool(highs[left] > highs[right])
    return bool(lows[left] > lows[right])


@kernel
def gather_points(
    kind: int,
    member: Any,
    first: int,
    count: int,
    operand_point: Any,
    operand_weight: Any,
    point_owners: Any,
    highs: Any,
    lows: Any,
    string_offsets: Any,
    string_bytes: Any,
    own_points: Any,
    own_weights: Any,
) -> int:
    """Write the points of a predicate, whose operands begin at `first`, with their weights; how many there are."""
    if member != NONE:
        own_points[0] = operand_point[member]
        own_weights[0] = operand_weight[member]
        return 1
    if kind == BETWEEN or kind == NOT_BETWEEN:
        low, high = np.int64(operand_point[first]), np.int64(operand_point[first + 1])
        if is_above(low, high, point_owners, highs, lows, string_offsets, string_bytes):
            return 0
        own_points[0] = low
        own_points[1] = high
        own_weights[0] = own_weights[1] = operand_weight[first + 1]
        return 2
    num_own = 0
    for operand in range(first, first + count):
        if operand_point[operand] != NONE:
            own_points[num_own] = operand_point[operand]
            own_weights[num_own] = operand_weight[operand]
            num_own += 1
    if num_own > 1:
        sort_points(own_points, own_weights, 0, num_own)
    return num_own


@kernel
def find_predicate_slot(slots: Any, records: Any, tag: Any, owner: Any, points: Any, weights: Any, count: int) -> Any:
    """The slot of the predicate (owner, points[:count], weights[:count] as bits), or the empty one to put it in."""
    mask = np.uint64(len(slots) - 1)
    slot = tag & mask
    while slots[slot] != EMPTY:
        if slots[slot] >> HALF == tag:
            start = number_in(slots[slot])
            is_same = records[start] == owner and number_in(records[start + 1]) == count
            place = 0
            while is_same and place < count:
                word = start + HEAD + 2 * place
                is_same = records[word] == points[place] and records[word + 1] == weights[place]
                place += 1
            if is_same:
                break
        slot = (slot + ONE) & mask
    return slot


@kernel
def number_literals(
    postfix: Any,
    operand_offsets: Any,
    rows: Any,
    forms: Any,
    nodes: Any,
    operands: Any,
    points: Any,
    strings: Any,
    most_points: int,
    seed: int,
    node_literal: Any,
) -> Any:
    """Number the literals of normal forms and their predicates; write each node's literal, NONE where it has none.

    `forms` and `nodes` are the `Forms` and `NormalForms` of `bulk_forms`; `operands`, `points` and `strings` are
    of `bulk_operands`; no predicate has more than `most_points`. Gives the number of predicates, where the record
    of each begins, the records, the number of literals, their predicates and flags; all with room to spare.

    A record is the predicate's owner, its number beside the number of its points, and for each point the point and the
    bits of its weight: side by side because each is a cache miss apart. A slot holds where the record begins.
    """
    source_kind, source_count, first_operands = postfix.node_kind, postfix.node_count, postfix.node_first_operand
    form_flags, form_source, form_member = forms.flags, forms.source, forms.member
    expression_offsets, node_kind, node_form = nodes.expression_offsets, nodes.node_kind, nodes.node_form
    node_attribute, operand_point, true_points = operands.node_attribute, operands.operand_point, operands.true_points
    operand_weight = operands.operand_weight
    point_owners, highs, lows = points.owners, points.highs, points.lows
    string_offsets, string_bytes = strings.offsets, strings.data

    slots = new_slots()
    starts, records = np.empty(ROOM, np.int64), np.empty(ROOM, np.uint64)
    literal_of = np.empty(NUM_FLAGS * ROOM, np.uint32)
    literal_predicate, literal_flags = np.empty(ROOM, np.uint32), np.empty(ROOM, np.uint8)
    own_points, own_weights = np.empty(most_points, np.uint32), np.empty(most_points, np.float64)
    own_bits = own_weights.view(np.uint64)
    num_predicates = num_literals = end = 0
    for index in range(len(rows)):
        first_operand = operand_offsets[rows[index]]
        for node in range(expression_offsets[index], expression_offsets[index + 1]):
            if node_kind[node] != LITERAL:
                node_literal[node] = NONE
                continue
            form = node_form[node]
            source, member, flags = form_source[form], form_member[form], np.int64(form_flags[form])
            kind = np.int64(source_kind[source])
            attribute = np.int64(node_attribute[source])
            first = first_operand + first_operands[source]
            count = np.int64(source_count[source])
            if count == 1:
                own_points[0] = operand_point[first]
                own_weights[0] = operand_weight[first]
                num_own = 1
            elif kind == IS_TRUE:
                own_points[0] = true_points[attribute]
                own_weights[0] = 1.0
                num_own = 1
            else:
                num_own = gather_points(
                    kind,
                    member,
                    first,
                    count,
                    operand_point,
                    operand_weight,
                    point_owners,
                    highs,
                    lows,
                    string_offsets,
                    string_bytes,
                    own_points,
                    own_weights,
                )
            own_class = predicate_class(kind, flags, member != NONE)
            owner = (np.uint64(attribute) << np.uint64(KIND_BITS)) | np.uint64(own_class)
            code = mix(u64(seed) ^ u64(owner))
            for place in range(num_own):
                code = mix(code ^ u64(own_points[place]) ^ u64(own_bits[place]))
            tag = tag_of(code)
            slot = find_predicate_slot(slots, records, tag, owner, own_points, own_bits, num_own)
            if slots[slot] != EMPTY:
                predicate = np.int64(records[number_in(slots[slot]) + 1] >> HALF)
            else:
                predicate = num_predicates
                slots[slot] = slot_content(tag, end)
                if num_predicates == len(starts):
                    starts, literal_of = enlarged(starts, 0), enlarged(literal_of, 0)
                if end + HEAD + 2 * num_own > len(records):
                    records = enlarged(records, end + HEAD + 2 * num_own)
                starts[predicate] = end
                records[end] = owner
                records[end + 1] = slot_content(np.uint64(predicate), num_own)
                for place in range(num_own):
                    records[end + HEAD + 2 * place] = own_points[place]
                    records[end + HEAD + 2 * place + 1] = own_bits[place]
                for place in range(NUM_FLAGS):
                    literal_of[NUM_FLAGS * predicate + place] = NONE
                end += HEAD + 2 * num_own
                num_predicates += 1
                if 2 * num_predicates > len(slots):
                    slots = doubled_slots(slots)

            place = NUM_FLAGS * predicate + flags
            if literal_of[place] == NONE:
                if num_literals == len(literal_predicate):
                    literal_predicate, literal_flags = enlarged(literal_predicate, 0), enlarged(literal_flags, 0)
                literal_predicate[num_literals] = predicate
                literal_flags[num_literals] = flags
                literal_of[place] = num_literals
                num_literals += 1
            node_literal[node] = literal_of[place]
    return num_predicates, starts, records, num_literals, literal_predicate, literal_flags
