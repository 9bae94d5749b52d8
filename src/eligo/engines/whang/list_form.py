"""When can K-indexes and a tree of beginnings from a file be walked? When items, lists, keys and atoms are there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_form import weights_problems
from eligo.data.stored_form import Arrays, Column, Offsets, Sizes, beyond, lengths_of, problems, unless
from eligo.data.vocabulary import Vocabulary
from eligo.engines.kernels.form_checks import first_bad_nesting
from eligo.engines.stored_lists import axis_problems, distinct_positions, stored_axis_lists
from eligo.engines.whang.kernels.list_heads import NUM_EXPRESSIONS, PREDICATE_BITS, PRESENT_BASE, SLOT_BITS, ZERO_KEY
from eligo.engines.whang.kernels.prefix_tree import LEAF

FORM = (
    Column("axis_base", "u4"),
    Column("axis_size", "u4", "axes"),
    Offsets("match_offsets", "u4", "items", into="matches"),
    Column("matches", "u4", below="expressions"),
    Column("sizes", "u4", "sizes"),
    Offsets("size_offsets", "u4", "sizes", into="list_key"),
    Offsets("list_offsets", "u8", "lists", into="entries"),
    Column("list_key", "u4", "lists", below="list keys"),
    Column("list_attribute", "u4", "lists", below="attributes", or_none=True),
    Column("list_bounds", "f8", "lists"),
    Column("entries", "u4 u8", "entries"),
    Column("entry_weights", "f8", "entries", or_empty=True),
    Offsets("key_offsets", "u4", "list keys", into="key_lists"),
    Column("key_lists", "u4", below="lists"),
    Column("rescored", "u4", "rescored", below="expressions"),
    Column("layout", "u4", 5),
    Column("node_clause", "u4", "nodes", below="clauses"),
    Column("node_next", "u4", "nodes"),
    Column("atom_default", "u1", "atoms", below=2),
    Offsets("effect_offsets", "u4", "list keys", into="effect_atom"),
    Column("effect_atom", "u4", "effects", below="atoms"),
    Column("effect_value", "u1", "effects", below=2),
    Column("effect_weights", "f8", "effects", or_empty=True),
)
"""The arrays of `KLists` and `PrefixTree`, which say what they mean; those of disjunctions are apart."""

OF_CONJUNCTIONS = (
    Column("disjunction_offsets", "u4", 0),
    Column("disjunction_outs", "u2", 0),
    Column("clause_offsets", "u4", 0),
    Column("clause_atoms", "u4", 0),
)
OF_DISJUNCTIONS = (
    Offsets("disjunction_offsets", "u4", "items", into="disjunction_outs"),
    Column("disjunction_outs", "u2"),
    Offsets("clause_offsets", "u4", "clauses", into="clause_atoms"),
    Column("clause_atoms", "u4", below="atoms"),
)

MOST_ROWS, ROWS_OF_NODE = 1 << 27, 256
"""The clauses of all items together are no more than the first, or so many for each node."""


def list_problems(
    arrays: Arrays, vocabulary: Vocabulary, num_scored: int, num_expressions: int, *, is_dnf: bool, deep: bool
) -> Iterator[str]:
    """What is wrong with the arrays of so many expressions; the table has nodes of `num_scored` of them."""
    present_base = stored_axis_lists(arrays, vocabulary, vocabulary.num_keys).end
    zero_key = present_base + vocabulary.num_attributes
    sizes: Sizes = {
        "attributes": vocabulary.num_attributes,
        "axes": vocabulary.num_axes,
        "expressions": num_expressions,
        "list keys": zero_key + 1,
        "rescored": num_scored,
    }
    if is_dnf and "atom_default" in arrays:
        sizes["clauses"] = len(arrays["atom_default"])
    form = (*(OF_CONJUNCTIONS if is_dnf else OF_DISJUNCTIONS), *FORM)
    found = False
    for problem in problems(form, arrays, sizes, deep=deep):
        found = True
        yield problem
    if found:
        return
    layout = arrays["layout"].tolist()
    known = {PRESENT_BASE: present_base, ZERO_KEY: zero_key, NUM_EXPRESSIONS: num_expressions}
    for place, wanted in known.items():
        yield from unless(layout[place] == wanted, "layout", f"has {layout[place]:,} at {place}, not {wanted:,}")
    yield from unless(layout[SLOT_BITS] < 62, "layout", "has too many bits for a slot")
    yield from unless(layout[PREDICATE_BITS] <= layout[SLOT_BITS], "layout", "has too many bits for a predicate")
    yield from axis_problems(arrays, vocabulary, vocabulary.num_keys)
    if deep:
        yield from _deep(arrays, sizes)


def _slots(arrays: Arrays, entries: npt.NDArray[np.uint64], shift: np.uint64) -> Iterator[str]:
    """An entry is of a disjunction that its item has, or of Z, whose slot has all bits."""
    every_bit = (np.uint64(1) << (shift - np.uint64(2))) - np.uint64(1)
    slots = entries & every_bit
    disjunction = slots >> np.uint64(int(arrays["layout"][PREDICATE_BITS]))
    num_disjunctions = lengths_of(arrays["disjunction_offsets"])[(entries >> shift).astype(np.int64)]
    fits = (slots == every_bit) | (disjunction < num_disjunctions.astype(np.uint64))
    yield from unless(fits, "entries", "is of a disjunction that is not there")


def _deep(arrays: Arrays, sizes: Sizes) -> Iterator[str]:
    shift = np.uint64(min(int(arrays["layout"][SLOT_BITS]), 61) + 2)
    entries = arrays["entries"].astype(np.uint64)
    yield from beyond("entries", entries >> shift, sizes["items"])
    yield from unless(lengths_of(arrays["list_offsets"]) > 0, "list_offsets", "has an empty list")
    is_first = np.zeros(len(entries) + 1, np.bool_)
    is_first[arrays["list_offsets"].astype(np.int64)] = True
    yield from unless((entries[1:] > entries[:-1]) | is_first[1:-1], "entries", "does not ascend within a list")
    if len(arrays["disjunction_offsets"]) and (entries >> shift < sizes["items"]).all():
        yield from _slots(arrays, entries, shift)
    for name in ("entry_weights", "effect_weights"):
        yield from weights_problems(name, arrays[name])
    yield from unless(arrays["list_bounds"] >= 0, "list_bounds", "has a bound below 0")
    yield from unless(lengths_of(arrays["rescored"]) > 0, "rescored", "does not ascend")
    node_next = arrays["node_next"]
    is_leaf = node_next >= LEAF
    items = (node_next[is_leaf] ^ LEAF).astype(np.int64)
    yield from beyond("node_next", items, sizes["items"])
    if (items >= sizes["items"]).any():
        return
    yield from distinct_positions("node_next", items, sizes["items"])
    depths = np.zeros(len(node_next), np.int64)
    wrong = int(first_bad_nesting(node_next, LEAF, depths))
    yield from unless(wrong < 0, "node_next", f"leads out of the tree, or back, at {wrong}")
    if wrong < 0:
        yield from unless(int(depths.max(initial=0)) < 1 << 16, "node_next", "makes too deep a tree")
        rows = int((depths[is_leaf] + 1).sum())
        yield from unless(rows <= max(MOST_ROWS, ROWS_OF_NODE * len(depths)), "node_next", "makes items too long")
