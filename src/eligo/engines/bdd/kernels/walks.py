"""How does an event walk through shared diagrams? From each root that it can change, down to an end.

When no fact is true, a walk goes low all the way, and where it ends is known beforehand. It ends elsewhere only if it
leaves this *low way*, by a fact on it that is true. So each root is registered under the facts of its low way, and an
event walks from the roots that its facts lead to; all others end as they always do.

    (P1 or P2) and P3      low way  P1, P2 ──▶ false       registered under P1 and P2

A decision that several others lead to keeps its result for as long as the event lasts, so that it is gone through once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events
from eligo.engines.bdd.kernels.diagram import TRUE_END
from eligo.engines.bdd.kernels.shared_diagrams import WORDS
from eligo.engines.kernels.clauses import grown
from eligo.engines.kernels.facts import FactKeys, forget_facts, note_facts
from eligo.engines.kernels.marks import write_marks
from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Integer, UInt8s, UInt32s, UInt64s
from eligo.kernels.prefetch import prefetch

ONE = np.uint64(1)
SIX = np.uint64(6)
LOW_SIX = np.uint64(63)
STEP = np.uint64(WORDS)
FIRST_DECISION = np.uint64(TRUE_END + 1)
NEAR, FAR = 6, 12
"""How many roots ahead a decision is asked for, and where it lies."""
MOST_KEPT = np.uint64(32)
"""Decisions of one walk that keep its result."""


class SharedDiagrams(NamedTuple):
    """The decisions of all expressions, and the ways into them."""

    decisions: npt.NDArray[np.uint32]
    """For each decision three words: twice its fact, and 1 more if several lead to it; low; high. The ends come first.

    Low and high are decisions before this one.
    """
    roots: npt.NDArray[np.uint32]
    """For each different root: twice its decision, and 1 more if it ends true when no fact is."""
    root_offsets: npt.NDArray[np.uint32]
    """Root r is that of the expressions `root_expressions[root_offsets[r]:root_offsets[r + 1]]`."""
    root_expressions: npt.NDArray[np.uint32]
    way_offsets: npt.NDArray[np.uint32]
    """Fact f is on the low way of the roots `way_roots[way_offsets[f]:way_offsets[f + 1]]`."""
    way_roots: npt.NDArray[np.uint32]
    usual_marks: npt.NDArray[np.uint64]
    """One bit for each expression: whether it is true when no fact is."""


class WalkScratch(NamedTuple):
    """What one thread needs; between events no fact is true, no root is met and nothing is kept."""

    truth: npt.NDArray[np.uint8]
    """For each fact: 1 while it is true."""
    true_facts: npt.NDArray[np.uint32]
    """The facts that are true."""
    is_met: npt.NDArray[np.uint8]
    """For each root: 1 when a fact leads to it."""
    met: npt.NDArray[np.uint32]
    """The roots that facts lead to."""
    results: npt.NDArray[np.uint8]
    """For each decision: 0, or 2 or 3 when it is known to end false or true."""
    kept: npt.NDArray[np.uint32]
    """The decisions whose results are known."""
    way: npt.NDArray[np.uint32]
    """Decisions on the way that wait for its result."""
    marks: npt.NDArray[np.uint64]
    """One bit for each expression."""
    counts: npt.NDArray[np.int64]
    """Added up over events: roots found in lists, tests of facts, roots walked from, and walks that ended unusually."""


ENTRIES, TESTS, WALKS, UNUSUAL = range(4)
"""Places in `counts`."""


@kernel
def count_parents(words: UInt32s, num_parents: UInt8s) -> None:
    """Add for each decision how many others lead to it, up to 2."""
    for decision in range(TRUE_END + 1, len(num_parents)):
        for side in range(1, WORDS):
            child = words[WORDS * decision + side]
            num_parents[child] = min(num_parents[child] + 1, 2)


@kernel
def low_ways(words: UInt32s, roots: UInt32s, ends: UInt8s) -> Any:
    """Write how each root ends when no fact is true; returns pairs of a fact and a root whose low way it is on."""
    facts, owners = np.empty(1 << 10, np.uint32), np.empty(1 << 10, np.uint32)
    count = 0
    for root in range(len(roots)):
        decision = np.int64(roots[root])
        while decision > TRUE_END:
            facts, owners = grown(facts, count + 1), grown(owners, count + 1)
            facts[count], owners[count] = words[WORDS * decision], root
            count += 1
            decision = np.int64(words[WORDS * decision + 1])
        ends[root] = decision
    return facts[:count].copy(), owners[:count].copy()


@hot_loop
def _meet_roots(num_facts: Integer, diagrams: SharedDiagrams, scratch: WalkScratch) -> Any:
    """Write the roots that true facts lead to, each once; returns how many, and how often they were found."""
    is_met, met = scratch.is_met, scratch.met
    count, num_read = np.uint64(0), 0
    for number in range(num_facts):
        fact = np.uint64(scratch.true_facts[number])
        first, last = diagrams.way_offsets[fact], diagrams.way_offsets[fact + ONE]
        for place in range(first, last):
            root = np.uint64(diagrams.way_roots[place])
            met[count] = root  # kept if it is new
            count += np.uint64(is_met[root] ^ np.uint8(1))
            is_met[root] = 1
        num_read += np.int64(last) - np.int64(first)
    return np.int64(count), num_read


@hot_loop
def _walk(decision: np.uint64, decisions: UInt32s, num_kept: np.uint64, scratch: WalkScratch) -> Any:
    """Where the walk from a decision ends (0 or 1), how many results are kept now, and the tests made."""
    truth, results, way = scratch.truth, scratch.results, scratch.way
    num_tests, depth = 0, np.uint64(0)
    while decision >= FIRST_DECISION:
        word = np.uint64(decisions[STEP * decision])
        if word & ONE != 0:
            known = np.uint64(results[decision])
            if known != 0:
                decision = known & ONE
                break
            way[depth] = decision
            depth = min(depth + ONE, MOST_KEPT)
        decision = np.uint64(decisions[STEP * decision + ONE + np.uint64(truth[word >> ONE])])
        num_tests += 1
    for place in range(min(depth, MOST_KEPT)):
        results[way[place]] = np.uint8(np.uint64(2) | decision)
        scratch.kept[num_kept] = way[place]
        num_kept += ONE
    return decision, num_kept, num_tests


@hot_loop
def _flip(root: np.uint64, diagrams: SharedDiagrams, marks: UInt64s) -> None:
    """Turn the marks of a root's expressions round."""
    for place in range(diagrams.root_offsets[root], diagrams.root_offsets[root + ONE]):
        expression = np.uint64(diagrams.root_expressions[place])
        marks[expression >> SIX] ^= ONE << (expression & LOW_SIX)


