"""What does an item want of facts? It is a row of references, each with a bit for what must be false.

The algorithms that Whang 2009 compares with begin with the facts that an event makes true (`engines.kernels.facts`).
An item, a conjunction or a CNF expression, refers to them; the bit is the paper's on each pointer:

    2f      fact f is true             4f      fact f is true             4f + 2, g   f is false and g is true
    2f + 1  fact f is false            4f + 1  fact f is false            (`a strong not in …` within a disjunction)

on the left in a conjunction, where all must hold; on the right in a disjunction.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.engines.kernels.clauses import IN_ATOM, STRONG_OUT_ATOM, grown, requires_presence
from eligo.engines.kernels.expand_clauses import END_OF_CLAUSE
from eligo.kernels.compiled import kernel
from eligo.kernels.parameter_types import Int64s, Integer, UInt8s, UInt32s

TRUE_FACT, FALSE_FACT, FALSE_BUT_PRESENT = 0, 1, 2
"""What a reference wants of its fact; the third is followed by the fact of presence."""


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
