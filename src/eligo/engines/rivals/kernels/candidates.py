"""Which expressions are worth evaluating? Those in a posting list of the event; they are evaluated in full.

PSCAN, as Whang 2009 compares with it (section 7.2): like counting, but without counters. The expressions in the event's
lists become bits, so that each is evaluated once, in the order in which they lie in memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events
from eligo.engines.kernels.facts import FactKeys, forget_facts, note_facts
from eligo.engines.kernels.marks import mark_item, write_marks
from eligo.engines.rivals.kernels.fact_references import (
    FALSE_BUT_PRESENT,
    MATCHED,
    POSTINGS,
    TESTS,
    FactScratch,
    MatchRows,
)
from eligo.kernels.bits import lowest_one
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Integer, UInt8s, UInt32s, UInt64s

ONE = np.uint64(1)
TWO = np.uint64(2)
KIND = np.uint64(3)


class PscanLists(NamedTuple):
    """Posting lists of CNF expressions, and the expressions."""

    fact_offsets: npt.NDArray[np.uint32]
    """Fact f may satisfy a disjunction of `fact_items[fact_offsets[f]:fact_offsets[f + 1]]`."""
    fact_items: npt.NDArray[np.uint32]
    zero_items: npt.NDArray[np.uint32]
    """The expressions that an event without keys may satisfy: always evaluated."""
    word_offsets: npt.NDArray[np.uint64]
    """Expression i is `words[word_offsets[i]:word_offsets[i + 1]]`."""
    words: npt.NDArray[np.uint32]
    """For each disjunction: how many words follow, then references (see `fact_references`)."""


@hot_loop
def _is_satisfied(item: Integer, word_offsets: UInt64s, words: UInt32s, truth: UInt8s) -> Any:
    """Whether every disjunction of an expression holds, and how many references were looked at."""
    place, last = np.uint64(word_offsets[item]), np.uint64(word_offsets[item + ONE])
    num_tests = np.int64(0)
    while place < last:
        end = place + np.uint64(words[place]) + ONE
        place += ONE
        holds = np.uint8(0)
        while place < end and holds == 0:
            word = np.uint64(words[place])
            kind = word & KIND
            num_tests += 1
            if kind != FALSE_BUT_PRESENT:
                holds = truth[word >> TWO] ^ np.uint8(kind)
            else:
                place += ONE
                holds = (truth[word >> TWO] ^ np.uint8(1)) & truth[words[place]]
            place += ONE
        if holds == 0:
            return False, num_tests
        place = end
    return True, num_tests


@hot_loop
def match_events(
    first_event: Integer, events: Events, keys: FactKeys, lists: PscanLists, rows: MatchRows, scratch: FactScratch,
    offsets: UInt64s, positions: UInt32s,
) -> Any:  # fmt: skip
    """Match events from `first_event` on until all are done, or until `positions` may not hold the next one's matches.

    Returns the first event that was not done; `offsets[first_event]` says how many positions are written already.
    """
    truth, true_facts, candidates = scratch.truth, scratch.true_facts, scratch.work
    fact_offsets, fact_items = lists.fact_offsets, lists.fact_items
    num_events = len(events.key_offsets) - 1
    count = np.int64(offsets[first_event])
    for event in range(first_event, num_events):
        if len(positions) - count < 64 * len(scratch.marks):
            return event
        num_facts = note_facts(event, events, keys, truth, true_facts)
        num_read, num_tests, num_matched = 0, 0, 0
        for number in range(num_facts):
            fact = np.uint64(true_facts[number])
            first, last = fact_offsets[fact], fact_offsets[fact + ONE]
            for place in range(first, last):
                item = np.uint64(fact_items[place])
                candidates[item >> np.uint64(6)] |= ONE << (item & np.uint64(63))
            num_read += np.int64(last) - np.int64(first)
        for place in range(len(lists.zero_items)):
            item = np.uint64(lists.zero_items[place])
            candidates[item >> np.uint64(6)] |= ONE << (item & np.uint64(63))
        for number in range(len(candidates)):
            rest = candidates[number]
            candidates[number] = 0
            while rest != 0:
                item = np.uint64(64 * number) + np.uint64(lowest_one(rest))
                rest &= rest - ONE
                is_match, tests = _is_satisfied(item, lists.word_offsets, lists.words, truth)
                num_tests += tests
                if is_match:
                    mark_item(item, rows.match_offsets, rows.matches, scratch.marks)
                    num_matched += 1
        forget_facts(num_facts, truth, true_facts)
        count = write_marks(count, scratch.marks, positions)
        offsets[event + 1] = count
        scratch.counts[POSTINGS] += num_read
        scratch.counts[TESTS] += num_tests
        scratch.counts[MATCHED] += num_matched
    return num_events
