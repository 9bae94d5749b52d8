"""How do sets of ranges become one ascending row for each value? As lists that are joined, or words of bits.

A span is a piece of the entries of all sets, from where it begins to where it ends. An entry is a range's number in the
form of lists, and a word of 64 bits with its number in the form of bits; words without a bit have none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from eligo.kernels.bits import lowest_one, without_lowest
from eligo.kernels.compiled import generator, hot_loop, kernel
from eligo.kernels.parameter_types import Bools, Integer, UInt32s, UInt64s

SORTED_BY_BITS = 64
"""A row with a range for so many words of bits, or more, is put in order by marking them, a shorter one by sorting."""
FEW = 32
"""Ranges of a row that are put in order one by one."""


class Spans(NamedTuple):
    """Where the sets of some values lie."""

    offsets: UInt64s
    """Value v has the spans from `offsets[v]` to before `offsets[v + 1]`."""
    begins: UInt64s
    ends: UInt64s


class Checks(NamedTuple):
    """What a range that was found must still pass."""

    is_dead: Bools
    """For each range: whether it was deleted; empty if none was."""
    lows: UInt32s
    highs: UInt32s
    """For each range: its cells, where sets hold those that only may match; empty if sets are right as they are."""


@hot_loop
def passes(checks: Checks, number: Integer, cell: Integer) -> Any:
    """Whether a range that was found is alive and holds the cell."""
    if len(checks.is_dead) != 0 and checks.is_dead[number]:
        return False
    return len(checks.lows) == 0 or (checks.lows[number] <= cell and cell <= checks.highs[number])


@generator
def span_entries(spans: Spans, span: Integer, last: Integer) -> Iterator[Any]:
    """The entries of some spans, one after another."""
    for number in range(span, last):
        for entry in range(spans.begins[number], spans.ends[number]):
            yield np.uint64(entry)


@hot_loop
def count_entries(spans: Spans, totals: UInt64s) -> None:
    """For each value: the entries of its spans."""
    for value in range(len(totals)):
        total = np.uint64(0)
        for span in range(spans.offsets[value], spans.offsets[value + 1]):
            total += spans.ends[span] - spans.begins[span]
        totals[value] = total


@hot_loop
def count_bits(words: UInt64s, spans: Spans, totals: UInt64s) -> None:
    """For each value: at most how many ranges its words have."""
    for value in range(len(totals)):
        total = np.uint64(0)
        for span in range(spans.offsets[value], spans.offsets[value + 1]):
            for entry in range(spans.begins[span], spans.ends[span]):
                word = words[entry]
                while word != np.uint64(0):
                    word = without_lowest(word)
                    total += np.uint64(1)
        totals[value] = total


@hot_loop
def take_word(word: Integer, number: Integer, into: UInt32s, place: Integer) -> Any:
    """Write the numbers of the bits of a word; returns the place behind them."""
    while word != np.uint64(0):
        into[place] = np.uint32(np.uint64(number << 6) + lowest_one(word))
        place += 1
        word = without_lowest(word)
    return place


@hot_loop
def take_marked(marks: UInt64s, first: Integer, last: Integer, into: UInt32s, place: Integer) -> Any:
    """Write the numbers of the bits from word `first` to `last`, and clear them; returns the place behind them."""
    for number in range(first, last + 1):
        place = take_word(marks[number], number, into, place)
        marks[number] = np.uint64(0)
    return place


@kernel
def put_in_order(rows: UInt32s, begin: Integer, end: Integer, marks: UInt64s) -> None:
    """Sort a piece of rows."""
    if end - begin <= FEW:
        for place in range(begin + 1, end):
            number, at = rows[place], place
            while at > begin and rows[at - 1] > number:
                rows[at] = rows[at - 1]
                at -= 1
            rows[at] = number
    elif (end - begin) * SORTED_BY_BITS > len(marks):
        for place in range(begin, end):
            marks[rows[place] >> np.uint32(6)] |= np.uint64(1) << np.uint64(rows[place] & np.uint32(63))
        take_marked(marks, 0, len(marks) - 1, rows, begin)
    else:
        rows[begin:end].sort()


@kernel
def join_lists(
    numbers: UInt32s, spans: Spans, cells: UInt32s, checks: Checks, marks: UInt64s, offsets: UInt64s, rows: UInt32s
) -> int:
    """Write the row of each value from lists, and where it ends; returns the end of the last.

    `marks` has a bit for each range, none of them set before and after. Only a row of several spans is out of order, or
    one of an interval tree, which has as many ranges before a smaller one.
    """
    place = 0
    for value in range(len(cells)):
        begin = place
        is_ordered = True
        for span in range(spans.offsets[value], spans.offsets[value + 1]):
            for entry in range(spans.begins[span], spans.ends[span]):
                number = numbers[entry]
                if passes(checks, number, cells[value]):
                    is_ordered = is_ordered and (place == begin or rows[place - 1] < number)
                    rows[place] = number
                    place += 1
        if not is_ordered:
            put_in_order(rows, begin, place, marks)
        offsets[value + 1] = place
    return place


@kernel
def join_words(
    entries: tuple[UInt32s, UInt64s],
    spans: Spans,
    cells: UInt32s,
    checks: Checks,
    marks: UInt64s,
    offsets: UInt64s,
    rows: UInt32s,
) -> int:
    """The same from words of bits and their numbers."""
    word_numbers, words = entries
    place = 0
    for value in range(len(cells)):
        begin, end = place, place
        span, last_span = spans.offsets[value], spans.offsets[value + 1]
        if last_span - span == np.uint64(1):
            for entry in range(spans.begins[span], spans.ends[span]):
                end = take_word(words[entry], np.int64(word_numbers[entry]), rows, end)
        else:
            first, last = len(marks), -1
            for entry in span_entries(spans, span, last_span):
                number = np.int64(word_numbers[entry])
                marks[number] |= words[entry]
                first, last = min(first, number), max(last, number)
            end = take_marked(marks, first, last, rows, place)
        for entry in range(begin, end):
            if passes(checks, rows[entry], cells[value]):
                rows[place] = rows[entry]
                place += 1
        offsets[value + 1] = place
    return place


@hot_loop
def count_words(offsets: UInt64s, numbers: UInt32s) -> int:
    """How many words lists would be as bits."""
    total = 0
    for owner in range(len(offsets) - 1):
        before = np.int64(-1)
        for entry in range(offsets[owner], offsets[owner + 1]):
            word = np.int64(numbers[entry] >> np.uint32(6))
            total += word != before
            before = word
    return total


@hot_loop
def write_words(
    offsets: UInt64s, numbers: UInt32s, word_offsets: UInt64s, word_numbers: UInt32s, words: UInt64s
) -> None:
    """Write ascending lists as words of bits, those without a bit left out."""
    place = -1
    for owner in range(len(offsets) - 1):
        before = np.int64(-1)
        for entry in range(offsets[owner], offsets[owner + 1]):
            word = np.int64(numbers[entry] >> np.uint32(6))
            if word != before:
                place += 1
                word_numbers[place], words[place] = word, np.uint64(0)
                before = word
            words[place] |= np.uint64(1) << np.uint64(numbers[entry] & np.uint32(63))
        word_offsets[owner + 1] = place + 1
