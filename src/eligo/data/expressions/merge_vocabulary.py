"""How do vocabularies become one? By sorting what they hold together; and tables follow by renumbering.

    vocabulary of rows 1 … n     state = 'CA'    state = 'NY'         keys 1 2
    vocabulary of the others     state = 'NY'    state = 'TX'         keys 1 2
    merged                       'CA'  'NY'  'TX'                     keys 1 2 3;  places  1 2  and  2 3

The merged vocabulary is, byte for byte, the one that all the expressions together would give, in whatever parts and
whatever order they came. Numbers keep their order in it, so lists that were sorted stay sorted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo.data.encoded_value import read_only_arrays
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.expressions.finish_vocabulary import Axes, Entries, SortedTexts, TaxonomyPairs, finish_vocabulary
from eligo.data.expressions.kernels.points import Texts
from eligo.data.expressions.predicate_table import PredicateTable, offsets_of
from eligo.data.expressions.used_points import IS_TEXT, binary_array, texts_of
from eligo.data.kernels.vocabulary_lookup import VocabularyArrays
from eligo.data.vocabulary import Vocabulary
from eligo.errors import InputError

Numbers = npt.NDArray[np.int64]


class MergedPlaces(NamedTuple):
    """Where the merged vocabulary has what one of the others has."""

    keys: Numbers
    """For each key of the other: the merged key. Keys of attributes are their numbers."""
    axes: Numbers
    """For each axis of the other: the merged axis."""
    bounds: Numbers
    """For each bound of the other: its place among the bounds of the merged axis."""


class _Numbered(NamedTuple):
    """What vocabularies hold together, sorted, before tables are made of it."""

    names: pa.LargeBinaryArray
    strings: pa.LargeBinaryArray
    entries: Entries
    axes: Axes
    attribute_places: tuple[Numbers, ...]
    string_places: tuple[Numbers, ...]
    places: tuple[MergedPlaces, ...]


def merge_vocabularies(parts: Sequence[Vocabulary]) -> Vocabulary:
    """One vocabulary that covers what any of the parts covers; parts must not disagree on taxonomies."""
    if len(parts) == 1:
        return parts[0]
    found = _number(parts)
    num_attributes = len(found.names)
    kinds, reach = np.zeros(num_attributes, np.uint8), np.zeros(num_attributes, np.uint32)
    has_taxonomy = np.zeros(num_attributes, np.uint8)
    for part, places in zip(parts, found.attribute_places, strict=True):
        kinds[places] |= part.data.attribute_kinds
        reach[places] = np.maximum(reach[places], part.data.attribute_node_reach)
        has_taxonomy[places] |= part.data.attribute_has_taxonomy
    return finish_vocabulary(
        names=_sorted_texts(found.names),
        kinds=kinds,
        node_reach=reach,
        has_taxonomy=has_taxonomy,
        strings=_sorted_texts(found.strings),
        entries=found.entries,
        axes=found.axes,
        pairs=_merged_pairs(parts, found),
    )


def places_in(vocabulary: Vocabulary, part: Vocabulary) -> MergedPlaces:
    """Where a vocabulary has what a part of it has; `InputError` when it lacks something."""
    found = _number([vocabulary, part])
    num_keys, num_bounds = len(found.names) + len(found.entries.kind), len(found.axes.bound_high)
    if (num_keys, num_bounds) != (vocabulary.num_keys, len(vocabulary.data.bound_high)):
        raise InputError("the vocabulary does not cover these expressions", help="merge the vocabularies of all parts")
    return found.places[1]


def renumbered(table: ExpressionTable, part: Vocabulary, vocabulary: Vocabulary) -> ExpressionTable:
    """The table of expressions that a part was made of, in terms of the vocabulary that covers the part."""
    if part is vocabulary:
        return table
    places = places_in(vocabulary, part)
    old = table.predicates
    own_axis = old.range_axis.astype(np.int64)
    axis = places.axes[own_axis]
    first_bound = part.data.bound_offsets[own_axis].astype(np.int64)
    num_bounds = part.data.bound_offsets[own_axis + 1].astype(np.int64) - first_bound
    merged_bounds = _lengths(vocabulary.data.bound_offsets)[axis]

    def bound(number: Numbers) -> Numbers:
        if not len(places.bounds):
            return np.zeros_like(number)
        found: Numbers = places.bounds[np.clip(first_bound + number, 0, len(places.bounds) - 1)]
        return found

    # Bound i has cell 2i + 1. An open cell that begins a range lies above the bound before it, if there is one; an
    # open cell that ends a range lies below the bound after it, if there is one.
    low, high = old.range_low.astype(np.int64), old.range_high.astype(np.int64)
    low_bound, high_bound = low // 2, high // 2
    open_low = np.where(low_bound > 0, 2 * bound(low_bound - 1) + 2, 0)
    open_high = np.where(high_bound < num_bounds, 2 * bound(high_bound), 2 * merged_bounds)
    predicates = old._replace(
        attribute_of_predicate=places.keys[old.attribute_of_predicate].astype(np.uint32),
        keys=places.keys[old.keys].astype(np.uint32),
        range_axis=axis.astype(np.uint32),
        range_low=np.where(low % 2 == 1, 2 * bound(low_bound) + 1, open_low).astype(np.uint32),
        range_high=np.where(high % 2 == 1, 2 * bound(high_bound) + 1, open_high).astype(np.uint32),
    )
    return table._replace(predicates=PredicateTable(*read_only_arrays(predicates)))


def _number(parts: Sequence[Vocabulary]) -> _Numbered:
    data = [part.data for part in parts]
    names, attribute_places = _merged_texts([(own.attribute_offsets, own.attribute_bytes) for own in data])
    strings, string_places = _merged_texts([(own.string_offsets, own.string_bytes) for own in data])
    entries, entry_places = _merged_entries(data, attribute_places, string_places)
    axes, axis_places, bound_places = _merged_axes(data, attribute_places)
    places = tuple(
        MergedPlaces(np.concatenate([attributes, len(names) + own_entries]), own_axes, own_bounds)
        for attributes, own_entries, own_axes, own_bounds in zip(
            attribute_places, entry_places, axis_places, bound_places, strict=True
        )
    )
    return _Numbered(names, strings, entries, axes, attribute_places, string_places, places)


def _merged_texts(
    parts: Sequence[tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]],
) -> tuple[pa.LargeBinaryArray, tuple[Numbers, ...]]:
    """Distinct texts in order, and the place of each part's."""
    arrays = [_texts(*part) for part in parts]
    together = pa.concat_arrays(arrays)
    distinct = pc.unique(together)
    distinct = distinct.take(pc.array_sort_indices(distinct))
    return distinct, _split(pc.index_in(together, value_set=distinct).to_numpy(zero_copy_only=False), arrays)


