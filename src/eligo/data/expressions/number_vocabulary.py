"""How is a vocabulary made of distinct predicates? By sorting what they name: attributes, strings, values, bounds.

The order in which expressions came is forgotten: the same predicates give the same vocabulary, byte for byte.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo.data.expressions.finish_vocabulary import Axes, Entries, SortedTexts, TaxonomyPairs, finish_vocabulary
from eligo.data.expressions.kernels.points import Points, Texts
from eligo.data.expressions.kernels.register_predicates import DistinctPredicates, Places
from eligo.data.expressions.taxonomy_nodes import NodesOf, Taxonomy, taxonomy_nodes, taxonomy_pairs
from eligo.data.expressions.used_points import (
    IS_TEXT,
    UsedPoints,
    binary_array,
    texts_of,
    used_points,
)
from eligo.data.kernels.vocabulary_lookup import NUM_KINDS
from eligo.data.vocabulary import DATE_NODE_BIT, NODE_BIT, Vocabulary
from eligo.kernels import codes
from eligo.kernels.hashing import NONE
from eligo.kernels.running import Running


class _Strings(NamedTuple):
    """The strings of points and of a taxonomy, in order."""

    ranks: npt.NDArray[np.int64]
    """For each string: its place among all, equal ones sharing one."""
    numbers: npt.NDArray[np.int64]
    """For each string: its number in the vocabulary, if it is there."""
    texts: SortedTexts
    """The strings of the vocabulary."""


def number_vocabulary(
    names: Texts,
    strings: Texts,
    points: Points,
    predicates: DistinctPredicates,
    hierarchies: Mapping[str, Taxonomy] | None,
    running: Running,
    only_strings: Collection[str] = (),
) -> tuple[Vocabulary, Places]:
    """The vocabulary of distinct predicates, and where it has their attributes and points."""
    sorted_names, attribute_numbers = _sort_names(names, predicates)
    known = pa.array([name.encode() for name in only_strings], pa.large_binary())
    holds_dates = ~pc.is_in(binary_array(names), value_set=known).to_numpy(zero_copy_only=False)
    used, all_strings = used_points(predicates, points, strings, running, holds_dates)
    used = used._replace(attributes=attribute_numbers[used.attributes].astype(np.int64))
    taxonomy = _taxonomy(used, all_strings, sorted_names, hierarchies or {})
    beyond = sorted({value for under in taxonomy.values() for value in under})
    sorted_strings = _sort_strings(used, all_strings, beyond)

    num_attributes = len(sorted_names)
    entries, entry_columns = _entries(used, sorted_strings)
    keys = np.full(len(used.kinds), NONE, np.uint32)
    keys[entries] = np.arange(num_attributes, num_attributes + len(entries), dtype=np.uint32)
    axes, cells = _axes(used, sorted_strings, all_strings, num_attributes)
    vocabulary = finish_vocabulary(
        names=_sorted_texts(sorted_names),
        kinds=_kind_bits(used, len(points.owners), num_attributes),
        node_reach=_node_reach(used, all_strings, num_attributes),
        has_taxonomy=_has_taxonomy(sorted_names, taxonomy),
        strings=sorted_strings.texts,
        entries=entry_columns,
        axes=axes,
        pairs=_pairs(used, keys, sorted_names, taxonomy, beyond, sorted_strings),
    )
    return vocabulary, Places(attribute_numbers, used.kinds, keys, cells, used.companions)


def _has_taxonomy(names: pa.LargeBinaryArray, taxonomy: NodesOf) -> npt.NDArray[np.uint8]:
    """`attribute_has_taxonomy` of the vocabulary."""
    if not taxonomy:
        return np.zeros(len(names), np.uint8)
    return np.array([name.decode() in taxonomy for name in names.to_pylist()], np.uint8)


def _sort_names(names: Texts, predicates: DistinctPredicates) -> tuple[pa.LargeBinaryArray, npt.NDArray[np.uint32]]:
    """The names of attributes that predicates have, sorted, and the number of each attribute given."""
    is_used = np.zeros(len(names.offsets) - 1, np.bool_)
    is_used[predicates.attributes] = True
    used = np.flatnonzero(is_used)
    found = binary_array(names).take(pa.array(used))
    order = pc.array_sort_indices(found)
    numbers = np.full(len(is_used), NONE, np.uint32)
    numbers[used[order.to_numpy().astype(np.int64)]] = np.arange(len(used), dtype=np.uint32)
    return found.take(order), numbers


def _sorted_texts(array: pa.LargeBinaryArray) -> SortedTexts:
    offsets, data = texts_of(array)
    return SortedTexts(offsets.astype(np.uint64), data)


def _is_text(used: UsedPoints) -> npt.NDArray[np.bool_]:
    return IS_TEXT[used.kinds]


def _is_node(used: UsedPoints) -> npt.NDArray[np.bool_]:
    is_node: npt.NDArray[np.bool_] = used.is_entry & (used.kinds == codes.UNDER_NODE)
    return is_node


def _taxonomy(
    used: UsedPoints,
    strings: pa.LargeBinaryArray,
    names: pa.LargeBinaryArray,
    hierarchies: Mapping[str, Taxonomy],
) -> NodesOf:
    """For each attribute with a taxonomy: the strings under a node of an expression, each with those nodes."""
    if not hierarchies:
        return {}
    number_of_name = {name.decode(): number for number, name in enumerate(names.to_pylist())}
    nodes: dict[str, list[bytes]] = {}
    for name in hierarchies.keys() & number_of_name.keys():
        own = _is_node(used) & (used.attributes == number_of_name[name])
        nodes[name] = strings.take(pa.array(used.highs[own])).to_pylist()
    return taxonomy_nodes(nodes, hierarchies)


def _sort_strings(used: UsedPoints, strings: pa.LargeBinaryArray, beyond: Sequence[bytes]) -> _Strings:
    """All strings, those of the taxonomy (`beyond`) after the points'; the vocabulary has those that are no bounds."""
    together = pa.concat_arrays([strings, pa.array(beyond, pa.large_binary())]) if beyond else strings
    ranks = pc.rank(together, tiebreaker="dense").to_numpy().astype(np.int64) - 1
    wanted = np.concatenate([used.highs[used.is_entry & _is_text(used)], np.arange(len(strings), len(together))])
    string_of_rank = np.full(len(together), -1, np.int64)
    string_of_rank[ranks[wanted]] = wanted
    chosen = string_of_rank[string_of_rank >= 0]
    numbers = np.cumsum(string_of_rank >= 0) - 1
    return _Strings(ranks, numbers[ranks], _sorted_texts(together.take(pa.array(chosen))))


