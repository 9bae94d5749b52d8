"""What does an event make true, before any item is looked at? Facts: a predicate is hit, an attribute is present.

The algorithms that Whang 2009 compares with all begin so: each key of the event leads to the facts that it makes true,
each of which is noted once, however many keys lead to it. An item (a conjunction, or a CNF expression) is then a row of
references to facts, with a bit that says whether the fact must be false (the paper's bit on each pointer):

    2f      fact f is true             4f      fact f is true             4f + 2, g   f is false and g is true
    2f + 1  fact f is false            4f + 1  fact f is false            (`a strong not in …` within a disjunction)

on the left in a conjunction, where all must hold; on the right in a disjunction.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events
from eligo.engines.kernels.clauses import IN_ATOM, STRONG_OUT_ATOM, grown, requires_presence
from eligo.engines.kernels.expand_clauses import END_OF_CLAUSE
from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Int64s, Integer, Integers, UInt8s, UInt32s
from eligo.ranges.kernels.segment_tree_walks import climb

ONE = np.uint64(1)
TRUE_FACT, FALSE_FACT, FALSE_BUT_PRESENT = 0, 1, 2
"""What a reference wants of its fact; the third is followed by the fact of presence."""


class FactKeys(NamedTuple):
    """Which facts each key makes true."""

    key_offsets: npt.NDArray[np.uint32]
    """Key k makes true `key_facts[key_offsets[k]:key_offsets[k + 1]]`; after the vocabulary come nodes of axes."""
    key_facts: npt.NDArray[np.uint32]
    axis_base: npt.NDArray[np.uint32]
    """For each axis: the key of its segment tree's node 0; see `ranges.segment_tree`."""
    axis_size: npt.NDArray[np.uint32]
    """For each axis: the size of its segment tree."""
    fact_predicates: npt.NDArray[np.uint32]
    """For each fact: its predicate, or the number of predicates plus the attribute that is present."""


class MatchRows(NamedTuple):
    """Which expressions each item belongs to."""

    match_offsets: npt.NDArray[np.uint32]
    """Item i belongs to the expressions `matches[match_offsets[i]:match_offsets[i + 1]]`."""
    matches: npt.NDArray[np.uint32]
    num_expressions: npt.NDArray[np.uint32]
    """How many expressions there are: one number."""


class FactScratch(NamedTuple):
    """What one thread needs; no fact is true between events."""

    truth: npt.NDArray[np.uint8]
    """For each fact: 1 while it is true."""
    true_facts: npt.NDArray[np.uint32]
    """The facts that are true."""
    marks: npt.NDArray[np.uint64]
    """One bit for each expression; none set between events."""
    work: npt.NDArray[Any]
    """What the engine keeps for each item."""
    counts: npt.NDArray[np.int64]
    """Added up over events: postings read, tests of facts, items that matched."""


POSTINGS, TESTS, MATCHED = range(3)
"""Places in `counts`."""


@hot_loop
def _note_key(key: Integer, count: Integer, keys: FactKeys, truth: UInt8s, true_facts: UInt32s) -> Any:
    for place in range(keys.key_offsets[key], keys.key_offsets[key + ONE]):
        fact = np.uint64(keys.key_facts[place])
        true_facts[count] = fact
        count += np.int64(truth[fact] ^ np.uint8(1))  # kept if it is new
        truth[fact] = 1
    return count


@hot_loop
def note_facts(event: Integer, events: Events, keys: FactKeys, truth: UInt8s, true_facts: UInt32s) -> Any:
    """Make true what the event's keys say; returns how many facts that are. `true_facts` has room for one more."""
    count = np.int64(0)
    for place in range(events.key_offsets[event], events.key_offsets[event + 1]):
        count = _note_key(np.uint64(events.keys[place]), count, keys, truth, true_facts)
    for place in range(events.cell_offsets[event], events.cell_offsets[event + 1]):
        axis = events.cell_axes[place]
        for key in climb(events.cells[place], keys.axis_size[axis], keys.axis_base[axis]):
            count = _note_key(key, count, keys, truth, true_facts)
    return count


@hot_loop
def forget_facts(count: Integer, truth: UInt8s, true_facts: UInt32s) -> None:
    """Undo `note_facts`."""
    for number in range(count):
        truth[true_facts[number]] = 0


@hot_loop
def count_facts(events: Events, keys: FactKeys, truth: UInt8s, true_facts: UInt32s, totals: Int64s) -> None:
    """Write for how many of the events each fact is true."""
    for event in range(len(events.key_offsets) - 1):
        count = note_facts(event, events, keys, truth, true_facts)
        for number in range(count):
            totals[true_facts[number]] += 1
        forget_facts(count, truth, true_facts)


