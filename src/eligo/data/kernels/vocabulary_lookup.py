"""How does a kernel find the key or the cell of a value? In the flat arrays of a vocabulary, without any object.

A value comes as (attribute, kind, high, low, text): a number is the exact pair (high, low), a bool, a day or a
microsecond is `high`, a string is its bytes.

What runs once for each value takes single arrays: every access to a field of a NamedTuple counts a reference, which
costs more than the lookup itself.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.kernels.codes import STRING, UNDER_NODE
from eligo.kernels.compiled import kernel, part
from eligo.kernels.hashing import NONE, hash_bytes, hash_words, u64
from eligo.kernels.parameter_types import Integer

NUM_KINDS = 5
"""Kinds of value: BOOL, NUMBER, STRING, DATE, TIMESTAMP of `codes`."""

ATTRIBUTES, STRINGS, ENTRIES, TAXONOMY = 0, 1, 2, 3
"""Places in `seeds`."""


class VocabularyArrays(NamedTuple):
    """The arrays of a vocabulary, all read-only; `data.vocabulary.Vocabulary` says what they are for."""

    attribute_offsets: npt.NDArray[np.uint64]
    """Attribute a's name is attribute_bytes[attribute_offsets[a] : attribute_offsets[a + 1]]; sorted by name."""
    attribute_bytes: npt.NDArray[np.uint8]
    """The names in UTF-8."""
    attribute_slots: npt.NDArray[np.uint32]
    """Hash table of the names, to attribute numbers."""
    attribute_kinds: npt.NDArray[np.uint8]
    """For each attribute: bit k when an operand has value kind k, bit 5 when an `under` has a node that is no date
    node, bit 6 when one has a date node."""
    attribute_axes: npt.NDArray[np.uint32]
    """For each attribute and value kind, at attribute * NUM_KINDS + kind: the axis, or NONE."""
    attribute_node_reach: npt.NDArray[np.uint32]
    """For each attribute: 1 + the bytes of its longest `under` node; 0 when it has none."""
    attribute_has_taxonomy: npt.NDArray[np.uint8]
    """For each attribute: 1 when a taxonomy says what is under what; else the path rule does."""
    string_offsets: npt.NDArray[np.uint64]
    """String s is string_bytes[string_offsets[s] : string_offsets[s + 1]]; distinct, sorted by bytes."""
    string_bytes: npt.NDArray[np.uint8]
    """The strings of entries and of the taxonomy, in UTF-8."""
    string_slots: npt.NDArray[np.uint32]
    """Hash table of the strings, to string numbers."""
    entry_attribute: npt.NDArray[np.uint32]
    """For each entry: its attribute. Entries are sorted by (attribute, kind, high, low); entry e has the key
    (number of attributes) + e."""
    entry_kind: npt.NDArray[np.uint8]
    """For each entry: its value kind, or UNDER_NODE."""
    entry_high: npt.NDArray[np.int64]
    """For each entry: the value's high part; for STRING and UNDER_NODE a string number."""
    entry_low: npt.NDArray[np.float64]
    """For each entry: the fraction of a number; 0 for all else."""
    entry_slots: npt.NDArray[np.uint32]
    """Hash table of the entries, to entry numbers."""
    axis_attribute: npt.NDArray[np.uint32]
    """For each axis: its attribute. Axes are sorted by (attribute, kind)."""
    axis_kind: npt.NDArray[np.uint8]
    """For each axis: its value kind."""
    bound_offsets: npt.NDArray[np.uint64]
    """Axis x has the bounds bound_offsets[x] : bound_offsets[x + 1], distinct and ascending."""
    bound_high: npt.NDArray[np.int64]
    """For each bound: the high part; 0 on a STRING axis."""
    bound_low: npt.NDArray[np.float64]
    """For each bound: the fraction of a number; 0 for all else."""
    bound_text_offsets: npt.NDArray[np.uint64]
    """Bound b of a STRING axis is bound_text_bytes[bound_text_offsets[b] : bound_text_offsets[b + 1]]; else empty."""
    bound_text_bytes: npt.NDArray[np.uint8]
    """Bytes of string bounds; the end of a prefix's range need not be valid UTF-8."""
    taxonomy_attribute: npt.NDArray[np.uint32]
    """For each (attribute, string) that a taxonomy puts under some node of an expression: the attribute."""
    taxonomy_string: npt.NDArray[np.uint32]
    """And the string's number. Sorted by both."""
    taxonomy_slots: npt.NDArray[np.uint32]
    """Hash table of these pairs."""
    taxonomy_key_offsets: npt.NDArray[np.uint64]
    """Pair t is under the nodes of taxonomy_keys[taxonomy_key_offsets[t] : taxonomy_key_offsets[t + 1]]."""
    taxonomy_keys: npt.NDArray[np.uint32]
    """Keys of UNDER_NODE entries, ascending for each pair."""
    seeds: npt.NDArray[np.uint64]
    """The seeds of the four hash tables: attributes, strings, entries, taxonomy."""


