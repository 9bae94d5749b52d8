"""How are candidates found? Each expression counts down from its minimum; those that reach zero are evaluated.

    0  (P1 or P2) and P3    minima 2 1      P1 is true:  1 0  → 1 is a candidate
    1  P1 or not P4                         P3 is true:  0 0  → 0 is a candidate

A counter that has reached zero stays there, so an expression becomes a candidate once. The counters are copied anew for
each event, which is one pass over bytes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events
from eligo.engines.bop.kernels.encoded_trees import CodeScratch, EncodedTrees, evaluate
from eligo.engines.kernels.facts import FactKeys, forget_facts, note_facts
from eligo.engines.kernels.marks import write_marks
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Integer, UInt32s, UInt64s
from eligo.kernels.prefetch import prefetch

ONE = np.uint64(1)
LOW_SIX = np.uint64(63)
SIX = np.uint64(6)
NEAR, FAR = 8, 16
"""How many candidates ahead a code is asked for, and where it lies."""


class BopLists(NamedTuple):
    """Minima and posting lists."""

    minima: npt.NDArray[np.uint8]
    """For each expression: how many counted facts must be true; 0 also for what is never true."""
    fact_offsets: npt.NDArray[np.uint32]
    """Fact f counts for the expressions `fact_expressions[fact_offsets[f]:fact_offsets[f + 1]]`."""
    fact_expressions: npt.NDArray[np.uint32]
    """An expression stands in a list as often as the fact stands in it."""
    free_expressions: npt.NDArray[np.uint32]
    """The expressions that may be true when no fact is: candidates for every event."""


class BopScratch(NamedTuple):
    """What one thread needs; no fact is true between events."""

    truth: npt.NDArray[np.uint8]
    """For each fact: 1 while it is true."""
    true_facts: npt.NDArray[np.uint32]
    """The facts that are true."""
    counters: npt.NDArray[np.uint8]
    """For each expression: how many facts are still wanted."""
    candidates: npt.NDArray[np.uint32]
    """The expressions whose counters have reached zero."""
    code: CodeScratch
    marks: npt.NDArray[np.uint64]
    """One bit for each expression; none set between events."""
    counts: npt.NDArray[np.int64]
    """Added up over events: postings read, tests of facts, candidates, matches."""


POSTINGS, TESTS, CANDIDATES, MATCHED = range(4)
"""Places in `counts`."""


@hot_loop
def _count_down(num_facts: Integer, lists: BopLists, scratch: BopScratch) -> Any:
    """Write the candidates; returns how many there are, and how many postings were read."""
    counters, candidates = scratch.counters, scratch.candidates
    for expression in range(len(counters)):
        counters[expression] = lists.minima[expression]
    count, num_read = np.uint64(0), 0
    for number in range(num_facts):
        fact = np.uint64(scratch.true_facts[number])
        first, last = lists.fact_offsets[fact], lists.fact_offsets[fact + ONE]
        for place in range(first, last):
            expression = np.uint64(lists.fact_expressions[place])
            left = counters[expression]
            counters[expression] = left - np.uint8(left != 0)
            candidates[count] = expression  # kept if this was the last one wanted
            count += np.uint64(left == 1)
        num_read += np.int64(last) - np.int64(first)
    return np.int64(count), num_read


@hot_loop
def _evaluate_all(candidates: UInt32s, count: Integer, trees: EncodedTrees, scratch: BopScratch) -> Any:
    """Mark the first so many candidates that are true; returns how many are, and the tests made."""
    num_tests, num_matched = 0, 0
    for number in range(count):
        # Their codes lie here and there.
        prefetch(trees.code_offsets, np.uint64(candidates[min(number + FAR, count - 1)]))
        prefetch(trees.code, np.uint64(trees.code_offsets[candidates[min(number + NEAR, count - 1)]]))
        expression = np.uint64(candidates[number])
        result, tests = evaluate(expression, trees, scratch.truth, scratch.code)
        scratch.marks[expression >> SIX] |= np.uint64(result) << (expression & LOW_SIX)
        num_tests += tests
        num_matched += np.int64(result)
    return num_matched, num_tests


@hot_loop
def match_events(
    first_event: Integer,
    events: Events,
    keys: FactKeys,
    lists: BopLists,
    trees: EncodedTrees,
    scratch: BopScratch,
    offsets: UInt64s,
    positions: UInt32s,
) -> Any:
    """Match events from `first_event` on until all are done, or until `positions` may not hold the next one's matches.

    Returns the first event that was not done; `offsets[first_event]` says how many positions are written already.
    """
    num_events = len(events.key_offsets) - 1
    num_free = len(lists.free_expressions)
    count = np.int64(offsets[first_event])
    for event in range(first_event, num_events):
        if len(positions) - count < 64 * len(scratch.marks):
            return event
        num_facts = note_facts(event, events, keys, scratch.truth, scratch.true_facts)
        num_candidates, num_read = _count_down(num_facts, lists, scratch)
        num_matched, num_tests = _evaluate_all(scratch.candidates, num_candidates, trees, scratch)
        num_free_matched, num_free_tests = _evaluate_all(lists.free_expressions, num_free, trees, scratch)
        forget_facts(num_facts, scratch.truth, scratch.true_facts)
        count = write_marks(count, scratch.marks, positions)
        offsets[event + 1] = count
        scratch.counts[POSTINGS] += num_read
        scratch.counts[TESTS] += num_tests + num_free_tests
        scratch.counts[CANDIDATES] += num_candidates + num_free
        scratch.counts[MATCHED] += num_matched + num_free_matched
    return num_events
