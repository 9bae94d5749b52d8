"""Is an expression true, by nothing but the Dewey ids of its leaves that are? Fontoura 2010, Algorithms 1 to 3.

The ids come in order, so they lead through the tree as a walk would, and the part of the tree that they tell of is the
way to the current leaf: one level for each node on it, AND and OR by turns. The paper calls EVALUATEAND and EVALUATEOR
for each; here the levels are a stack. When the next id leaves a node, its value goes up to its parent.

    1*.1.1   1*.3.1   1*.3.2   1*.3.3*           level 0  AND  root     1st child, the last one
       AND 1*.1 is left: 1 was not the last      level 1  OR   1*       false until a child is true
       AND 1*.3: 1, 2, 3* all there: true        level 2  AND  1*.3     children so far 3, the last one seen

An AND is false as soon as a child is left out, and what follows below it is passed over (the paper's early exit); an OR
is true with the first child that is, and what follows below it is passed over too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.engines.fontoura.kernels.dewey_labels import (
    ONE,
    WORD,
    DeweyLabels,
    bits_from,
    component,
    label_end,
    label_place,
    label_size,
    word_at,
)
from eligo.kernels.bits import leading_zeros
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Int64s, Integer, UInt32s

LABELS, SKIPPED, TOUCHED = range(3)
"""Places in the counts of an evaluation: labels that were walked to, or passed over; expressions with a true leaf."""


class Levels(NamedTuple):
    """The way to the current leaf: an element for each node on it, the root first."""

    ends: npt.NDArray[np.uint64]
    """The bit behind the node's own label."""
    holds: npt.NDArray[np.uint8]
    """What its children say so far: 1 when none of an AND's is false, or one of an OR's is true."""
    explored: npt.NDArray[np.uint64]
    """The children of an AND that were met: the paper's lastExplored."""
    has_last: npt.NDArray[np.uint8]
    """Whether the child of an AND that was met last is the marked one."""


def new_levels(depth: Integer) -> Levels:
    """Room for labels of so many components."""
    room = depth + 1
    return Levels(
        np.zeros(room, np.uint64), np.zeros(room, np.uint8), np.zeros(room, np.uint64), np.zeros(room, np.uint8)
    )


@hot_loop
def _first_difference(one: Integer, one_size: Integer, other: Integer, other_size: Integer, labels: DeweyLabels) -> Any:
    """The first bit in which two labels differ."""
    size = min(one_size, other_size)
    word = np.uint64(0)
    while word < size:
        difference = word_at(one + word, labels) ^ word_at(other + word, labels)
        if difference != 0:
            return WORD * word + leading_zeros(difference)
        word += ONE
    return WORD * size


@hot_loop
def _leave(level: Integer, levels: Levels) -> None:
    """Tell the parent of the node at a level what the node has come to."""
    if level % 2 == 0:
        if levels.holds[level] & levels.has_last[level]:
            levels.holds[level - 1] = 1
    elif levels.holds[level] == 0:
        levels.holds[level - 1] = 0


@hot_loop
def is_satisfied(
    true_leaves: UInt32s,
    first: Integer,
    last: Integer,
    labels: DeweyLabels,
    levels: Levels,
    counts: Int64s,
) -> bool:
    """Whether an expression is true of which the leaves `true_leaves[first:last]` are, in the order of their labels."""
    level = 0
    levels.ends[0], levels.holds[0], levels.explored[0], levels.has_last[0] = 0, 1, 0, 0
    known, known_size = np.uint64(0), np.uint64(0)  # the label that the levels come from
    num_skipped = 0
    for number in range(first, last):
        leaf = np.uint64(true_leaves[number])
        place, size = label_place(leaf, labels), label_size(leaf, labels)
        if number > first:
            difference = _first_difference(known, known_size, place, size, labels)
            while levels.ends[level] > difference:
                _leave(level, levels)
                level -= 1
        # An AND that is false already, or an OR that is true already, stays so.
        if levels.holds[level] == level % 2:
            num_skipped += 1
            if level == 0:
                num_skipped += last - number - 1
                break
            continue
        known, known_size = place, size
        end = label_end(place, size, labels)
        at = np.uint64(levels.ends[level])
        while at < end:
            child, used = component(bits_from(at, place, size, labels))
            at += used
            if level % 2 == 0:
                levels.explored[level] += ONE
                levels.has_last[level] = np.uint8(bits_from(at, place, size, labels) >> np.uint64(63))
                at += ONE
                if child != levels.explored[level]:
                    levels.holds[level] = 0  # a child was left out
                    break
            elif at == end:
                levels.holds[level] = 1
            if at < end:
                level += 1
                levels.ends[level], levels.explored[level], levels.has_last[level] = at, 0, 0
                levels.holds[level] = 1 if level % 2 == 0 else 0
    while level > 0:
        _leave(level, levels)
        level -= 1
    counts[LABELS] += last - first - num_skipped
    counts[SKIPPED] += num_skipped
    return bool(levels.holds[0] & levels.has_last[0])


@hot_loop
def evaluate(
    true_leaves: UInt32s,
    true_offsets: Int64s,
    num_events: Integer,
    expression_of_leaf: UInt32s,
    labels: DeweyLabels,
    levels: Levels,
    lengths: Int64s,
    positions: UInt32s,
    counts: Int64s,
) -> int:
    """Write the expressions that events satisfy, and how many each does; `true_offsets` parts leaves by event."""
    count = 0
    for event in range(num_events):
        start = count
        first, end = true_offsets[event], true_offsets[event + 1]
        while first < end:
            expression = expression_of_leaf[true_leaves[first]]
            last = first + 1
            while last < end and expression_of_leaf[true_leaves[last]] == expression:
                last += 1
            counts[TOUCHED] += 1
            if is_satisfied(true_leaves, first, last, labels, levels, counts):
                positions[count] = expression
                count += 1
            first = last
        lengths[event] = count - start
    return count