class EncodedValues(NamedTuple):
    """Many values, each with the attribute that it belongs to, as kernels take them.

    Where no value is a string, `starts`, `ends` and `text` may be empty; where all are, `highs` and `lows` may.
    """

    attributes: npt.NDArray[np.uint32]
    """For each value: its attribute's number in the vocabulary."""
    kinds: npt.NDArray[np.uint8]
    """For each value: its kind; UNDER_NODE of `codes` for a node of an `under` predicate."""
    highs: npt.NDArray[np.int64]
    """For each value: the high part; 0 for strings."""
    lows: npt.NDArray[np.float64]
    """For each value: the low part; 0 but for numbers that are not whole."""
    starts: npt.NDArray[np.uint64]
    """For each value: where its bytes begin in `text`."""
    ends: npt.NDArray[np.uint64]
    """For each value: where its bytes end in `text`."""
    text: npt.NDArray[np.uint8]
    """The bytes of strings."""


@part
def compare_bytes(
    left: npt.NDArray[np.uint8], left_start: int, left_end: int, right: npt.NDArray[np.uint8], start: int, end: int
) -> int:
    """-1, 0 or 1: the order of two byte strings, which for UTF-8 is the order of code points."""
    left_length = u64(left_end) - u64(left_start)
    right_length = u64(end) - u64(start)
    shorter = min(left_length, right_length)
    for step in range(shorter):
        a = left[u64(left_start) + u64(step)]
        b = right[u64(start) + u64(step)]
        if a != b:
            return -1 if a < b else 1
    if left_length == right_length:
        return 0
    return -1 if left_length < right_length else 1


@kernel
def find_text(
    slots: npt.NDArray[np.uint32],
    offsets: npt.NDArray[np.uint64],
    data: npt.NDArray[np.uint8],
    seed: int,
    text: npt.NDArray[np.uint8],
    start: int,
    end: int,
) -> Any:
    """The number of the string text[start:end] in a table of strings, or NONE."""
    mask = u64(len(slots) - 1)
    slot = hash_bytes(text, start, end, seed) & mask
    length = u64(end) - u64(start)
    while slots[slot] != NONE:
        item = u64(slots[slot])
        first = u64(offsets[item])
        last = u64(offsets[item + u64(1)])
        if last - first == length and compare_bytes(data, first, last, text, start, end) == 0:
            return np.uint32(item)
        slot = (slot + u64(1)) & mask
    return NONE


@kernel
def find_entry(
    slots: npt.NDArray[np.uint32],
    entry_attribute: npt.NDArray[np.uint32],
    entry_kind: npt.NDArray[np.uint8],
    entry_high: npt.NDArray[np.int64],
    entry_low_bits: npt.NDArray[np.uint64],
    seed: int,
    attribute: int,
    kind: Integer,
    high: Integer,
    low_bits: int,
) -> Any:
    """The number of the entry (attribute, kind, value), or NONE; its key is that many after the attributes'."""
    mask = u64(len(slots) - 1)
    slot = hash_words((u64(attribute) << u64(8)) | u64(kind), high, low_bits, seed) & mask
    while slots[slot] != NONE:
        entry = u64(slots[slot])
        if (
            entry_attribute[entry] == attribute
            and entry_kind[entry] == kind
            and entry_high[entry] == high
            and entry_low_bits[entry] == low_bits
        ):
            return np.uint32(entry)
        slot = (slot + u64(1)) & mask
    return NONE


@kernel
def find_pair(
    slots: npt.NDArray[np.uint32],
    pair_attribute: npt.NDArray[np.uint32],
    pair_string: npt.NDArray[np.uint32],
    seed: int,
    attribute: int,
    string: int,
) -> Any:
    """The number of the pair (attribute, string) in the taxonomy, or NONE."""
    mask = u64(len(slots) - 1)
    slot = hash_words(attribute, string, u64(0), seed) & mask
    while slots[slot] != NONE:
        pair = u64(slots[slot])
        if pair_attribute[pair] == attribute and pair_string[pair] == string:
            return np.uint32(pair)
        slot = (slot + u64(1)) & mask
    return NONE


@kernel
def find_number_cell(
    bound_high: npt.NDArray[np.int64], bound_low: npt.NDArray[np.float64], first: int, last: int, high: int, low: float
) -> Any:
    """The cell of a value among the bounds first … last - 1: 2i + 1 on bound i, else twice the number below."""
    below, above = u64(first), u64(last)
    while below < above:
        middle = (below + above) >> u64(1)
        if bound_high[middle] < high or (bound_high[middle] == high and bound_low[middle] < low):
            below = middle + u64(1)
        else:
            above = middle
    cell = u64(2) * (below - u64(first))
    if below < u64(last) and bound_high[below] == high and bound_low[below] == low:
        cell += u64(1)
    return np.uint32(cell)


