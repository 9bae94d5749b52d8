"""How are the posting lists of K-indexes written? Item by item, so that every list comes out sorted.

An *item* is a conjunction (of `k_index`) or a whole CNF expression (of `cnf`). Whang 2009, sections 3 and 4: items are
partitioned by size K; in a partition, an item has an entry in the list of every key that one of its predicates is
registered under. An entry is one integer, so that entries are in order when their words are:

    word  =  item | annotation | slot            annotation   0 ∉,  1 the attribute is present,  2 ∈

In a conjunction, the slot is the number of the positive predicate, so that one that an event hits through two keys
counts once. In a CNF, it is the disjunction and the number of the predicate in it. A list has at most one entry for an
item; further ones go to further lists of the same key.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eligo.engines.kernels.clauses import IN_ATOM, grown, required_attribute, requires_presence
from eligo.engines.kernels.expand_clauses import END_OF_CLAUSE
from eligo.engines.kernels.registrations import Registrations
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE
from eligo.kernels.parameter_types import Float64s, Int64s, Integer, Integers, UInt32s

OUT = 0
PRESENT = 1
IN = 2
"""Annotations of an entry."""


class ItemForm(NamedTuple):
    """How items become entries."""

    is_dnf: bool
    predicate_bits: int
    """Bits of a slot that number the predicate within its disjunction; 0 for conjunctions."""
    slot_bits: int
    missing_base: int
    """The first atom that says missing or present."""
    present_base: int
    """The first list key that says present and scores nothing; the attribute's number is added."""
    zero_key: int
    """The list key of Z."""


@kernel
def conjunction_sizes(
    offsets: Int64s, atoms: UInt32s, missing_base: Integer, attribute_of_predicate: UInt32s, sizes: UInt32s
) -> Any:
    """Write each conjunction's size: its positive predicates, and the attributes that must only be present."""
    most = 0
    for item in range(len(sizes)):
        size = 0
        for place in range(offsets[item], offsets[item + 1]):
            atom = np.int64(atoms[place])
            is_positive = atom < missing_base and atom & 3 == IN_ATOM
            if is_positive or requires_presence(item, place, offsets, atoms, missing_base, attribute_of_predicate):
                size += 1
        sizes[item] = size
        most = max(most, size)
    return most


@kernel
def disjunction_sizes(
    offsets: Int64s, atoms: UInt32s, missing_base: Integer, sizes: UInt32s, disjunction_offsets: UInt32s
) -> Any:
    """Write each CNF's size, its disjunctions without a weak ∉; returns how many weak ∉ each disjunction has.

    Also returns the most disjunctions of a CNF and the most predicates of a disjunction.
    """
    outs = np.zeros(1 << 10, np.uint16)
    count = 0
    most_disjunctions = 0
    most_predicates = 0
    for item in range(len(sizes)):
        size, num_outs, num_predicates = 0, 0, 0
        for place in range(offsets[item], offsets[item + 1]):
            if atoms[place] == END_OF_CLAUSE:
                outs = grown(outs, count + 1)
                outs[count] = num_outs
                count += 1
                size += 1 if num_outs == 0 else 0
                most_predicates = max(most_predicates, num_predicates)
                num_outs, num_predicates = 0, 0
                continue
            atom = np.int64(atoms[place])
            num_predicates += 1
            num_outs += 1 if is_weak_out(atom, missing_base) else 0
        sizes[item] = size
        disjunction_offsets[item + 1] = count
        most_disjunctions = max(most_disjunctions, count - np.int64(disjunction_offsets[item]))
    return outs[:count].copy(), most_disjunctions, most_predicates


@kernel
def is_weak_out(atom: Integer, missing_base: Integer) -> Any:
    """Whether an atom holds without any key: a weak ∉, or that an attribute is missing."""
    return atom & 3 == 1 if atom < missing_base else atom & 1 == 0


@kernel
def _presence_entries(
    item: Integer, slot: Integer, offsets: Int64s, atoms: UInt32s, attribute_of_predicate: UInt32s, form: ItemForm,
    keys: UInt32s, tails: Int64s, weights: Float64s, count: Integer,
) -> Any:  # fmt: skip
    """Add entries for the attributes of a conjunction that only have to be present, from a slot on."""
    for place in range(offsets[item], offsets[item + 1]):
        if requires_presence(item, place, offsets, atoms, form.missing_base, attribute_of_predicate):
            attribute = required_attribute(np.int64(atoms[place]), form.missing_base, attribute_of_predicate)
            keys, tails, weights = grown(keys, count + 2), grown(tails, count + 2), grown(weights, count + 2)
            keys[count] = form.present_base + attribute
            tails[count], weights[count] = (IN << form.slot_bits) | slot, 0.0
            slot += 1
            count += 1
    return keys, tails, weights, count