@hot_loop
def match_events(
    first_event: Integer,
    events: Events,
    keys: FactKeys,
    diagrams: SharedDiagrams,
    scratch: WalkScratch,
    from_every_root: bool,
    offsets: UInt64s,
    positions: UInt32s,
) -> Any:
    """Match events from `first_event` on until all are done, or until `positions` may not hold the next one's matches.

    Returns the first event that was not done; `offsets[first_event]` says how many positions are written already.
    """
    decisions, roots, marks, met = diagrams.decisions, diagrams.roots, scratch.marks, scratch.met
    num_events = len(events.key_offsets) - 1
    count = np.int64(offsets[first_event])
    for event in range(first_event, num_events):
        if len(positions) - count < 64 * len(marks):
            return event
        num_facts = note_facts(event, events, keys, scratch.truth, scratch.true_facts)
        for number in range(len(marks)):
            marks[number] = diagrams.usual_marks[number]
        num_walks, num_read = np.int64(len(roots)), 0
        if not from_every_root:
            num_walks, num_read = _meet_roots(num_facts, diagrams, scratch)
        last = int(num_walks) - 1
        num_kept, num_tests, num_unusual = np.uint64(0), 0, 0
        for number in range(num_walks):
            root = np.uint64(number)
            if not from_every_root:
                # Their decisions lie here and there.
                prefetch(roots, np.uint64(met[min(number + FAR, last)]))
                prefetch(decisions, STEP * (np.uint64(roots[met[min(number + NEAR, last)]]) >> ONE))
                root = np.uint64(met[number])
                scratch.is_met[root] = 0
            word = np.uint64(roots[root])
            end, num_kept, tests = _walk(word >> ONE, decisions, num_kept, scratch)
            num_tests += tests
            if end != word & ONE:
                _flip(root, diagrams, marks)
                num_unusual += 1
        for number in range(num_kept):
            scratch.results[scratch.kept[number]] = 0
        forget_facts(num_facts, scratch.truth, scratch.true_facts)
        count = write_marks(count, marks, positions)
        offsets[event + 1] = count
        scratch.counts[ENTRIES] += num_read
        scratch.counts[TESTS] += num_tests
        scratch.counts[WALKS] += num_walks
        scratch.counts[UNUSUAL] += num_unusual
    return num_events
