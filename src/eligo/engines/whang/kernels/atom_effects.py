"""What does a key of an event say about atoms? Which then hold, and which do not."""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.engines.kernels.clauses import IN_ATOM, STRONG_OUT_ATOM, WEAK_OUT_ATOM, grown, hash_atoms
from eligo.engines.kernels.expand_clauses import END_OF_CLAUSE, number_item
from eligo.engines.kernels.registrations import Registrations
from eligo.kernels.compiled import kernel
from eligo.kernels.interning import new_slots
from eligo.kernels.parameter_types import Int64s, Integer, UInt8s, UInt32s


@kernel
def number_disjunctions(offsets: Int64s, atoms: UInt32s, row_offsets: Int64s) -> Any:
    """The distinct disjunctions of CNF items, as offsets and atoms, and each item as a row of their numbers."""
    slots = new_slots()
    clause_offsets, clause_atoms = np.zeros(1 << 10, np.int64), np.empty(1 << 12, np.uint32)
    rows = np.empty(1 << 10, np.uint32)
    num_clauses, filled = 0, 0
    for item in range(len(offsets) - 1):
        start = offsets[item]
        for place in range(offsets[item], offsets[item + 1]):
            if atoms[place] != END_OF_CLAUSE:
                continue
            code = hash_atoms(atoms, start, place)
            number, slots, clause_offsets, clause_atoms = number_item(
                start, place, code, atoms, num_clauses, slots, clause_offsets, clause_atoms
            )
            num_clauses = max(num_clauses, number + 1)
            rows = grown(rows, filled + 1)
            rows[filled] = number
            filled += 1
            start = place + 1
        row_offsets[item + 1] = filled
    end = clause_offsets[num_clauses]
    return clause_offsets[: num_clauses + 1].copy(), clause_atoms[:end].copy(), rows[:filled].copy()


@kernel
def atom_effects(
    used: Int64s, missing_base: Integer, present_base: Integer, attribute_of_predicate: UInt32s,
    registrations: Registrations, defaults: UInt8s,
) -> Any:  # fmt: skip
    """Every effect of a key on a used atom: key, atom (its place in `used`), whether it then holds, and weight."""
    keys, numbers = np.empty(1 << 10, np.uint32), np.empty(1 << 10, np.uint32)
    values, weights = np.empty(1 << 10, np.uint8), np.empty(1 << 10, np.float64)
    count = 0
    for number in range(len(used)):
        atom = np.int64(used[number])
        is_predicate = atom < missing_base
        kind = atom & 3
        attribute = np.int64(attribute_of_predicate[atom >> 2]) if is_predicate else (atom - missing_base) >> 1
        is_missing = not is_predicate and atom & 1 == 0
        defaults[number] = 1 if is_missing or (is_predicate and kind == WEAK_OUT_ATOM) else 0
        first, last = np.int64(0), np.int64(0)
        if is_predicate:
            first, last = registrations.offsets[atom >> 2], registrations.offsets[(atom >> 2) + 1]
        needed = count + last - first + 1
        keys, numbers, values = grown(keys, needed), grown(numbers, needed), grown(values, needed)
        weights = grown(weights, needed)
        if not is_predicate or kind == STRONG_OUT_ATOM:
            keys[count] = present_base + attribute
            numbers[count], values[count], weights[count] = number, 0 if is_missing else 1, 1.0
            count += 1
        for place in range(first, last):
            keys[count], numbers[count] = registrations.keys[place], number
            values[count], weights[count] = 1 if kind == IN_ATOM else 0, registrations.weights[place]
            count += 1
    return keys[:count].copy(), numbers[:count].copy(), values[:count].copy(), weights[:count].copy()