@kernel
def item_entries(
    item: Integer, size: Integer, offsets: Int64s, atoms: UInt32s, attribute_of_predicate: UInt32s,
    registrations: Registrations, form: ItemForm, out_stamp: UInt32s, keys: UInt32s, tails: Int64s, weights: Float64s,
) -> Any:  # fmt: skip
    """Write an item's list keys with annotation and slot, in that order; returns the arrays, and how many there are."""
    count = 0
    # In the order of annotations, which is that of words: a key that fails the item is known before it could help it.
    for annotation in range(3):
        disjunction, predicate_number, slot = 0, 0, 0
        for place in range(offsets[item], offsets[item + 1]):
            if not form.is_dnf and atoms[place] == END_OF_CLAUSE:
                disjunction += 1
                predicate_number = 0
                continue
            atom = np.int64(atoms[place])
            if not form.is_dnf:
                slot = (disjunction << form.predicate_bits) | predicate_number
                predicate_number += 1
            is_predicate = atom < form.missing_base
            is_in = is_predicate and atom & 3 == IN_ATOM
            tail = (annotation << form.slot_bits) | slot
            if is_predicate and is_in == (annotation == IN) and annotation != PRESENT:
                predicate = atom >> 2
                begin, end = registrations.offsets[predicate], registrations.offsets[predicate + 1]
                needed = count + end - begin + 2
                keys, tails, weights = grown(keys, needed), grown(tails, needed), grown(weights, needed)
                for registered in range(begin, end):
                    key = registrations.keys[registered]
                    if form.is_dnf:
                        if out_stamp[key] == item + 1:
                            continue  # an event with this key fails the item already
                        if annotation == OUT:
                            out_stamp[key] = item + 1
                    keys[count], tails[count] = key, tail if not form.is_dnf or is_in else 0
                    weights[count] = registrations.weights[registered] if is_in else 0.0
                    count += 1
                slot += 1 if form.is_dnf and is_in else 0
            keys, tails, weights = grown(keys, count + 2), grown(tails, count + 2), grown(weights, count + 2)
            if not is_predicate and atom & 1 == 0 and annotation == OUT:
                key = np.uint32((atom - form.missing_base) >> 1)
                if form.is_dnf:
                    if out_stamp[key] == item + 1:
                        continue
                    out_stamp[key] = item + 1
                keys[count], tails[count], weights[count] = key, 0 if form.is_dnf else tail, 0.0
                count += 1
            elif not form.is_dnf:
                attribute = required_attribute(atom, form.missing_base, attribute_of_predicate)
                if attribute >= 0 and annotation == (PRESENT if is_predicate else IN):
                    keys[count], tails[count], weights[count] = form.present_base + attribute, tail, 0.0
                    count += 1
        if form.is_dnf and annotation == IN:
            keys, tails, weights, count = _presence_entries(
                item, slot, offsets, atoms, attribute_of_predicate, form, keys, tails, weights, count
            )
    if size == 0:  # no key leads to it, so every event opens Z; its slot is none that a predicate has
        keys, tails, weights = grown(keys, count + 1), grown(tails, count + 1), grown(weights, count + 1)
        keys[count] = form.zero_key
        tails[count], weights[count] = (IN << form.slot_bits) | ((1 << form.slot_bits) - 1), 0.0
        count += 1
    return keys, tails, weights, count


@kernel
def write_lists(
    order: UInt32s, sizes: UInt32s, offsets: Int64s, atoms: UInt32s, attribute_of_predicate: UInt32s,
    registrations: Registrations, form: ItemForm, num_list_keys: Integer, list_next: Int64s, entries: Integers,
    entry_weights: Float64s,
) -> Any:  # fmt: skip
    """Count the entries of all lists, or write them where `list_next` has each list's first place.

    `order` has the items by size. A list gets its number when its first entry comes, so that the lists of one size are
    in the order of their first entries. Returns the lists' keys, sizes (as places among the distinct ones), entry
    counts, and largest weights.
    """
    writes = len(list_next) > 0
    has_weights = len(entry_weights) > 0
    shift = form.slot_bits + 2
    out_stamp = np.zeros(num_list_keys, np.uint32)
    first_list, list_epoch = np.empty(num_list_keys, np.uint32), np.zeros(num_list_keys, np.uint32)
    last_list, item_stamp = np.empty(num_list_keys, np.uint32), np.zeros(num_list_keys, np.uint32)
    list_key, list_rank = np.empty(1 << 10, np.uint32), np.empty(1 << 10, np.uint32)
    list_count, list_copy = np.empty(1 << 10, np.int64), np.empty(1 << 10, np.uint32)
    list_bound = np.empty(1 << 10, np.float64)
    keys, tails, weights = np.empty(64, np.uint32), np.empty(64, np.int64), np.empty(64, np.float64)
    num_lists = 0
    rank = 0
    for step in range(len(order)):
        item = np.int64(order[step])
        if step > 0 and sizes[item] != sizes[np.int64(order[step - 1])]:
            rank += 1
        keys, tails, weights, count = item_entries(
            item, sizes[item], offsets, atoms, attribute_of_predicate, registrations, form, out_stamp, keys, tails,
            weights,
        )  # fmt: skip
        for number in range(count):
            key = keys[number]
            # The first entry of an item under a key goes to the key's first list of this size, a second to a copy.
            is_first_of_item = item_stamp[key] != item + 1
            if is_first_of_item:
                found = first_list[key] if list_epoch[key] == rank + 1 else NONE
            else:
                found = list_copy[last_list[key]]
            if found == NONE:
                found = np.uint32(num_lists)
                num_lists += 1
                list_key, list_rank = grown(list_key, num_lists), grown(list_rank, num_lists)
                list_count, list_copy = grown(list_count, num_lists), grown(list_copy, num_lists)
                list_bound = grown(list_bound, num_lists)
                list_key[found], list_rank[found], list_count[found] = key, rank, 0
                list_copy[found], list_bound[found] = NONE, 0.0
                if is_first_of_item:
                    first_list[key], list_epoch[key] = found, rank + 1
                else:
                    list_copy[last_list[key]] = found
            item_stamp[key], last_list[key] = item + 1, found
            if writes:
                place = list_next[found] + list_count[found]
                entries[place] = (item << shift) | tails[number]
                if has_weights:
                    entry_weights[place] = weights[number]
            list_count[found] += 1
            list_bound[found] = max(list_bound[found], weights[number])
    return list_key[:num_lists].copy(), list_rank[:num_lists].copy(), list_count[:num_lists], list_bound[:num_lists]