@kernel
def find_text_cell(
    offsets: npt.NDArray[np.uint64],
    data: npt.NDArray[np.uint8],
    first: int,
    last: int,
    text: npt.NDArray[np.uint8],
    start: int,
    end: int,
) -> Any:
    """The cell of a string among the bounds first … last - 1, as `find_number_cell` counts."""
    below, above = u64(first), u64(last)
    while below < above:
        middle = (below + above) >> u64(1)
        order = compare_bytes(data, offsets[middle], offsets[middle + u64(1)], text, start, end)
        if order == 0:
            return np.uint32(u64(2) * (middle - u64(first)) + u64(1))
        if order < 0:
            below = middle + u64(1)
        else:
            above = middle
    return np.uint32(u64(2) * (below - u64(first)))


@kernel
def find_attributes(
    vocabulary: VocabularyArrays,
    text: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.uint64],
    ends: npt.NDArray[np.uint64],
) -> npt.NDArray[np.uint32]:
    """For each name text[starts[i]:ends[i]]: its attribute number, or NONE."""
    slots, offsets, data = vocabulary.attribute_slots, vocabulary.attribute_offsets, vocabulary.attribute_bytes
    seed = vocabulary.seeds[ATTRIBUTES]
    found = np.empty(len(starts), np.uint32)
    for name in range(len(starts)):
        found[name] = find_text(slots, offsets, data, seed, text, starts[name], ends[name])
    return found


@kernel
def find_keys(vocabulary: VocabularyArrays, values: EncodedValues) -> npt.NDArray[np.uint32]:
    """For each value (see `EncodedValues`), also of kind UNDER_NODE: its key, or NONE."""
    string_slots, string_offsets, string_bytes = (
        vocabulary.string_slots,
        vocabulary.string_offsets,
        vocabulary.string_bytes,
    )
    entry_slots, entry_attribute, entry_kind = (
        vocabulary.entry_slots,
        vocabulary.entry_attribute,
        vocabulary.entry_kind,
    )
    entry_high, entry_low_bits = vocabulary.entry_high, vocabulary.entry_low.view(np.uint64)
    string_seed, entry_seed = vocabulary.seeds[STRINGS], vocabulary.seeds[ENTRIES]
    compared = vocabulary.attribute_kinds
    num_attributes = u64(len(compared))
    attributes, kinds, highs, low_bits = values.attributes, values.kinds, values.highs, values.lows.view(np.uint64)
    starts, ends, text = values.starts, values.ends, values.text
    keys = np.empty(len(attributes), np.uint32)
    for place in range(len(attributes)):
        keys[place] = NONE
        kind = kinds[place]
        if kind != UNDER_NODE and (u64(compared[attributes[place]]) >> u64(kind)) & u64(1) == 0:
            continue
        high, bits = np.int64(0), u64(0)
        if kind in (STRING, UNDER_NODE):
            string = find_text(
                string_slots, string_offsets, string_bytes, string_seed, text, starts[place], ends[place]
            )
            if string == NONE:
                continue
            high = np.int64(string)
        else:
            high, bits = highs[place], u64(low_bits[place])
        entry = find_entry(
            entry_slots,
            entry_attribute,
            entry_kind,
            entry_high,
            entry_low_bits,
            entry_seed,
            attributes[place],
            kind,
            high,
            bits,
        )
        if entry != NONE:
            keys[place] = num_attributes + u64(entry)
    return keys


@kernel
def find_cells(
    vocabulary: VocabularyArrays, values: EncodedValues
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """For each value: its axis and its cell, both NONE where its attribute has no axis for its kind."""
    axis_of, bound_offsets = vocabulary.attribute_axes, vocabulary.bound_offsets
    bound_high, bound_low = vocabulary.bound_high, vocabulary.bound_low
    bound_text_offsets, bound_text_bytes = vocabulary.bound_text_offsets, vocabulary.bound_text_bytes
    attributes, kinds, highs, lows = values.attributes, values.kinds, values.highs, values.lows
    starts, ends, text = values.starts, values.ends, values.text
    axes = np.empty(len(attributes), np.uint32)
    cells = np.empty(len(attributes), np.uint32)
    for place in range(len(attributes)):
        kind = kinds[place]
        axis = NONE if kind >= NUM_KINDS else axis_of[u64(attributes[place]) * u64(NUM_KINDS) + u64(kind)]
        axes[place] = axis
        cells[place] = NONE
        if axis == NONE:
            continue
        first, last = bound_offsets[axis], bound_offsets[u64(axis) + u64(1)]
        if kind == STRING:
            cells[place] = find_text_cell(
                bound_text_offsets, bound_text_bytes, first, last, text, starts[place], ends[place]
            )
        else:
            cells[place] = find_number_cell(bound_high, bound_low, first, last, highs[place], lows[place])
    return axes, cells
