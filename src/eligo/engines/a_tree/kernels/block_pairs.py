"""How do the masks of a block become the matches of its events? Turned round, 64 expressions by 64 events at a time.

    rows of the masks, by expression        turned round, by event          written from each event's place on
    e7   011      (bit 0 is event 0)        event 0   10                    event 0:  8
    e8   101                                event 1   01                    event 1:  7
                                            event 2   11                    event 2:  7 8

Each event has a place of its own to write to. So that memory takes what is written in long stretches, 1,024
expressions are written for one event after another, and then the next 1,024.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.engines.a_tree.kernels.block_scratch import TILE, BlockScratch
from eligo.engines.a_tree.kernels.event_block import STRIDE, WORDS
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.kernels.event_state import ONE
from eligo.kernels.bits import count_ones, lowest_one, transpose, without_lowest
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Integer, UInt32s, UInt64s

SQUARE = np.uint64(64)
SQUARES = np.uint64(64 * TILE)
"""Words of squares for each word of a mask."""
MANY_EXPRESSIONS = np.uint64(8)
"""With so many of 64 expressions that match some event, it pays to turn rows into columns."""
AT_ONCE = 8
"""So many matches are written without a look at how many there are: a loop that ends after some would be misguessed."""


@hot_loop
def count_pairs(nodes: UInt32s, masks: UInt64s, tree: FrozenTree, lengths: UInt64s) -> Any:
    """Write how many matches each event of the block has; returns how many there are together."""
    for number in range(len(lengths)):
        lengths[number] = len(tree.always)
    for row in range(len(nodes)):
        node = np.uint64(nodes[row])
        expressions = np.uint64(tree.match_offsets[node + ONE]) - np.uint64(tree.match_offsets[node])
        if expressions == 0:
            continue
        for word in range(WORDS):
            rest = masks[np.uint64(row) * STRIDE + np.uint64(word)]
            while rest != 0:
                lengths[np.uint64(word * 64) + lowest_one(rest)] += expressions
                rest = without_lowest(rest)
    total = np.uint64(0)
    for number in range(len(lengths)):
        total += lengths[number]
    return np.int64(total)


@hot_loop
def mark_expressions(nodes: UInt32s, tree: FrozenTree, scratch: BlockScratch) -> None:
    """Note which row of the masks each expression has, where `nodes` are those of the rows, and all events the last."""
    position_row, position_bits = scratch.position_row, scratch.position_bits
    for row in range(len(nodes)):
        node = np.uint64(nodes[row])
        for place in range(tree.match_offsets[node], tree.match_offsets[node + ONE]):
            position = np.uint64(tree.matches[place])
            position_row[position] = row
            position_bits[position >> np.uint64(6)] |= ONE << (position & np.uint64(63))
    for always in tree.always:
        position = np.uint64(always)
        position_row[position] = len(nodes)
        position_bits[position >> np.uint64(6)] |= ONE << (position & np.uint64(63))


@hot_loop
def _turn(first: Integer, num_groups: Integer, masks: UInt64s, scratch: BlockScratch) -> None:
    """Fill the squares of some groups of 64 expressions, and turn them: a word for each event, a bit an expression."""
    position_row, squares, some = scratch.position_row, scratch.squares, scratch.some
    for word in range(WORDS):
        some[word] = 0
        start = np.uint64(word) * SQUARES
        for place in range(start, start + np.uint64(num_groups) * SQUARE):
            squares[place] = 0
    for group in range(num_groups):
        marked = scratch.position_bits[first + group]
        start = np.uint64(group) * SQUARE
        base = np.uint64(first + group) * SQUARE
        while marked != 0:
            number = lowest_one(marked)
            marked = without_lowest(marked)
            row = np.uint64(position_row[base + number]) * STRIDE
            for word in range(WORDS):
                bits = masks[row + np.uint64(word)]
                squares[np.uint64(word) * SQUARES + start + number] = bits
                some[word] |= bits
    for word in range(WORDS):
        if some[word] != 0:
            for group in range(num_groups):
                transpose(squares, np.uint64(word) * SQUARES + np.uint64(group) * SQUARE)


@hot_loop
def _write_columns(
    first: Integer, num_groups: Integer, scratch: BlockScratch, starts: UInt64s, ends: UInt64s, positions: UInt32s
) -> None:
    """Write the matches of each event among the expressions of the squares."""
    squares = scratch.squares
    for word in range(WORDS):
        rest_events = scratch.some[word]
        while rest_events != 0:
            column = lowest_one(rest_events)
            rest_events = without_lowest(rest_events)
            number = np.uint64(word * 64) + column
            place, end = starts[number], ends[number]
            for group in range(num_groups):
                rest = squares[np.uint64(word) * SQUARES + np.uint64(group) * SQUARE + column]
                base = np.uint64(first + group) * SQUARE
                after = place + count_ones(rest)
                # What is written too far is written over by the event's next matches, so there must be room for such.
                if place + np.uint64(2 * AT_ONCE) <= end:
                    for _ in range(AT_ONCE):
                        positions[place] = base + lowest_one(rest)
                        place += ONE
                        rest = without_lowest(rest)
                    if rest != 0:
                        for _ in range(AT_ONCE):
                            positions[place] = base + lowest_one(rest)
                            place += ONE
                            rest = without_lowest(rest)
                while rest != 0:
                    positions[place] = base + lowest_one(rest)
                    place += ONE
                    rest = without_lowest(rest)
                place = after
            starts[number] = place


@hot_loop
def _write_rows(
    first: Integer, num_groups: Integer, masks: UInt64s, scratch: BlockScratch, starts: UInt64s, positions: UInt32s
) -> None:
    """Write the matches of some groups of 64 expressions, few of which match, one expression after another."""
    for group in range(first, first + num_groups):
        marked = scratch.position_bits[group]
        while marked != 0:
            position = np.uint64(group) * SQUARE + lowest_one(marked)
            marked = without_lowest(marked)
            row = np.uint64(scratch.position_row[position]) * STRIDE
            for word in range(WORDS):
                rest = masks[row + np.uint64(word)]
                while rest != 0:
                    number = np.uint64(word * 64) + lowest_one(rest)
                    positions[starts[number]] = position
                    starts[number] += ONE
                    rest = without_lowest(rest)


@hot_loop
def write_pairs(masks: UInt64s, scratch: BlockScratch, starts: UInt64s, ends: UInt64s, positions: UInt32s) -> None:
    """Write each event's matches from its place in `starts` on, ascending; uses up `starts` and the marks."""
    position_bits = scratch.position_bits
    for first in range(0, len(position_bits), TILE):
        num_groups = min(TILE, len(position_bits) - first)
        marks = np.uint64(0)
        for group in range(first, first + num_groups):
            marks += count_ones(position_bits[group])
        if marks == 0:
            continue
        if marks < MANY_EXPRESSIONS * np.uint64(num_groups):
            _write_rows(first, num_groups, masks, scratch, starts, positions)
        else:
            _turn(first, num_groups, masks, scratch)
            _write_columns(first, num_groups, scratch, starts, ends, positions)
        for group in range(first, first + num_groups):
            position_bits[group] = 0


