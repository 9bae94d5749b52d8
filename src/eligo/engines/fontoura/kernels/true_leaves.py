"""Which leaves are true, and in which order? Those of the conjunctions that matched, sorted by radix.

Leaves are numbered by expression and, within one, by label. So the number of a leaf is all that has to be sorted: in
digits of 8 or 11 bits, the lowest first, each digit by counting. Few are sorted by insertion.

    conjunctions 1 and 4 matched     4: 0 7     1: 2     true leaves  0 7 2  →  0 2 7
"""

from __future__ import annotations

import numpy as np

from eligo.engines.fontoura.kernels.annotations import Annotations
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Int64s, Integer, UInt32s, UInt64s

FEW_LEAVES = 32
"""True leaves of an event that are sorted by insertion, at most."""
SMALL_DIGIT, LARGE_DIGIT = 8, 11
"""Bits of a digit for few and for many leaves."""
MANY_LEAVES = 2_048
"""True leaves of an event from which large digits pay."""


@hot_loop
def count_true_leaves(
    offsets: UInt64s, conjunctions: UInt32s, annotations: Annotations,
    true_offsets: Int64s,
) -> None:  # fmt: skip
    """Write where the true leaves of each event begin, if those of all stand one after another."""
    count = np.int64(0)
    true_offsets[0] = 0
    for event in range(len(offsets) - 1):
        for place in range(offsets[event], offsets[event + 1]):
            conjunction = np.int64(conjunctions[place])
            count += np.int64(annotations.leaf_offsets[conjunction + 1])
            count -= np.int64(annotations.leaf_offsets[conjunction])
        true_offsets[event + 1] = count


@hot_loop
def gather_true_leaves(
    first: Integer,
    last: Integer,
    offsets: UInt64s,
    conjunctions: UInt32s,
    annotations: Annotations,
    true_leaves: UInt32s,
) -> None:
    """Write the leaves of all conjunctions that matched the events from `first` to before `last`."""
    count = np.uint64(0)
    for place in range(offsets[first], offsets[last]):
        conjunction = np.uint64(conjunctions[place])
        for at in range(annotations.leaf_offsets[conjunction], annotations.leaf_offsets[conjunction + np.uint64(1)]):
            true_leaves[count] = annotations.leaves[at]
            count += np.uint64(1)


@hot_loop
def _insert(true_leaves: UInt32s, first: Integer, last: Integer) -> None:
    for place in range(first + 1, last):
        leaf = true_leaves[place]
        before = place - 1
        while before >= first and true_leaves[before] > leaf:
            true_leaves[before + 1] = true_leaves[before]
            before -= 1
        true_leaves[before + 1] = leaf


@hot_loop
def _sort_digit(
    source: UInt32s, target: UInt32s, first: Integer, last: Integer, shift: Integer, bits: Integer,
    totals: Int64s,
) -> None:  # fmt: skip
    """Write what stands from `first` to before `last` in the order of one digit; what is equal there stays in order."""
    low, mask = np.uint64(shift), np.uint64((1 << bits) - 1)
    for digit in range(1 << bits):
        totals[digit] = 0
    for place in range(first, last):
        totals[(np.uint64(source[place]) >> low) & mask] += 1
    before = np.int64(first)
    for digit in range(1 << bits):
        own = totals[digit]
        totals[digit] = before
        before += own
    for place in range(first, last):
        digit = (np.uint64(source[place]) >> low) & mask
        target[totals[digit]] = source[place]
        totals[digit] += 1


@hot_loop
def sort_true_leaves(
    true_offsets: Int64s,
    num_events: Integer,
    num_bits: Integer,
    true_leaves: UInt32s,
    spare: UInt32s,
    totals: Int64s,
) -> int:
    """Sort the true leaves of each event, whose numbers have so many bits; how many were moved, digit by digit."""
    num_moved = 0
    for event in range(num_events):
        first, last = true_offsets[event], true_offsets[event + 1]
        if last - first <= FEW_LEAVES:
            _insert(true_leaves, first, last)
            continue
        bits = LARGE_DIGIT if last - first >= MANY_LEAVES else SMALL_DIGIT
        source, target = true_leaves, spare
        shift = 0
        while shift < num_bits:
            _sort_digit(source, target, first, last, shift, bits, totals)
            source, target = target, source
            num_moved += last - first
            shift += bits
        if (shift // bits) % 2 == 1:
            for place in range(first, last):
                true_leaves[place] = spare[place]
    return num_moved
