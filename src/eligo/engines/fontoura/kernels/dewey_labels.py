"""How is a Dewey id written into a machine word? Each component in a code that keeps its order; then a 1, then zeros.

Fontoura 2010, 3.1: the way from the root to a leaf, by the numbers of children from 1 on; the last child of an AND is
marked. Components are beneath AND and OR by turns, beginning with AND. Component n, of k + 1 bits, is k ones, a zero,
and the k bits below its highest; beneath an AND the mark follows:

    1 → 0     2 → 100     3 → 101     4 → 11000 …          1*.3.1 → 0 1 | 101 | 0 0 | 1 0 0 … (the last 1 ends the id)

A lower component has the lower code and no code begins another, so labels compare as words do, and the first bit in
which two labels differ tells how much of the way they share. The paper keeps an id in 32 bits; so is it here when all
of them fit, else in 64, else in as many words of 64 as it needs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.engines.fontoura.kernels.alternating_trees import LEAF, Forest
from eligo.kernels.bits import leading_zeros, lowest_one
from eligo.kernels.codes import AND
from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Int64s, Integer, UInt8s, UInt32s, UInt64s

ONE = np.uint64(1)
WORD = np.uint64(64)
MOST_BITS = 30
"""Bits of the largest component; no tree has as many leaves."""


class DeweyLabels(NamedTuple):
    """The Dewey ids of all leaves."""

    label_words: npt.NDArray[Any]
    """For each leaf: its label from the highest bit down, in 32 or 64 bits; or all words of all labels."""
    label_offsets: npt.NDArray[np.uint64]
    """Leaf l has the words `label_words[label_offsets[l]:label_offsets[l + 1]]`; empty when each has one word."""
    label_depth: npt.NDArray[np.uint32]
    """The most components that a label has: one number."""


@hot_loop
def code_bits(number: Integer, is_marked: bool) -> Any:
    """How many bits the code of a component has."""
    return np.int64(127) - 2 * np.int64(leading_zeros(np.uint64(number))) + (1 if is_marked else 0)


@kernel
def measure_labels(forest: Forest, numbers: UInt32s, bits: UInt32s, depths: UInt32s) -> None:
    """For each node: the bits of its label, the last 1 included, and its components."""
    for tree in range(len(forest.tree_offsets) - 1):
        first, last = forest.tree_offsets[tree], forest.tree_offsets[tree + 1]
        for node in range(first, last):
            bits[node], depths[node] = 1, 0
            if node > first:
                parent = first + np.int64(forest.parents[node])
                own = code_bits(np.int64(numbers[node]), forest.kinds[parent] == AND)
                bits[node] = np.int64(bits[parent]) + own
                depths[node] = depths[parent] + np.uint32(1)


@hot_loop
def _put_bits(words: UInt64s, at: Integer, value: Integer, count: Integer) -> None:
    """Write the low `count` bits of a value from bit `at` on, and zeros behind them to the end of the word."""
    place, used = at >> 6, at & 63
    left = 64 - used
    kept = words[place] & ~(~np.uint64(0) >> np.uint64(used))
    if count <= left:
        words[place] = kept | (np.uint64(value) << np.uint64(left - count))
        return
    words[place] = kept | (np.uint64(value) >> np.uint64(count - left))
    words[place + 1] = np.uint64(value) << np.uint64(64 - (count - left))


@kernel
def write_labels(
    forest: Forest,
    numbers: UInt32s,
    num_children: UInt32s,
    bits: UInt32s,
    most_bits: Integer,
    labels: DeweyLabels,
) -> None:
    """Write the labels of all leaves, in the order of the walk, which is the order of the labels."""
    way = np.zeros(most_bits // 64 + 2, np.uint64)  # the label of the node that the walk is at
    is_narrow = labels.label_words.itemsize == 4
    leaf = 0
    for tree in range(len(forest.tree_offsets) - 1):
        first, last = forest.tree_offsets[tree], forest.tree_offsets[tree + 1]
        for node in range(first + 1, last):
            parent = first + np.int64(forest.parents[node])
            is_marked = forest.kinds[parent] == AND
            number = np.uint64(numbers[node])
            size = np.uint64(63) - leading_zeros(number)
            code = (((ONE << size) - ONE) << (size + ONE)) | (number - (ONE << size))
            if is_marked:
                code = (code << ONE) | np.uint64(1 if numbers[node] == num_children[parent] else 0)
            end = np.int64(bits[node]) - 1
            begin = np.int64(bits[parent]) - 1
            _put_bits(way, begin, code, end - begin)
            if forest.kinds[node] != LEAF:
                continue
            _put_bits(way, end, 1, 1)
            if len(labels.label_offsets) == 0:
                labels.label_words[leaf] = way[0] >> np.uint64(32) if is_narrow else way[0]
            else:
                start = np.int64(labels.label_offsets[leaf])
                for word in range(end // 64 + 1):
                    labels.label_words[start + word] = way[word]
            leaf += 1


@hot_loop
def label_place(leaf: Integer, labels: DeweyLabels) -> Any:
    """Where a leaf's label begins among the words."""
    return np.uint64(leaf) if len(labels.label_offsets) == 0 else np.uint64(labels.label_offsets[leaf])