@kernel
def conjunction_references(
    offsets: Int64s, atoms: UInt32s, missing_base: Integer, attribute_of_predicate: UInt32s
) -> Any:
    """Each conjunction as a row of references to facts: offsets and references."""
    num_predicates = missing_base // 4
    new_offsets, references = np.zeros(len(offsets), np.int64), np.empty(2 * len(atoms), np.uint32)
    count = 0
    for item in range(len(offsets) - 1):
        for place in range(offsets[item], offsets[item + 1]):
            atom = np.int64(atoms[place])
            if atom < missing_base:
                references[count] = 2 * (atom >> 2) + (0 if atom & 3 == IN_ATOM else 1)
                count += 1
            elif atom & 1 == 0:
                references[count] = 2 * (num_predicates + ((atom - missing_base) >> 1)) + 1
                count += 1
            if requires_presence(item, place, offsets, atoms, missing_base, attribute_of_predicate):
                is_predicate = atom < missing_base
                attribute = np.int64(attribute_of_predicate[atom >> 2]) if is_predicate else (atom - missing_base) >> 1
                references[count] = 2 * (num_predicates + attribute)
                count += 1
        new_offsets[item + 1] = count
    return new_offsets, references[:count].copy()


@kernel
def disjunction_words(
    offsets: Int64s, atoms: UInt32s, missing_base: Integer, attribute_of_predicate: UInt32s, needs_key: UInt8s
) -> Any:
    """Each CNF expression as words: for each disjunction how many words follow, then its references.

    `needs_key` is set for an expression with a disjunction that some key must make true. Also returned are the offsets,
    and pairs of an expression and a fact that may make one of its disjunctions true.
    """
    num_predicates = missing_base // 4
    new_offsets, words = np.zeros(len(offsets), np.int64), np.empty(2 * len(atoms) + 1, np.uint32)
    pair_items, pair_facts = np.empty(1 << 10, np.uint32), np.empty(1 << 10, np.uint32)
    count, num_pairs = 0, 0
    for item in range(len(offsets) - 1):
        header, is_free = count, False
        for place in range(offsets[item], offsets[item + 1]):
            if header == count:
                count += 1
            atom = np.int64(atoms[place])
            if atoms[place] == END_OF_CLAUSE:
                words[header] = count - header - 1
                needs_key[item] = needs_key[item] | (0 if is_free else 1)
                header, is_free = count, False
                continue
            is_predicate = atom < missing_base
            attribute = np.int64(attribute_of_predicate[atom >> 2]) if is_predicate else (atom - missing_base) >> 1
            present = num_predicates + attribute
            entered = np.int64(-1)
            if is_predicate and atom & 3 == IN_ATOM:
                words[count] = 4 * (atom >> 2) + TRUE_FACT
                entered = atom >> 2
            elif is_predicate and atom & 3 == STRONG_OUT_ATOM:
                words[count] = 4 * (atom >> 2) + FALSE_BUT_PRESENT
                count += 1
                words[count] = present
                entered = present
            elif is_predicate:
                words[count] = 4 * (atom >> 2) + FALSE_FACT
            elif atom & 1 == 1:
                words[count] = 4 * present + TRUE_FACT
                entered = present
            else:
                words[count] = 4 * present + FALSE_FACT
            count += 1
            is_free = is_free or entered < 0
            if entered >= 0:
                pair_items, pair_facts = grown(pair_items, num_pairs + 1), grown(pair_facts, num_pairs + 1)
                pair_items[num_pairs], pair_facts[num_pairs] = item, entered
                num_pairs += 1
        new_offsets[item + 1] = count
    return new_offsets, words[:count].copy(), pair_items[:num_pairs].copy(), pair_facts[:num_pairs].copy()


@kernel
def disjunction_facts(offsets: Int64s, words: UInt32s, is_used: UInt8s) -> None:
    """Set the flags of all facts that the words of `disjunction_words` refer to."""
    for item in range(len(offsets) - 1):
        place = offsets[item]
        while place < offsets[item + 1]:
            end = place + 1 + np.int64(words[place])
            place += 1
            while place < end:
                word = np.int64(words[place])
                is_used[word >> 2] = 1
                if word & 3 == FALSE_BUT_PRESENT:
                    place += 1
                    is_used[words[place]] = 1
                place += 1


@kernel
def number_words(offsets: Int64s, words: UInt32s, number_of_fact: UInt32s) -> None:
    """Replace facts in the words of `disjunction_words` by their numbers, in place."""
    for item in range(len(offsets) - 1):
        place = offsets[item]
        while place < offsets[item + 1]:
            end = place + 1 + np.int64(words[place])
            place += 1
            while place < end:
                word = np.int64(words[place])
                words[place] = 4 * np.int64(number_of_fact[word >> 2]) + (word & 3)
                if word & 3 == FALSE_BUT_PRESENT:
                    place += 1
                    words[place] = number_of_fact[words[place]]
                place += 1


@kernel
def group_by(values: Integers, num_values: Integer, rows: UInt32s) -> Any:
    """The rows by their value, in the order in which they stand: offsets by value, and rows."""
    offsets = np.zeros(num_values + 1, np.int64)
    for value in values:
        offsets[np.int64(value) + 1] += 1
    for value in range(num_values):
        offsets[value + 1] += offsets[value]
    places = offsets[:-1].copy()
    grouped = np.empty_like(rows)
    for number in range(len(values)):
        value = values[number]
        grouped[places[value]] = rows[number]
        places[value] += 1
    return offsets.astype(np.uint32), grouped
