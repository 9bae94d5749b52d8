"""How do conjunctions, or CNF expressions, become K-indexes? Sizes, then entries, then the lists of each key.

Whang 2009, sections 3 and 4. What the paper leaves to single-valued attributes and sets of values is done with keys:
a range registers under the nodes that cover it on its axis; a ∉ that needs its attribute (STRONG) also
registers under a key of presence that scores nothing; a literal that also holds when its attribute is
missing has become two.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.list_keys import ListKeys
from eligo.engines.list_offsets import axis_attributes, offsets_of
from eligo.engines.normal_forms import Items
from eligo.engines.stored_lists import AxisLists
from eligo.engines.whang.kernels.list_heads import KLists
from eligo.engines.whang.kernels.posting_lists import ItemForm, conjunction_sizes, disjunction_sizes, write_lists
from eligo.errors import InputError
from eligo.kernels.hashing import NONE


class _Sizes(NamedTuple):
    """How large items are, and what of them becomes an entry."""

    sizes: npt.NDArray[np.uint32]
    disjunction_offsets: npt.NDArray[np.uint32]
    disjunction_outs: npt.NDArray[np.uint16]
    """As in `KLists`; the last two are empty for conjunctions."""
    form: ItemForm


class _Written(NamedTuple):
    """The posting lists of items, in the order of `KLists`."""

    list_key: npt.NDArray[np.uint32]
    list_rank: npt.NDArray[np.uint32]
    """For each list: its size, as a place among the distinct ones."""
    list_bounds: npt.NDArray[np.float64]
    list_offsets: npt.NDArray[np.uint64]
    entries: npt.NDArray[Any]
    entry_weights: npt.NDArray[np.float64]


def k_lists(
    items: Items,
    table: ExpressionTable,
    vocabulary: Vocabulary,
    keys: ListKeys,
    *,
    is_dnf: bool,
    key_bounds: npt.NDArray[np.float64] | None = None,
) -> KLists:
    """The posting lists of items; `key_bounds` has an upper bound (UB) for each key of the vocabulary."""
    sizes, disjunction_offsets, disjunction_outs, form = _sizes(items, table, keys, is_dnf=is_dnf)
    written = _written(items, sizes, table, keys, form)
    list_bounds = written.list_bounds
    if key_bounds is not None:
        list_bounds = _given_bounds(list_bounds, written.list_key, key_bounds)
    # A list with an item that only its expression's tree can score has no bound.
    has_rescored = _has_rescored(items, written.entries, written.list_offsets, form.slot_bits)
    distinct_sizes = np.unique(sizes)
    layout = [form.slot_bits, form.predicate_bits, keys.present_base, keys.zero_key, table.num_expressions]
    return KLists(
        sizes=distinct_sizes,
        size_offsets=offsets_of(np.bincount(written.list_rank, minlength=len(distinct_sizes))),
        list_offsets=written.list_offsets,
        list_key=written.list_key,
        list_attribute=_key_attributes(vocabulary, keys.axes)[written.list_key],
        list_bounds=np.where(has_rescored, np.inf, list_bounds),
        entries=written.entries,
        entry_weights=written.entry_weights,
        key_offsets=offsets_of(np.bincount(written.list_key, minlength=keys.zero_key + 1)),
        key_lists=np.argsort(written.list_key, kind="stable").astype(np.uint32),
        match_offsets=items.match_offsets,
        matches=items.matches,
        disjunction_offsets=disjunction_offsets,
        disjunction_outs=disjunction_outs,
        rescored=items.rescored,
        **keys.axes._asdict(),
        layout=np.array(layout, np.uint32),
    )


def _sizes(items: Items, table: ExpressionTable, keys: ListKeys, *, is_dnf: bool) -> _Sizes:
    """The sizes of items, and the bits that their slots need."""
    missing_base = 4 * table.predicates.num_predicates
    attribute_of_predicate = table.predicates.attribute_of_predicate
    sizes = np.zeros(items.num_items, np.uint32)
    disjunction_offsets, disjunction_outs = np.zeros(0, np.uint32), np.zeros(0, np.uint16)
    if is_dnf:
        most_slots = conjunction_sizes(items.offsets, items.atoms, missing_base, attribute_of_predicate, sizes)
        predicate_bits, slot_bits = 0, int(most_slots).bit_length()
    else:
        disjunction_offsets = np.zeros(items.num_items + 1, np.uint32)
        disjunction_outs, most_disjunctions, most_predicates = disjunction_sizes(
            items.offsets, items.atoms, missing_base, sizes, disjunction_offsets
        )
        predicate_bits = int(most_predicates).bit_length()
        slot_bits = predicate_bits + int(most_disjunctions).bit_length()
    form = ItemForm(is_dnf, predicate_bits, max(1, slot_bits), missing_base, keys.present_base, keys.zero_key)
    return _Sizes(sizes, disjunction_offsets, disjunction_outs, form)


def _written(
    items: Items, sizes: npt.NDArray[np.uint32], table: ExpressionTable, keys: ListKeys, form: ItemForm
) -> _Written:
    """The lists, with their entries: counted first, so that each gets the room that it needs."""
    order = np.argsort(sizes, kind="stable").astype(np.uint32)
    is_narrow = items.num_items << (form.slot_bits + 2) < 1 << 32
    word_type = np.uint32 if is_narrow else np.uint64
    attribute_of_predicate, registrations = table.predicates.attribute_of_predicate, keys.registrations
    num_list_keys = keys.zero_key + 1
    arguments = (order, sizes, items.offsets, items.atoms, attribute_of_predicate, registrations, form, num_list_keys)
    list_key, list_rank, list_count, list_bounds = write_lists(
        *arguments, np.zeros(0, np.int64), np.zeros(0, word_type), np.zeros(0, np.float64)
    )
    list_offsets = np.zeros(len(list_key) + 1, np.uint64)
    np.cumsum(list_count, out=list_offsets[1:])
    num_entries = int(list_offsets[-1])
    entries: npt.NDArray[Any] = np.empty(num_entries, word_type)
    is_weighted = bool((registrations.weights != 1.0).any())
    entry_weights = np.empty(num_entries if is_weighted else 0, np.float64)
    if num_entries:
        write_lists(*arguments, list_offsets[:-1].astype(np.int64), entries, entry_weights)
    return _Written(list_key, list_rank, list_bounds, list_offsets, entries, entry_weights)


def _key_attributes(vocabulary: Vocabulary, axes: AxisLists) -> npt.NDArray[np.uint32]:
    """The attribute of every key that a list may have; NONE for Z."""
    attributes = np.arange(vocabulary.num_attributes, dtype=np.uint32)
    of_axes = np.array(axis_attributes(vocabulary), np.uint32)
    return np.concatenate(
        [
            attributes,
            vocabulary.data.entry_attribute.astype(np.uint32),
            np.repeat(of_axes, np.diff(axes.axis_base)),
            attributes,
            np.array([NONE], np.uint32),
        ]
    )


def _given_bounds(
    list_bounds: npt.NDArray[np.float64], list_key: npt.NDArray[np.uint32], key_bounds: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    is_given = list_key < len(key_bounds)
    given = np.where(is_given, key_bounds[np.where(is_given, list_key, 0)], list_bounds)
    too_low = np.flatnonzero(given < list_bounds)
    if len(too_low):
        key = int(list_key[too_low[0]])
        raise InputError(
            f"the upper bound {given[too_low[0]]} of key {key} is below a weight of it, {list_bounds[too_low[0]]}",
            help="give each key a bound that no weight passes, or no bounds at all",
        )
    return given


def _has_rescored(
    items: Items, entries: npt.NDArray[Any], list_offsets: npt.NDArray[np.uint64], slot_bits: int
) -> npt.NDArray[np.bool_]:
    """For each list: whether an item in it is of an expression that is scored by its tree."""
    if not len(items.rescored) or not len(entries):
        return np.zeros(len(list_offsets) - 1, np.bool_)
    is_rescored = np.zeros(int(items.matches.max(initial=0)) + 1, np.bool_)
    is_rescored[items.rescored[items.rescored < len(is_rescored)]] = True
    item_rescored = np.zeros(items.num_items, np.bool_)
    item_of_match = np.repeat(np.arange(items.num_items), np.diff(items.match_offsets))
    item_rescored[item_of_match[is_rescored[items.matches]]] = True
    marked = item_rescored[(entries >> np.uint64(slot_bits + 2)).astype(np.int64)]
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(marked)])
    return sums[list_offsets[1:].astype(np.int64)] > sums[list_offsets[:-1].astype(np.int64)]
