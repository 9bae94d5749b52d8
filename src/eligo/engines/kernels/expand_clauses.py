"""What are the clauses of every expression, each distinct one once? Expansion with sharing, in one pass over a table.

For disjunctive normal form an *item* is a conjunction, and expressions share items; for conjunctive normal form it is
a whole expression, its disjunctions one after another, each closed by `END_OF_CLAUSE`.

    0  x and y                     items   0: x y    1: z          expression 0: 0
    1  x and y or z                                                expression 1: 0 1

The clauses of one expression live in an arena of growing arrays: clause c is `atoms[starts[c]:ends[c]]`, with its hash
in `codes[c]`. Functions that add clauses give the arrays back, because growing makes new ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Expressions
from eligo.engines.kernels.clauses import (
    DROPPED_SCORE,
    IDLE,
    WORK_PER_LITERAL,
    grown,
    has_scored_atom,
    hash_atoms,
    is_multiplied,
    leaf_kind,
    merge_atoms,
    same_atoms,
    sort_atoms,
    tidy,
)
from eligo.kernels.codes import LITERAL, TRUE
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE, u64
from eligo.kernels.interning import EMPTY, HALF, LOW_HALF, ONE, doubled_slots, new_slots, slot_content, tag_of
from eligo.kernels.parameter_types import Int64s, Integer, UInt8s, UInt32s, UInt64s

END_OF_CLAUSE = np.uint32(0xFFFFFFFF)


@kernel
def _free_slot(
    code: Integer, start: Integer, stop: Integer, epoch: Integer, atoms: UInt32s, starts: Int64s, ends: Int64s,
    codes: UInt64s, seen: Int64s, seen_epoch: Int64s,
) -> Any:  # fmt: skip
    """The slot for a clause among those seen in this epoch, or -1 when it has been seen."""
    mask = len(seen) - 1
    slot = np.int64(u64(code) & u64(mask))
    while seen_epoch[slot] == epoch:
        known = seen[slot]
        if codes[known] == code and same_atoms(atoms, starts[known], ends[known], atoms, start, stop):
            return -1
        slot = (slot + 1) & mask
    return slot


@kernel
def _add_leaf(
    kind: Integer, first: Integer, second: Integer, is_dnf: bool, end: Integer, count: Integer, atoms: UInt32s,
    starts: Int64s, ends: Int64s, codes: UInt64s,
) -> Any:  # fmt: skip
    """Add the clauses of a literal or constant; returns the ends of atoms and clauses. There is room for two."""
    begin = count
    if kind == LITERAL:
        starts[count] = end
        atoms[end] = first
        end += 1
        if second != NONE:
            if is_dnf:
                ends[count] = end
                count += 1
                starts[count] = end
            atoms[end] = second
            end += 1
        ends[count] = end
        count += 1
    elif (kind == TRUE) == is_dnf:
        starts[count], ends[count] = end, end
        count += 1
    for clause in range(begin, count):
        codes[clause] = hash_atoms(atoms, starts[clause], ends[clause])
    return end, count


@kernel
def _multiply(
    one_first: Integer, one_last: Integer, other_first: Integer, other_last: Integer, is_dnf: bool, bound: Integer,
    epoch: Integer, end: Integer, count: Integer, atoms: UInt32s, starts: Int64s, ends: Int64s, codes: UInt64s,
    seen: Int64s, seen_epoch: Int64s, attribute_of_predicate: UInt32s,
) -> Any:  # fmt: skip
    """Add every clause of one set with every clause of another; also whether they fit, and what `tidy` found."""
    missing_base = 4 * len(attribute_of_predicate)
    begin, num_literals, everything_found = count, 0, 0
    for one in range(one_first, one_last):
        for other in range(other_first, other_last):
            atoms = grown(atoms, end + ends[one] - starts[one] + ends[other] - starts[other])
            stop = merge_atoms(atoms, starts[one], ends[one], starts[other], ends[other], end)
            stop, found = tidy(atoms, end, stop, is_dnf, missing_base, attribute_of_predicate)
            everything_found |= found
            if found & IDLE:
                continue
            code = hash_atoms(atoms, end, stop)
            slot = _free_slot(code, end, stop, epoch, atoms, starts, ends, codes, seen, seen_epoch)
            if slot < 0:
                continue
            num_literals += stop - end
            if num_literals > bound or count - begin >= bound:
                return atoms, starts, ends, codes, end, count, False, everything_found
            seen[slot], seen_epoch[slot] = count, epoch
            starts, ends, codes = grown(starts, count + 2), grown(ends, count + 2), grown(codes, count + 2)
            starts[count], ends[count], codes[count] = end, stop, code
            end = stop
            count += 1
    return atoms, starts, ends, codes, end, count, True, everything_found


@kernel
def _put_together(
    children: UInt32s, shift: Integer, node_first: Int64s, node_last: Int64s, end: Integer, atoms: UInt32s,
    starts: Int64s, ends: Int64s,
) -> Any:  # fmt: skip
    """Write the atoms of all children that have one clause as one; returns its end, -1 when a child has none."""
    has_none = False
    for child in children:
        size = node_last[child - shift] - node_first[child - shift]
        has_none = has_none or size == 0
        if size == 1:
            clause = node_first[child - shift]
            atoms = grown(atoms, end + ends[clause] - starts[clause])
            for at in range(starts[clause], ends[clause]):
                atoms[end] = atoms[at]
                end += 1
    return atoms, -1 if has_none else end


@kernel
def _unite(
    children: UInt32s, shift: Integer, keeps_scored: bool, bound: Integer, epoch: Integer, node_first: Int64s,
    node_last: Int64s, count: Integer, atoms: UInt32s, starts: Int64s, ends: Int64s, codes: UInt64s, seen: Int64s,
    seen_epoch: Int64s, missing_base: Integer,
) -> Any:  # fmt: skip
    """Add the clauses of all children, equal ones once (unless they score and `keeps_scored`); whether they fit."""
    begin, num_literals = count, 0
    for child in children:
        for clause in range(node_first[child - shift], node_last[child - shift]):
            start, stop = starts[clause], ends[clause]
            slot = _free_slot(codes[clause], start, stop, epoch, atoms, starts, ends, codes, seen, seen_epoch)
            if slot < 0 and not (keeps_scored and has_scored_atom(atoms, start, stop, missing_base)):
                continue
            num_literals += stop - start
            if num_literals > bound or count - begin >= bound:
                return starts, ends, codes, count, False
            if slot >= 0:
                seen[slot], seen_epoch[slot] = count, epoch
            starts, ends, codes = grown(starts, count + 2), grown(ends, count + 2), grown(codes, count + 2)
            starts[count], ends[count], codes[count] = start, stop, codes[clause]
            count += 1
    return starts, ends, codes, count, True


@kernel
def _expand_product(
    children: UInt32s, shift: Integer, is_dnf: bool, bound: Integer, epoch: Integer, work: Integer, node_first: Int64s,
    node_last: Int64s, end: Integer, count: Integer, atoms: UInt32s, starts: Int64s, ends: Int64s, codes: UInt64s,
    seen: Int64s, seen_epoch: Int64s, attribute_of_predicate: UInt32s,
) -> Any:  # fmt: skip
    """Add the clauses of a node whose children's are multiplied; also where they begin, whether they fit, what is lost.

    Children of one clause, which most are, are put together first: that is one product, however many they are. The
    others are multiplied in one after another; each leaves the clauses of the product before it behind.
    """
    missing_base = 4 * len(attribute_of_predicate)
    everything_found = 0
    begin, start = count, end
    fits = True
    atoms, stop = _put_together(children, shift, node_first, node_last, end, atoms, starts, ends)
    if stop >= 0:
        sort_atoms(atoms, start, stop)
        end, found = tidy(atoms, start, stop, is_dnf, missing_base, attribute_of_predicate)
        everything_found |= found
        if found & IDLE == 0:
            starts[count], ends[count], codes[count] = start, end, hash_atoms(atoms, start, end)
            count += 1
    for child in children:
        size = node_last[child - shift] - node_first[child - shift]
        if size != 1 and not is_dnf:
            everything_found |= DROPPED_SCORE  # (x and y) or z: a sum within a largest
        if size <= 1 or begin == count:  # put together above, or there is nothing left to multiply
            continue
        so_far = begin
        begin = count
        work += size * (begin - so_far)
        fits = work <= WORK_PER_LITERAL * bound
        if not fits:
            break
        epoch += 1
        atoms, starts, ends, codes, end, count, fits, found = _multiply(
            so_far, begin, node_first[child - shift], node_last[child - shift], is_dnf, bound, epoch, end, count, atoms,
            starts, ends, codes, seen, seen_epoch, attribute_of_predicate,
        )  # fmt: skip
        everything_found |= found
        if not fits:
            break
    return atoms, starts, ends, codes, begin, end, count, epoch, work, fits, everything_found


@kernel
def _join(first: Integer, last: Integer, end: Integer, atoms: UInt32s, starts: Int64s, ends: Int64s) -> Any:
    """Write the clauses first to last as one item; returns its end, -1 when one of them is of nothing."""
    is_false = False
    for clause in range(first, last):
        atoms = grown(atoms, end + ends[clause] - starts[clause] + 1)
        is_false = is_false or starts[clause] == ends[clause]
        for at in range(starts[clause], ends[clause]):
            atoms[end] = atoms[at]
            end += 1
        atoms[end] = END_OF_CLAUSE
        end += 1
    return atoms, -1 if is_false else end


@kernel
def number_item(
    start: Integer, stop: Integer, code: Integer, atoms: UInt32s, num_items: Integer, slots: UInt64s, offsets: Int64s,
    items: UInt32s,
) -> Any:  # fmt: skip
    """The number of an item that is `atoms[start:stop]`, which is the next one when it is new; and the grown arrays."""
    if 2 * (num_items + 1) > len(slots):
        slots = doubled_slots(slots)
    tag = tag_of(code)
    mask = np.uint64(len(slots) - 1)
    slot = tag & mask
    while slots[slot] != EMPTY:
        known = np.int64(slots[slot] & LOW_HALF)
        if slots[slot] >> HALF == tag and same_atoms(items, offsets[known], offsets[known + 1], atoms, start, stop):
            return known, slots, offsets, items
        slot = (slot + ONE) & mask
    slots[slot] = slot_content(tag, num_items)
    end = offsets[num_items]
    offsets, items = grown(offsets, num_items + 2), grown(items, end + stop - start)
    for at in range(start, stop):
        items[end] = atoms[at]
        end += 1
    offsets[num_items + 1] = end
    return num_items, slots, offsets, items


@kernel
def _expand_expression(
    expression: Integer, table: Expressions, firsts: UInt32s, seconds: UInt32s, is_dnf: bool, bound: Integer,
    epoch: Integer, is_rescored: UInt8s, node_first: Int64s, node_last: Int64s, atoms: UInt32s, starts: Int64s,
    ends: Int64s, codes: UInt64s, seen: Int64s, seen_epoch: Int64s,
) -> Any:  # fmt: skip
    """The clauses of every node of an expression, children before parents; whether they fit, and the grown arrays.

    The clauses of a node are those from `node_first` to `node_last`, at its place in the expression; the last one is
    the root. The arena begins anew, and what was seen in it before is forgotten with its epoch.
    """
    attribute_of_predicate = table.predicates.attribute_of_predicate
    missing_base = 4 * len(attribute_of_predicate)
    shift, last = np.int64(table.expression_offsets[expression]), np.int64(table.expression_offsets[expression + 1])
    end, count, work = 0, 0, 0
    fits = True
    for node in range(shift, last):
        kind = table.node_kind[node]
        children = table.children[table.child_offsets[node] : table.child_offsets[node + 1]]
        starts, ends, codes = grown(starts, count + 2), grown(ends, count + 2), grown(codes, count + 2)
        atoms = grown(atoms, end + 2)
        begin = count
        epoch += 1
        if kind >= TRUE:
            literal = table.node_literal[node]
            kind = leaf_kind(kind, literal, firsts)
            first, second = (firsts[literal], seconds[literal]) if kind == LITERAL else (NONE, NONE)
            end, count = _add_leaf(kind, first, second, is_dnf, end, count, atoms, starts, ends, codes)
        elif not is_multiplied(kind, is_dnf):
            keeps_scored = not is_dnf and is_rescored[expression] == 0  # AND adds what stands twice
            starts, ends, codes, count, fits = _unite(
                children, shift, keeps_scored, bound, epoch, node_first, node_last, count, atoms, starts, ends, codes,
                seen, seen_epoch, missing_base,
            )  # fmt: skip
        else:
            atoms, starts, ends, codes, begin, end, count, epoch, work, fits, found = _expand_product(
                children, shift, is_dnf, bound, epoch, work, node_first, node_last, end, count, atoms, starts, ends,
                codes, seen, seen_epoch, attribute_of_predicate,
            )  # fmt: skip
            is_rescored[expression] |= found & DROPPED_SCORE
        node_first[node - shift], node_last[node - shift] = begin, count
        if not fits:
            break
    return atoms, starts, ends, codes, end, epoch, fits


@kernel
def expand(
    table: Expressions, firsts: UInt32s, seconds: UInt32s, is_dnf: bool, bound: Integer, is_rescored: UInt8s,
    is_too_large: UInt8s,
) -> Any:  # fmt: skip
    """The distinct items of all expressions, and which of them each expression has.

    Returns the items as offsets and atoms, and the expressions as offsets and items. `is_rescored` is marked for an
    expression whose items do not tell its score, `is_too_large` for one whose form passes the bound on literals: that
    one has no items.
    """
    atoms, codes = np.empty(1 << 12, np.uint32), np.empty(1 << 10, np.uint64)
    starts, ends = np.empty(1 << 10, np.int64), np.empty(1 << 10, np.int64)
    node_first, node_last = np.empty(1 << 10, np.int64), np.empty(1 << 10, np.int64)
    room = 4
    while room < 2 * bound + 4:
        room *= 2
    seen, seen_epoch = np.zeros(room, np.int64), np.zeros(room, np.int64)
    epoch, num_items, num_pairs = 0, 0, 0
    slots = new_slots()
    item_offsets, item_atoms = np.zeros(1 << 10, np.int64), np.empty(1 << 12, np.uint32)
    num_expressions = len(table.expression_offsets) - 1
    expression_offsets, expression_items = np.zeros(num_expressions + 1, np.int64), np.empty(1 << 10, np.uint32)
    for expression in range(num_expressions):
        expression_offsets[expression + 1] = num_pairs
        num_nodes = np.int64(table.expression_offsets[expression + 1]) - np.int64(table.expression_offsets[expression])
        node_first, node_last = grown(node_first, num_nodes), grown(node_last, num_nodes)
        atoms, starts, ends, codes, end, epoch, fits = _expand_expression(
            expression, table, firsts, seconds, is_dnf, bound, epoch, is_rescored, node_first, node_last, atoms, starts,
            ends, codes, seen, seen_epoch,
        )  # fmt: skip
        if not fits:
            is_too_large[expression] = 1
        if not fits or num_nodes == 0:
            continue
        # The root's clauses are the expression's: items each in a DNF, and one item together in a CNF.
        begin, count = node_first[num_nodes - 1], node_last[num_nodes - 1]
        if not is_dnf:
            starts, ends, codes = grown(starts, count + 1), grown(ends, count + 1), grown(codes, count + 1)
            atoms, stop = _join(begin, count, end, atoms, starts, ends)
            if stop < 0:
                continue
            starts[count], ends[count], codes[count] = end, stop, hash_atoms(atoms, end, stop)
            begin, count = count, count + 1
        expression_items = grown(expression_items, num_pairs + count - begin)
        for clause in range(begin, count):
            item, slots, item_offsets, item_atoms = number_item(
                starts[clause], ends[clause], codes[clause], atoms, num_items, slots, item_offsets, item_atoms
            )
            num_items = max(num_items, item + 1)
            expression_items[num_pairs] = item
            num_pairs += 1
        expression_offsets[expression + 1] = num_pairs
    return (
        item_offsets[: num_items + 1].copy(),
        item_atoms[: item_offsets[num_items]].copy(),
        expression_offsets,
        expression_items[:num_pairs].copy(),
    )
