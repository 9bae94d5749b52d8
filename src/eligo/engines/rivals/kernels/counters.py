"""How are conjunctions found by counting? Each starts with its size; every posting takes one off; at zero it matches.

SIFT, as Whang 2009 compares with it (section 7). A fact that must be false is gone through first, and puts its
conjunctions out of reach. The counters are copied anew for each event, which is one pass over small numbers.

    0  age = 3 and state = 'NY'        counters  2 1      age = 3 is true:     1 0  → conjunction 1
    1  age = 3 and state != 'CA'       age = 3   0 1      state = 'CA' first:  1 becomes far, and stays above zero
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events
from eligo.engines.kernels.facts import FactKeys, forget_facts, note_facts
from eligo.engines.kernels.marks import mark_item, write_marks
from eligo.engines.rivals.kernels.fact_references import MATCHED, POSTINGS, FactScratch, MatchRows
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Integer, UInt32s, UInt64s

ONE = np.uint64(1)


class SiftLists(NamedTuple):
    """Posting lists of conjunctions by fact."""

    sizes: npt.NDArray[Any]
    """For each conjunction: how many of its facts must be true. Its type counts to more than twice the largest."""
    true_offsets: npt.NDArray[np.uint32]
    """Fact f must be true in the conjunctions `true_items[true_offsets[f]:true_offsets[f + 1]]`."""
    true_items: npt.NDArray[np.uint32]
    false_offsets: npt.NDArray[np.uint32]
    """Fact f must be false in the conjunctions `false_items[false_offsets[f]:false_offsets[f + 1]]`."""
    false_items: npt.NDArray[np.uint32]
    zero_items: npt.NDArray[np.uint32]
    """The conjunctions of size 0."""


@hot_loop
def match_events(
    first_event: Integer, events: Events, keys: FactKeys, lists: SiftLists, rows: MatchRows, scratch: FactScratch,
    offsets: UInt64s, positions: UInt32s,
) -> Any:  # fmt: skip
    """Match events from `first_event` on until all are done, or until `positions` may not hold the next one's matches.

    Returns the first event that was not done; `offsets[first_event]` says how many positions are written already.
    """
    truth, true_facts, counters, sizes = scratch.truth, scratch.true_facts, scratch.work, lists.sizes
    true_offsets, true_items = lists.true_offsets, lists.true_items
    false_offsets, false_items = lists.false_offsets, lists.false_items
    num_events = len(events.key_offsets) - 1
    far = np.uint64(1) << np.uint64(8 * sizes.itemsize - 1)
    count = np.int64(offsets[first_event])
    for event in range(first_event, num_events):
        if len(positions) - count < 64 * len(scratch.marks):
            return event
        num_facts = note_facts(event, events, keys, truth, true_facts)
        for item in range(len(sizes)):
            counters[item] = sizes[item]
        num_read, num_matched = 0, 0
        for number in range(num_facts):
            fact = np.uint64(true_facts[number])
            first, last = false_offsets[fact], false_offsets[fact + ONE]
            for place in range(first, last):
                counters[false_items[place]] = far
            num_read += np.int64(last) - np.int64(first)
        for number in range(num_facts):
            fact = np.uint64(true_facts[number])
            first, last = true_offsets[fact], true_offsets[fact + ONE]
            for place in range(first, last):
                item = np.uint64(true_items[place])
                left = np.uint64(counters[item]) - ONE
                counters[item] = left
                if left == 0:
                    mark_item(item, rows.match_offsets, rows.matches, scratch.marks)
                    num_matched += 1
            num_read += np.int64(last) - np.int64(first)
        for place in range(len(lists.zero_items)):
            item = np.uint64(lists.zero_items[place])
            if counters[item] == 0:
                mark_item(item, rows.match_offsets, rows.matches, scratch.marks)
                num_matched += 1
        forget_facts(num_facts, truth, true_facts)
        count = write_marks(count, scratch.marks, positions)
        offsets[event + 1] = count
        scratch.counts[POSTINGS] += num_read
        scratch.counts[MATCHED] += num_matched
    return num_events
