"""How does any expression become an OR of ANDs, or an AND of ORs, in flat arrays? By distribution, node by node.

Whang 2009 takes disjunctive or conjunctive normal form. Below, a *clause* is what stands inside: a conjunction of a
DNF, a disjunction of a CNF. A clause is a sorted row of *atoms*, of which there are five kinds:

    4p      p is hit            (p a predicate)           4P + 2a      attribute a is missing
    4p + 1  p is not hit, or its attribute is missing     4P + 2a + 1  attribute a is present
    4p + 2  p is not hit, and its attribute is present

A literal is one atom, or an OR of two: one that holds when its attribute is missing is `4p` or `4P + 2a`.

    (x or y) and z      DNF   x z | y z        CNF   x y | z

Every node has a set of clauses: under one connective those of the children are multiplied, under the other they are
put together. Equal clauses are kept once, and clauses that are always false (in a DNF) or true (in a CNF) not at all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Literals
from eligo.kernels.codes import AND, FALSE, LITERAL, OR, TRUE
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE, mix, u64
from eligo.kernels.interning import enlarged
from eligo.kernels.parameter_types import Element, Int64s, Integer, UInt32s

ALWAYS = np.uint32(0xFFFFFFFF)
NEVER = np.uint32(0xFFFFFFFE)
"""In place of a literal's first atom: it holds for every event, or for none."""
IN_ATOM = 0
WEAK_OUT_ATOM = 1
STRONG_OUT_ATOM = 2
"""What `atom & 3` is for the atoms of predicates."""
DROPPED_SCORE = 1
IDLE = 2
"""What `tidy` finds: the clause lost something that scores; the clause decides nothing."""
WORK_PER_LITERAL = 16
"""Pairs of clauses that are multiplied at most for one expression, as a multiple of the bound on literals."""


@kernel
def literal_atoms(table: Literals, firsts: UInt32s, seconds: UInt32s) -> None:
    """Write the atoms of each literal; a literal that is one atom has NONE as its second."""
    predicates = table.predicates
    missing_base = 4 * len(predicates.attribute_of_predicate)
    for literal in range(len(table.literal_predicate)):
        predicate = np.int64(table.literal_predicate[literal])
        attribute = np.int64(predicates.attribute_of_predicate[predicate])
        first_key, last_key = predicates.key_offsets[predicate], predicates.key_offsets[predicate + 1]
        has_range = predicates.range_offsets[predicate + 1] > predicates.range_offsets[predicate]
        is_empty = first_key == last_key and not has_range
        is_exists = first_key != last_key and np.int64(predicates.keys[first_key]) == attribute
        holds_when_missing = table.literal_holds_when_missing[literal] != 0
        is_missing, is_present = np.uint32(missing_base + 2 * attribute), np.uint32(missing_base + 2 * attribute + 1)
        seconds[literal] = NONE
        if table.literal_positive[literal] != 0:
            if is_empty:
                firsts[literal] = is_missing if holds_when_missing else NEVER
            else:
                firsts[literal] = np.uint32(4 * predicate + IN_ATOM)
                seconds[literal] = is_missing if holds_when_missing else NONE
        elif is_empty:
            firsts[literal] = ALWAYS if holds_when_missing else is_present
        elif is_exists:
            firsts[literal] = is_missing if holds_when_missing else NEVER
        else:
            kind = WEAK_OUT_ATOM if holds_when_missing else STRONG_OUT_ATOM
            firsts[literal] = np.uint32(4 * predicate + kind)


@kernel
def grown(array: npt.NDArray[Element], needed: Integer) -> npt.NDArray[Element]:
    """The array, or a copy of it that is long enough."""
    if needed <= len(array):
        return array
    return enlarged(array, needed)


@kernel
def sort_atoms(atoms: UInt32s, start: Integer, end: Integer) -> None:
    """Sort a stretch of atoms in place."""
    if end - start > 24:
        atoms[start:end].sort()
        return
    for place in range(start + 1, end):
        atom = atoms[place]
        before = place - 1
        while before >= start and atoms[before] > atom:
            atoms[before + 1] = atoms[before]
            before -= 1
        atoms[before + 1] = atom