def _merged_entries(
    data: Sequence[VocabularyArrays], attributes: Sequence[Numbers], strings: Sequence[Numbers]
) -> tuple[Entries, tuple[Numbers, ...]]:
    owners = np.concatenate(
        [places[own.entry_attribute] for own, places in zip(data, attributes, strict=True)], dtype=np.int64
    )
    kinds = np.concatenate([own.entry_kind for own in data])
    highs = np.concatenate([_text_highs(own, places) for own, places in zip(data, strings, strict=True)])
    lows = np.concatenate([own.entry_low for own in data])
    first, numbers = _distinct_rows((owners, kinds, highs, lows))
    entries = Entries(owners[first].astype(np.uint32), kinds[first], highs[first], lows[first])
    return entries, _split(numbers, [own.entry_kind for own in data])


def _text_highs(own: VocabularyArrays, strings: Numbers) -> Numbers:
    """`entry_high` with merged string numbers."""
    highs = own.entry_high.copy()
    is_text = IS_TEXT[own.entry_kind]
    highs[is_text] = strings[highs[is_text]]
    return highs


def _merged_axes(
    data: Sequence[VocabularyArrays], attributes: Sequence[Numbers]
) -> tuple[Axes, tuple[Numbers, ...], tuple[Numbers, ...]]:
    owners = np.concatenate(
        [places[own.axis_attribute] for own, places in zip(data, attributes, strict=True)], dtype=np.int64
    )
    kinds = np.concatenate([own.axis_kind for own in data])
    first, axis_numbers = _distinct_rows((owners, kinds))
    axis_places = _split(axis_numbers, [own.axis_kind for own in data])
    axis_of_bound = np.concatenate(
        [np.repeat(places, _lengths(own.bound_offsets)) for own, places in zip(data, axis_places, strict=True)]
    )
    highs = np.concatenate([own.bound_high for own in data])
    lows = np.concatenate([own.bound_low for own in data])
    texts, text_places = _merged_texts([(own.bound_text_offsets, own.bound_text_bytes) for own in data])
    ranks = np.concatenate(text_places)
    kept, numbers = _distinct_rows((axis_of_bound, highs, lows, ranks))
    counts = np.bincount(axis_of_bound[kept], minlength=len(first))
    offsets = offsets_of(counts)
    within_axis = numbers - offsets.astype(np.int64)[axis_of_bound]
    bound_texts = texts.take(pa.array(ranks[kept])) if len(texts) else texts
    axes = Axes(
        owners[first].astype(np.uint32), kinds[first], offsets, highs[kept], lows[kept], _sorted_texts(bound_texts)
    )
    return axes, axis_places, _split(within_axis, [own.bound_high for own in data])