def _entries(used: UsedPoints, strings: _Strings) -> tuple[npt.NDArray[np.int64], Entries]:
    """The points of entries in their order, and the entries."""
    entries = np.flatnonzero(used.is_entry)
    kinds, attributes, lows = used.kinds[entries], used.attributes[entries], used.lows[entries]
    highs = used.highs[entries]
    is_text = IS_TEXT[kinds]
    highs[is_text] = strings.numbers[highs[is_text]]
    order = np.lexsort((lows, highs, kinds, attributes))
    columns = Entries(attributes[order].astype(np.uint32), kinds[order].astype(np.uint8), highs[order], lows[order])
    return entries[order], columns


def _axes(
    used: UsedPoints, strings: _Strings, texts: pa.LargeBinaryArray, num_attributes: int
) -> tuple[Axes, npt.NDArray[np.uint32]]:
    """The axes with their bounds, and the cell of each point that is a bound."""
    slot_of_point = used.attributes * NUM_KINDS + used.kinds
    has_axis = np.zeros(num_attributes * NUM_KINDS, np.bool_)
    has_axis[slot_of_point[used.is_bound | used.is_prefix]] = True
    slots = np.flatnonzero(has_axis)
    attribute_axes = np.full(len(has_axis), NONE, np.uint32)
    attribute_axes[slots] = np.arange(len(slots), dtype=np.uint32)

    points = np.flatnonzero(used.is_bound)
    axis_of_bound = attribute_axes[slot_of_point[points]].astype(np.int64)
    highs, lows = used.highs[points], used.lows[points]
    is_text = used.kinds[points] == codes.STRING
    sorted_by = highs.copy()
    sorted_by[is_text] = strings.ranks[highs[is_text]]
    order = np.lexsort((lows, sorted_by, axis_of_bound))
    points, axis_of_bound, highs, lows = points[order], axis_of_bound[order], highs[order], lows[order]
    is_text, sorted_by = is_text[order], sorted_by[order]
    is_new = np.arange(len(points)) == 0  # a companion may equal a point
    for column in (axis_of_bound, sorted_by, lows):
        is_new[1:] |= column[1:] != column[:-1]
    bound_offsets = np.zeros(len(slots) + 1, np.uint64)
    np.cumsum(np.bincount(axis_of_bound[is_new], minlength=len(slots)), out=bound_offsets[1:])
    cells = np.full(len(used.kinds), NONE, np.uint32)
    cells[points] = 2 * (np.cumsum(is_new) - 1 - bound_offsets[axis_of_bound].astype(np.int64)) + 1

    string_of_bound = pa.array(np.where(is_text, highs, 0)[is_new], mask=~is_text[is_new])
    axes = Axes(
        (slots // NUM_KINDS).astype(np.uint32),
        (slots % NUM_KINDS).astype(np.uint8),
        bound_offsets,
        np.where(is_text, 0, highs)[is_new],
        lows[is_new],
        _sorted_texts(texts.take(string_of_bound).fill_null(b"")),
    )
    return axes, cells


def _kind_bits(used: UsedPoints, num_named: int, num_attributes: int) -> npt.NDArray[np.uint8]:
    """`attribute_kinds` of the vocabulary; companions, which follow the named points, add nothing to it."""
    bits = np.zeros(num_attributes, np.uint8)
    points = np.flatnonzero((used.is_entry | used.is_prefix | used.is_bound)[:num_named])
    kinds = used.kinds[points]
    node_bits = np.where(used.companions[points] >= 0, DATE_NODE_BIT, NODE_BIT)
    value_bits = 1 << np.minimum(kinds, codes.TIMESTAMP)
    np.bitwise_or.at(
        bits, used.attributes[points], np.where(kinds == codes.UNDER_NODE, node_bits, value_bits).astype(np.uint8)
    )
    return bits


def _node_reach(used: UsedPoints, strings: pa.LargeBinaryArray, num_attributes: int) -> npt.NDArray[np.uint32]:
    """`attribute_node_reach` of the vocabulary."""
    reach = np.zeros(num_attributes, np.uint32)
    nodes = np.flatnonzero(_is_node(used))
    if not len(nodes):
        return reach
    lengths = np.diff(texts_of(strings).offsets)[used.highs[nodes]]
    np.maximum.at(reach, used.attributes[nodes], (lengths + 1).astype(np.uint32))
    return reach


def _pairs(
    used: UsedPoints,
    keys: npt.NDArray[np.uint32],
    names: pa.LargeBinaryArray,
    taxonomy: NodesOf,
    beyond: Sequence[bytes],
    strings: _Strings,
) -> TaxonomyPairs:
    """Which strings a taxonomy puts under which nodes."""
    if not taxonomy:
        return taxonomy_pairs([], taxonomy, {}, {})
    first = len(strings.ranks) - len(beyond)
    number_of_string = dict(zip(beyond, strings.numbers[first:].tolist(), strict=True))
    nodes = np.flatnonzero(_is_node(used))
    owners = zip(used.attributes[nodes].tolist(), strings.numbers[used.highs[nodes]].tolist(), strict=True)
    key_of_node = dict(zip(owners, keys[nodes].tolist(), strict=True))
    return taxonomy_pairs([name.decode() for name in names.to_pylist()], taxonomy, number_of_string, key_of_node)
