"""How does one expression become a decision diagram? Its nodes from the leaves up, two diagrams joined at a time.

A diagram is a row of decisions: each asks for one fact, and goes on low when it is false and high when it is true, to a
decision on a later level or to one of the ends, 0 (false) and 1 (true). It is *ordered*, for levels only grow on the
way down, and *reduced*: no decision has low equal to high, and no two are equal. So equal functions have one diagram.

    (P1 or P2) and P3      2: P3 0 1      3: P2 0 2      4: P1 3 2        P1 ──high──▶ P3 ──high──▶ 1
                                                                           └─low─▶ P2 ─high┘

The workshop below is for one expression at a time. Levels are places among the expression's own facts. Decisions are
found by content in a table of slots, joins that were made are remembered in another one; both are emptied by counting
on their epoch. Nothing recurses: a join in the middle of others waits on a stack.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import hash_words, mix, u64
from eligo.kernels.parameter_types import Int64s, Integer

FALSE_END, TRUE_END = 0, 1
NO_LEVEL = np.uint32(0xFFFFFFFF)
"""The level of both ends, below all others."""
TOO_LARGE = -1
"""In place of a diagram that has more decisions than it may."""
STEPS_PER_DECISION = 4
"""Joins of two decisions that may be made for one expression, as a multiple of the decisions that it may have."""
NUM_DECISIONS, NUM_STEPS, MOST_DECISIONS, SLOT_MASK, MEMO_MASK, EPOCH = range(6)
"""Places in `Workshop.state`."""


class Workshop(NamedTuple):
    """The diagrams of one expression while it is made."""

    level: npt.NDArray[np.uint32]
    """For each decision: its level, which is the place of its fact. The two ends stand first."""
    low: npt.NDArray[np.uint32]
    """For each decision: where to go on when its fact is false."""
    high: npt.NDArray[np.uint32]
    """For each decision: where to go on when it is true."""
    slot_decision: npt.NDArray[np.uint32]
    """Decisions by content: the decision in each slot."""
    slot_epoch: npt.NDArray[np.uint32]
    """For each slot: the epoch in which it was taken."""
    memo_pair: npt.NDArray[np.uint64]
    """Joins that were made: the two diagrams in each slot."""
    memo_result: npt.NDArray[np.uint32]
    """For each slot: the diagram that they gave."""
    memo_epoch: npt.NDArray[np.uint32]
    """For each slot: twice the epoch in which it was taken, and 1 more for an AND."""
    stack: npt.NDArray[np.uint32]
    """Joins that wait: two diagrams, their level and the low result, four numbers for each."""
    state: npt.NDArray[np.int64]
    """Decisions made and steps taken in this epoch, with the bounds on them; see NUM_DECISIONS and so on."""


def new_workshop(most_decisions: int, most_levels: int) -> Workshop:
    """A workshop for expressions with so many decisions and different facts at most."""
    num_slots = 1 << (2 * most_decisions + 2).bit_length()
    num_memos = 1 << (2 * STEPS_PER_DECISION * most_decisions + 2).bit_length()
    room = most_decisions + 2
    return Workshop(
        level=np.full(room, NO_LEVEL, np.uint32),
        low=np.zeros(room, np.uint32),
        high=np.zeros(room, np.uint32),
        slot_decision=np.zeros(num_slots, np.uint32),
        slot_epoch=np.zeros(num_slots, np.uint32),
        memo_pair=np.zeros(num_memos, np.uint64),
        memo_result=np.zeros(num_memos, np.uint32),
        memo_epoch=np.zeros(num_memos, np.uint32),
        stack=np.zeros(4 * (most_levels + 2), np.uint32),
        state=np.zeros(6, np.int64),
    )


@kernel
def begin(most_decisions: Integer, shop: Workshop) -> None:
    """Empty the workshop for an expression that may have so many decisions."""
    state = shop.state
    state[NUM_DECISIONS], state[NUM_STEPS], state[MOST_DECISIONS] = 2, 0, most_decisions + 2
    state[EPOCH] += 1
    # Few decisions use few slots, which then stay in the caches.
    slots, memos = 4, 4
    while slots < 2 * (most_decisions + 2):
        slots *= 2
    while memos < 2 * STEPS_PER_DECISION * most_decisions + 4:
        memos *= 2
    state[SLOT_MASK], state[MEMO_MASK] = slots - 1, memos - 1


@kernel
def decide(level: Integer, low: Integer, high: Integer, shop: Workshop) -> Any:
    """The decision with this content, which may be none; TOO_LARGE if there is no room for a new one."""
    if low == high:
        return np.int64(low)
    state = shop.state
    mask = u64(state[SLOT_MASK])
    slot = hash_words(level, low, high, 0) & mask
    while shop.slot_epoch[slot] == state[EPOCH]:
        known = np.int64(shop.slot_decision[slot])
        if shop.level[known] == level and shop.low[known] == low and shop.high[known] == high:
            return known
        slot = (slot + u64(1)) & mask
    new = state[NUM_DECISIONS]
    if new == state[MOST_DECISIONS]:
        return np.int64(TOO_LARGE)
    shop.level[new], shop.low[new], shop.high[new] = level, low, high
    shop.slot_epoch[slot], shop.slot_decision[slot] = state[EPOCH], new
    state[NUM_DECISIONS] += 1
    return np.int64(new)


@kernel
def _simple(is_and: bool, one: Integer, other: Integer) -> Any:
    """What a join gives without looking into the diagrams, or -1."""
    if one == other:
        return np.int64(one)
    decided, idle = (FALSE_END, TRUE_END) if is_and else (TRUE_END, FALSE_END)
    if one == decided or other == decided:
        return np.int64(decided)
    if one == idle:
        return np.int64(other)
    return np.int64(one) if other == idle else np.int64(-1)


@kernel
def _memo_slot(pair: np.uint64, stamp: Integer, shop: Workshop) -> Any:
    """The slot of a join, which is taken in this epoch or free."""
    mask = u64(shop.state[MEMO_MASK])
    slot = mix(u64(pair) ^ u64(stamp)) & mask
    epoch = stamp >> 1
    while shop.memo_epoch[slot] >> 1 == epoch:
        if shop.memo_epoch[slot] == stamp and shop.memo_pair[slot] == pair:
            break
        slot = (slot + u64(1)) & mask
    return slot


@kernel
def join(is_and: bool, one: Integer, other: Integer, shop: Workshop) -> Any:
    """The diagram of an AND, or of an OR, of two diagrams; TOO_LARGE if it takes too many decisions or steps."""
    stack, state, level = shop.stack, shop.state, shop.level
    stamp = np.int64(2 * state[EPOCH] + (1 if is_and else 0))
    most_steps = STEPS_PER_DECISION * state[MOST_DECISIONS]
    top = 0
    is_going_down = True
    result = np.int64(0)
    while True:
        if is_going_down:
            result = _simple(is_and, one, other)
            if result < 0:
                if one > other:
                    one, other = other, one
                pair = (np.uint64(one) << np.uint64(32)) | np.uint64(other)
                slot = _memo_slot(pair, stamp, shop)
                if shop.memo_epoch[slot] == stamp:
                    result = np.int64(shop.memo_result[slot])
            if result < 0:
                state[NUM_STEPS] += 1
                if state[NUM_STEPS] > most_steps:
                    return np.int64(TOO_LARGE)
                own = min(level[one], level[other])
                stack[top], stack[top + 1], stack[top + 2], stack[top + 3] = one, other, own, NO_LEVEL
                top += 4
                one = np.int64(shop.low[one]) if level[one] == own else np.int64(one)
                other = np.int64(shop.low[other]) if level[other] == own else np.int64(other)
                continue
        if top == 0:
            return result
        # A result belongs to the join that waits on top: first to its low side, then to its high side.
        first, second, own = np.int64(stack[top - 4]), np.int64(stack[top - 3]), stack[top - 2]
        if stack[top - 1] == NO_LEVEL:
            stack[top - 1] = result
            one = np.int64(shop.high[first]) if level[first] == own else first
            other = np.int64(shop.high[second]) if level[second] == own else second
            is_going_down = True
            continue
        result = decide(own, np.int64(stack[top - 1]), result, shop)
        if result < 0:
            return result
        pair = (np.uint64(first) << np.uint64(32)) | np.uint64(second)
        slot = _memo_slot(pair, stamp, shop)
        shop.memo_pair[slot], shop.memo_result[slot], shop.memo_epoch[slot] = pair, result, stamp
        top -= 4
        is_going_down = False


@kernel
def join_all(is_and: bool, operands: Int64s, count: Integer, shop: Workshop) -> Any:
    """The diagram of an AND, or of an OR, of the first so many diagrams, which are put into another order.

    From the lowest level up, so that most joins put one decision on top of what there is.
    """
    if count > 24:
        order = np.argsort(shop.level[operands[:count]])[::-1]
        operands[:count] = operands[:count][order]
    else:
        for place in range(1, count):
            operand = operands[place]
            before = place - 1
            while before >= 0 and shop.level[operands[before]] < shop.level[operand]:
                operands[before + 1] = operands[before]
                before -= 1
            operands[before + 1] = operand
    result = np.int64(TRUE_END if is_and else FALSE_END)
    for place in range(count):
        result = join(is_and, result, operands[place], shop)
        if result < 0:
            break
    return result