def _distinct_rows(columns: Sequence[npt.NDArray[Any]]) -> tuple[Numbers, Numbers]:
    """One place of each distinct row, in the order of the columns, and the number of each row among them."""
    order = np.lexsort(tuple(reversed(columns)))
    is_new = np.arange(len(order)) == 0
    for column in columns:
        ordered = column[order]
        is_new[1:] |= ordered[1:] != ordered[:-1]
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(is_new) - 1
    return order[is_new], numbers


def _merged_pairs(parts: Sequence[Vocabulary], found: _Numbered) -> TaxonomyPairs:
    attributes, strings, keys = [], [], []
    for part, own_attributes, own_strings, places in zip(
        parts, found.attribute_places, found.string_places, found.places, strict=True
    ):
        counts = _lengths(part.data.taxonomy_key_offsets)
        attributes.append(np.repeat(own_attributes[part.data.taxonomy_attribute], counts))
        strings.append(np.repeat(own_strings[part.data.taxonomy_string], counts))
        keys.append(places.keys[part.data.taxonomy_keys])
    columns = (np.concatenate(attributes), np.concatenate(strings), np.concatenate(keys))
    kept, _ = _distinct_rows(columns)
    owners, values, nodes = (column[kept] for column in columns)
    first, pair_numbers = _distinct_rows((owners, values))
    offsets = offsets_of(np.bincount(pair_numbers, minlength=len(first)))
    return TaxonomyPairs(
        owners[first].astype(np.uint32), values[first].astype(np.uint32), offsets, nodes.astype(np.uint32)
    )


def _lengths(offsets: npt.NDArray[np.uint64]) -> Numbers:
    return (offsets[1:] - offsets[:-1]).astype(np.int64)


def _split(numbers: npt.NDArray[Any], parts: Sequence[Any]) -> tuple[Numbers, ...]:
    """One array after another of the lengths of the parts."""
    ends = np.cumsum([len(part) for part in parts])
    return tuple(piece.astype(np.int64) for piece in np.split(numbers, ends[:-1]))


def _texts(offsets: npt.NDArray[np.uint64], data: npt.NDArray[np.uint8]) -> pa.LargeBinaryArray:
    return binary_array(Texts(np.ascontiguousarray(offsets).view(np.int64), np.ascontiguousarray(data)))


def _sorted_texts(array: pa.LargeBinaryArray) -> SortedTexts:
    offsets, data = texts_of(array)
    return SortedTexts(offsets.astype(np.uint64), data)
