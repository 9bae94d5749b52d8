"""How do event values become keys and cells, laid out event by event? One loop looks values up, one sorts them in.

The `find_…` kernels give (row, item) pairs in the order of the values; `assemble` makes them lists by row: a counting
sort by row, then each row sorted and its repeated items merged, keeping the largest weight.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.vocabulary_lookup import (
    ENTRIES,
    STRINGS,
    TAXONOMY,
    EncodedValues,
    VocabularyArrays,
    compare_bytes,
    find_cells,
    find_entry,
    find_keys,
    find_pair,
    find_text,
)
from eligo.kernels.codes import STRING, UNDER_NODE
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE, u64

SLASH = ord("/")
HASHED_PATH = 256
"""Bytes of a path up to which each of its starts is looked up by its hash."""


class Hits(NamedTuple):
    """What values hit: parallel arrays in the order of the values. `weights` is empty when all weights are 1."""

    rows: npt.NDArray[np.uint32]
    """For each hit: the event."""
    items: npt.NDArray[np.uint64]
    """For each hit: a key, or axis * 2^32 + cell."""
    weights: npt.NDArray[np.float64]
    """For each hit: the weight of the value, or of the attribute where only its presence was hit."""


@kernel
def _new_hits(size: int, has_weights: bool) -> Hits:
    return Hits(np.empty(size, np.uint32), np.empty(size, np.uint64), np.empty(size if has_weights else 0, np.float64))


@kernel
def _trimmed(hits: Hits, size: int) -> Hits:
    weights = hits.weights[:size] if len(hits.weights) > 0 else hits.weights
    return Hits(hits.rows[:size], hits.items[:size], weights)


@kernel
def find_presences(
    attributes: npt.NDArray[np.uint32], rows: npt.NDArray[np.uint32], present_weights: npt.NDArray[np.float64]
) -> Hits:
    """The keys of present attributes: one for each run of values of one attribute in one row."""
    has_weights = len(present_weights) > 0
    hits = _new_hits(len(rows), has_weights)
    hit_rows, items, weights = hits.rows, hits.items, hits.weights
    size = 0
    for place in range(len(rows)):
        if place > 0 and rows[place] == rows[place - 1] and attributes[place] == attributes[place - 1]:
            continue
        hit_rows[size] = rows[place]
        items[size] = attributes[place]
        if has_weights:
            weights[size] = present_weights[place]
        size += 1
    return _trimmed(hits, size)


@kernel
def find_key_hits(
    vocabulary: VocabularyArrays, values: EncodedValues, rows: npt.NDArray[np.uint32], weights: npt.NDArray[np.float64]
) -> Hits:
    """The keys of values; a value off the vocabulary hits nothing."""
    keys = find_keys(vocabulary, values)
    has_weights = len(weights) > 0
    hits = _new_hits(len(rows), has_weights)
    hit_rows, items, hit_weights = hits.rows, hits.items, hits.weights
    size = 0
    for place in range(len(rows)):
        if keys[place] != NONE:
            hit_rows[size] = rows[place]
            items[size] = keys[place]
            if has_weights:
                hit_weights[size] = weights[place]
            size += 1
    return _trimmed(hits, size)


@kernel
def find_cell_hits(
    vocabulary: VocabularyArrays, values: EncodedValues, rows: npt.NDArray[np.uint32], weights: npt.NDArray[np.float64]
) -> Hits:
    """The cells of values that are on an axis."""
    axes, cells = find_cells(vocabulary, values)
    has_weights = len(weights) > 0
    hits = _new_hits(len(rows), has_weights)
    hit_rows, items, hit_weights = hits.rows, hits.items, hits.weights
    size = 0
    for place in range(len(rows)):
        if axes[place] != NONE:
            hit_rows[size] = rows[place]
            items[size] = (u64(axes[place]) << u64(32)) | u64(cells[place])
            if has_weights:
                hit_weights[size] = weights[place]
            size += 1
    return _trimmed(hits, size)


@kernel
def find_node_hits(
    vocabulary: VocabularyArrays, values: EncodedValues, rows: npt.NDArray[np.uint32], weights: npt.NDArray[np.float64]
) -> Hits:
    """The keys of the nodes that strings are under: by the attribute's taxonomy, or by the string's own path.

    The first pass counts and the second writes.
    """
    slots, offsets, data = vocabulary.string_slots, vocabulary.string_offsets, vocabulary.string_bytes
    entry_slots, entry_attribute, entry_kind = (
        vocabulary.entry_slots,
        vocabulary.entry_attribute,
        vocabulary.entry_kind,
    )
    entry_high, entry_low_bits = vocabulary.entry_high, vocabulary.entry_low.view(np.uint64)
    pair_slots, pair_attribute, pair_string = (
        vocabulary.taxonomy_slots,
        vocabulary.taxonomy_attribute,
        vocabulary.taxonomy_string,
    )
    pair_key_offsets, pair_keys = vocabulary.taxonomy_key_offsets, vocabulary.taxonomy_keys
    string_seed, entry_seed, pair_seed = (
        vocabulary.seeds[STRINGS],
        vocabulary.seeds[ENTRIES],
        vocabulary.seeds[TAXONOMY],
    )
    reach_of, has_taxonomy = vocabulary.attribute_node_reach, vocabulary.attribute_has_taxonomy
    num_attributes = u64(len(reach_of))
    attributes, kinds, text = values.attributes, values.kinds, values.text
    starts, ends = values.starts, values.ends
    has_weights = len(weights) > 0
    hits = _new_hits(0, has_weights)
    for is_writing in range(2):
        hit_rows, items, hit_weights = hits.rows, hits.items, hits.weights
        size = 0
        for place in range(len(rows)):
            attribute = attributes[place]
            reach = u64(reach_of[attribute])
            if kinds[place] != STRING or reach == 0:
                continue
            start, end = u64(starts[place]), u64(ends[place])
            if has_taxonomy[attribute] != 0:
                string = find_text(slots, offsets, data, string_seed, text, start, end)
                if string == NONE:
                    continue
                pair = find_pair(pair_slots, pair_attribute, pair_string, pair_seed, attribute, string)
                if pair == NONE:
                    continue
                for node in range(u64(pair_key_offsets[pair]), u64(pair_key_offsets[u64(pair) + u64(1)])):
                    if is_writing:
                        hit_rows[size] = rows[place]
                        items[size] = pair_keys[node]
                        if has_weights:
                            hit_weights[size] = weights[place]
                    size += 1
                continue
            # Nothing beyond the longest node is looked at. A short start of the path is hashed; for a longer one the
            # sorted strings are narrowed step by step, because hashing every start would take quadratic time.
            stop = min(end, start + reach - u64(1))
            border = start
            low, high, known = u64(0), u64(len(offsets) - 1), u64(0)
            while border <= stop:
                if border == end or text[border] == SLASH:
                    string = NONE
                    if border - start <= u64(HASHED_PATH):
                        string = find_text(slots, offsets, data, string_seed, text, start, border)
                    else:
                        length = border - start
                        low, high = narrowed(offsets, data, low, high, text, start, known, length)
                        known = length
                        if low == high:
                            break
                        if u64(offsets[low + u64(1)]) - u64(offsets[low]) == length:
                            string = np.uint32(low)
                    entry = NONE
                    if string != NONE:
                        entry = find_entry(
                            entry_slots,
                            entry_attribute,
                            entry_kind,
                            entry_high,
                            entry_low_bits,
                            entry_seed,
                            attribute,
                            np.uint8(UNDER_NODE),
                            np.int64(string),
                            u64(0),
                        )
                    if entry != NONE:
                        if is_writing:
                            hit_rows[size] = rows[place]
                            items[size] = num_attributes + u64(entry)
                            if has_weights:
                                hit_weights[size] = weights[place]
                        size += 1
                border += u64(1)
        if not is_writing:
            hits = _new_hits(size, has_weights)
    return hits


@kernel
def narrowed(
    offsets: npt.NDArray[np.uint64],
    data: npt.NDArray[np.uint8],
    low: int,
    high: int,
    text: npt.NDArray[np.uint8],
    start: int,
    known: int,
    length: int,
) -> tuple[Any, Any]:
    """Of the sorted strings low … high - 1, all of which begin with `known` bytes of the text, those with `length`."""
    first, end = low, high
    while first < end:
        middle = (first + end) >> u64(1)
        if _start_order(offsets, data, middle, text, start, known, length) < 0:
            first = middle + u64(1)
        else:
            end = middle
    last, end = first, high
    while last < end:
        middle = (last + end) >> u64(1)
        if _start_order(offsets, data, middle, text, start, known, length) <= 0:
            last = middle + u64(1)
        else:
            end = middle
    return first, last


@kernel
def _start_order(
    offsets: npt.NDArray[np.uint64],
    data: npt.NDArray[np.uint8],
    string: int,
    text: npt.NDArray[np.uint8],
    start: int,
    known: int,
    length: int,
) -> int:
    """-1, 0 or 1: a string is before all that begin with text[start : start + length], one of them, or after."""
    first = u64(offsets[string])
    own = u64(offsets[string + u64(1)]) - first
    return compare_bytes(data, first + known, first + min(own, length), text, start + known, start + length)


@kernel
def assemble(
    num_rows: int, hits: Hits
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.float64]]:
    """The offsets of each row, and by row the items, sorted, each once, with its largest weight."""
    rows, given_items, given_weights = hits.rows, hits.items, hits.weights
    has_weights = len(given_weights) > 0
    offsets = np.zeros(num_rows + 1, np.uint64)
    for place in range(len(rows)):
        offsets[u64(rows[place]) + u64(1)] += u64(1)
    for row in range(num_rows):
        offsets[row + 1] += offsets[row]
    items = np.empty(len(rows), np.uint64)
    weights = np.empty(len(given_weights), np.float64)
    free = offsets[:num_rows].copy()
    for place in range(len(rows)):
        target = u64(free[rows[place]])
        free[rows[place]] = target + u64(1)
        items[target] = given_items[place]
        if has_weights:
            weights[target] = given_weights[place]
    size = u64(0)
    start = u64(0)
    for row in range(num_rows):
        end = u64(offsets[row + 1])
        sort_pairs(items, weights, start, end, has_weights)
        offsets[row] = size
        first = size
        for place in range(start, end):
            if size > first and items[size - u64(1)] == items[place]:
                if has_weights:
                    weights[size - u64(1)] = max(weights[size - u64(1)], weights[place])
                continue
            items[size] = items[place]
            if has_weights:
                weights[size] = weights[place]
            size += u64(1)
        start = end
    offsets[num_rows] = size
    return offsets, items[: np.int64(size)], weights[: np.int64(size) if has_weights else 0]


@kernel
def sort_pairs(
    items: npt.NDArray[np.uint64], weights: npt.NDArray[np.float64], start: int, end: int, has_weights: bool
) -> None:
    """Sort items[start:end] upwards, and the weights with them: Shell's sort, so that no row takes quadratic time."""
    gap = u64(1)
    while gap < (end - start) // u64(3):
        gap = gap * u64(3) + u64(1)
    while gap > u64(0):
        for place in range(start + gap, end):
            item = items[place]
            weight = weights[place] if has_weights else 1.0
            hole = u64(place)
            while hole >= start + gap and items[hole - gap] > item:
                items[hole] = items[hole - gap]
                if has_weights:
                    weights[hole] = weights[hole - gap]
                hole -= gap
            items[hole] = item
            if has_weights:
                weights[hole] = weight
        gap = (gap - u64(1)) // u64(3)