@hot_loop
def label_size(leaf: Integer, labels: DeweyLabels) -> Any:
    """How many words a leaf's label has."""
    if len(labels.label_offsets) == 0:
        return ONE
    return np.uint64(labels.label_offsets[leaf + ONE]) - np.uint64(labels.label_offsets[leaf])


@hot_loop
def word_at(place: Integer, labels: DeweyLabels) -> Any:
    """A word of a label, its first bit the highest of 64."""
    return np.uint64(labels.label_words[place]) << np.uint64(64 - 8 * labels.label_words.itemsize)


@hot_loop
def label_end(place: Integer, size: Integer, labels: DeweyLabels) -> Any:
    """The bit behind the last component of a label: the last that is set."""
    return WORD * size - ONE - lowest_one(word_at(place + size - ONE, labels))


@hot_loop
def bits_from(at: Integer, place: Integer, size: Integer, labels: DeweyLabels) -> Any:
    """64 bits of a label from one of its bits on."""
    word, used = at >> np.uint64(6), at & np.uint64(63)
    found = word_at(place + word, labels) << used
    if used != 0 and word + ONE < size:
        found |= word_at(place + word + ONE, labels) >> (WORD - used)
    return found


@hot_loop
def component(bits: Integer) -> Any:
    """The component that begins with these bits, and how many of them are its code, without a mark."""
    size = leading_zeros(~bits)
    number = (ONE << size) | ((bits << (size + ONE)) >> (WORD - size)) if size != 0 else ONE
    return number, size + size + ONE


@kernel
def components(leaf: Integer, labels: DeweyLabels, numbers: Int64s, marks: UInt8s) -> int:
    """Write the components of a leaf's label, and which are marked; how many there are.

    -1 when the label is none: it does not end where it says, or has more components than there is room for.
    """
    number = np.uint64(leaf)
    place, size = label_place(number, labels), label_size(number, labels)
    if size == 0 or word_at(place + size - ONE, labels) == 0:
        return -1
    end = label_end(place, size, labels)
    at, count = np.uint64(0), 0
    while at < end:
        bits = bits_from(at, place, size, labels)
        ones = leading_zeros(~bits)
        if ones > np.uint64(MOST_BITS) or count == len(numbers):
            return -1
        own, used = component(bits)
        numbers[count], marks[count] = np.int64(own), 0
        at += used
        if count % 2 == 0 and at < end:
            marks[count] = np.uint8(bits_from(at, place, size, labels) >> np.uint64(63))
            at += ONE
        elif count % 2 == 0:
            return -1
        count += 1
    return count if at == end and count > 0 else -1


@kernel
def first_bad_label(labels: DeweyLabels, num_leaves: Integer) -> int:
    """The first leaf whose label is none, or has more components than `label_depth` says; -1 when all are right."""
    depth = np.int64(labels.label_depth[0])
    numbers, marks = np.empty(depth, np.int64), np.empty(depth, np.uint8)
    for leaf in range(num_leaves):
        if components(leaf, labels, numbers, marks) < 0:
            return leaf
    return -1