@kernel
def tidy(
    atoms: UInt32s, start: Integer, end: Integer, is_dnf: bool, missing_base: Integer, attribute_of_predicate: UInt32s
) -> Any:
    """Drop what is redundant in a sorted clause; returns its new end, and DROPPED_SCORE and IDLE where they apply."""
    found = 0
    out = start
    has_score = False
    for place in range(start, end):
        atom = np.int64(atoms[place])
        previous = np.int64(atoms[out - 1]) if out > start else np.int64(-8)
        is_scored = atom < missing_base and atom & 3 == IN_ATOM
        has_score = has_score or is_scored
        if atom == previous:
            if is_dnf and is_scored:
                found |= DROPPED_SCORE  # AND adds it twice
            continue
        if atom < missing_base:
            if atom >> 2 == previous >> 2:
                if previous & 3 == IN_ATOM:
                    if is_dnf or atom & 3 == WEAK_OUT_ATOM:
                        found |= IDLE
                elif is_dnf:
                    out -= 1  # the strong one says more
                else:
                    continue  # the weak one says more
        elif atom & 1 == 1 and previous == atom - 1:
            found |= IDLE  # missing and present; `missing_base` is even
        atoms[out] = atom
        out += 1
    if is_dnf and found & IDLE == 0:
        place = out - 1
        while place >= start and np.int64(atoms[place]) >= missing_base:
            if atoms[place] & 1 == 0:
                attribute = (np.int64(atoms[place]) - missing_base) >> 1
                for other in range(start, out):
                    atom = np.int64(atoms[other])
                    if atom >= missing_base:
                        break
                    if atom & 3 != WEAK_OUT_ATOM and attribute_of_predicate[atom >> 2] == attribute:
                        found |= IDLE
            place -= 1
    if found & IDLE != 0 and has_score and not is_dnf:
        found |= DROPPED_SCORE
    return out, found


@kernel
def hash_atoms(atoms: UInt32s, start: Integer, end: Integer) -> Any:
    """The hash of a stretch of atoms."""
    code = u64(end - start + 1)
    for place in range(start, end):
        code = mix(code ^ u64(atoms[place]))
    return code


@kernel
def same_atoms(
    one: UInt32s, one_start: Integer, one_end: Integer, other: UInt32s, other_start: Integer, other_end: Integer
) -> Any:
    """Whether two stretches of atoms are equal."""
    is_same = one_end - one_start == other_end - other_start
    offset = 0
    while is_same and offset < one_end - one_start:
        is_same = one[one_start + offset] == other[other_start + offset]
        offset += 1
    return is_same


@kernel
def merge_atoms(
    atoms: UInt32s, one: Integer, one_end: Integer, other: Integer, other_end: Integer, out: Integer
) -> Any:
    """Write two sorted stretches as one from `out` on; returns its end."""
    while one < one_end or other < other_end:
        if other == other_end or (one < one_end and atoms[one] <= atoms[other]):
            atoms[out] = atoms[one]
            one += 1
        else:
            atoms[out] = atoms[other]
            other += 1
        out += 1
    return out


@kernel
def has_scored_atom(atoms: UInt32s, start: Integer, end: Integer, missing_base: Integer) -> Any:
    """Whether a clause has an atom that scores."""
    has_one = False
    for place in range(start, end):
        has_one = has_one or (np.int64(atoms[place]) < missing_base and atoms[place] & 3 == IN_ATOM)
    return has_one


@kernel
def leaf_kind(kind: Integer, literal: Integer, firsts: UInt32s) -> Any:
    """TRUE, FALSE or LITERAL for a node without children."""
    if kind != LITERAL:
        return kind
    if firsts[literal] == ALWAYS:
        return TRUE
    return FALSE if firsts[literal] == NEVER else LITERAL


@kernel
def is_multiplied(kind: Integer, is_dnf: bool) -> Any:
    """Whether clauses of the children are multiplied under this connective."""
    return kind == (AND if is_dnf else OR)


@kernel
def required_attribute(atom: Integer, missing_base: Integer, attribute_of_predicate: UInt32s) -> Any:
    """The attribute that an atom wants to be present without hitting it; -1 when there is none."""
    if atom >= missing_base:
        return (atom - missing_base) >> 1 if atom & 1 == 1 else -1
    return np.int64(attribute_of_predicate[atom >> 2]) if atom & 3 == STRONG_OUT_ATOM else -1


@kernel
def requires_presence(
    item: Integer, place: Integer, offsets: Int64s, atoms: UInt32s, missing_base: Integer,
    attribute_of_predicate: UInt32s,
) -> Any:  # fmt: skip
    """Whether a conjunction needs an entry of its own to say that this atom's attribute is present.

    It does not when a positive predicate says so anyway, or an atom before this one.
    """
    attribute = required_attribute(np.int64(atoms[place]), missing_base, attribute_of_predicate)
    if attribute < 0:
        return False
    for other in range(offsets[item], offsets[item + 1]):
        atom = np.int64(atoms[other])
        if atom < missing_base and atom & 3 == IN_ATOM:
            if np.int64(attribute_of_predicate[atom >> 2]) == attribute:
                return False
        elif other < place and required_attribute(atom, missing_base, attribute_of_predicate) == attribute:
            return False
    return True