@hot_loop
def write_bits(masks: UInt64s, scratch: BlockScratch, rows: UInt32s, bits: UInt64s, row_words: Integer) -> None:
    """Write a bit for each expression, event i to row `rows[i]` of `bits`, of so many words; uses up the marks."""
    position_bits, squares = scratch.position_bits, scratch.squares
    for first in range(0, row_words, TILE):
        num_groups = min(TILE, row_words - first)
        _turn(first, num_groups, masks, scratch)
        for number in range(len(rows)):
            word, column = np.uint64(number) // SQUARE, np.uint64(number) % SQUARE
            start = np.uint64(rows[number]) * np.uint64(row_words) + np.uint64(first)
            for group in range(num_groups):
                bits[start + np.uint64(group)] = squares[word * SQUARES + np.uint64(group) * SQUARE + column]
    for group in range(len(position_bits)):
        position_bits[group] = 0


@hot_loop
def place_pairs(lengths: UInt64s, pairs: UInt32s, starts: UInt64s, positions: UInt32s) -> None:
    """Copy matches that stand event by event, so many of each, to where those of each event begin."""
    before = np.uint64(0)
    for number in range(len(lengths)):
        start = starts[number]
        for place in range(lengths[number]):
            positions[start + np.uint64(place)] = pairs[before + np.uint64(place)]
        before += lengths[number]