@kernel
def joined(first: Hits, second: Hits) -> Hits:
    """Two lists of hits one after the other; where only one has weights, the other's are 1."""
    rows = np.concatenate((first.rows, second.rows))
    items = np.concatenate((first.items, second.items))
    if len(first.weights) == 0 and len(second.weights) == 0:
        return Hits(rows, items, np.empty(0, np.float64))
    first_weights = first.weights if len(first.weights) > 0 else np.ones(len(first.rows))
    second_weights = second.weights if len(second.weights) > 0 else np.ones(len(second.rows))
    return Hits(rows, items, np.concatenate((first_weights, second_weights)))


@kernel
def lay_out(num_rows: int, keys: Hits, cells: Hits) -> tuple[npt.NDArray[Any], ...]:
    """The arrays of an `EventBatch` from all hits of its events."""
    key_offsets, key_items, key_weights = assemble(num_rows, keys)
    cell_offsets, cell_items, cell_weights = assemble(num_rows, cells)
    axes = np.empty(len(cell_items), np.uint32)
    numbers = np.empty(len(cell_items), np.uint32)
    for place in range(len(cell_items)):
        axes[place] = u64(cell_items[place]) >> u64(32)
        numbers[place] = u64(cell_items[place]) & u64(0xFFFFFFFF)
    return key_offsets, key_items.astype(np.uint32), key_weights, cell_offsets, axes, numbers, cell_weights


@kernel
def encode_events(
    vocabulary: VocabularyArrays,
    num_rows: int,
    values: EncodedValues,
    rows: npt.NDArray[np.uint32],
    weights: npt.NDArray[np.float64],
    present_weights: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[Any], ...]:
    """The arrays of an `EventBatch` from all values of its events: the other kernels in one call."""
    presences = find_presences(values.attributes, rows, present_weights)
    keys = joined(find_key_hits(vocabulary, values, rows, weights), find_node_hits(vocabulary, values, rows, weights))
    cells = find_cell_hits(vocabulary, values, rows, weights)
    return lay_out(num_rows, joined(presences, keys), cells)
