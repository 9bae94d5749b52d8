"""How does what was sorted become a vocabulary? Hash tables are made of it, and every column takes its place by name.

Whoever sorts (texts, or vocabularies that become one) ends here, so the columns are named in one place. The result is
a function of the content: the same names, strings, entries, axes and pairs give the same bytes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.vocabulary_lookup import ATTRIBUTES, ENTRIES, NUM_KINDS, STRINGS, TAXONOMY, VocabularyArrays
from eligo.data.vocabulary import Vocabulary
from eligo.kernels.hashing import NONE, build_table, hash_columns, hash_texts


class SortedTexts(NamedTuple):
    """Distinct byte strings in their order."""

    offsets: npt.NDArray[np.uint64]
    """Text i is data[offsets[i] : offsets[i + 1]]."""
    data: npt.NDArray[np.uint8]


class Entries(NamedTuple):
    """Attributes with a value or a node, sorted by all four columns."""

    attribute: npt.NDArray[np.uint32]
    kind: npt.NDArray[np.uint8]
    """For each entry: its value kind, or UNDER_NODE."""
    high: npt.NDArray[np.int64]
    """For each entry: the value's high part; for STRING and UNDER_NODE a string's number."""
    low: npt.NDArray[np.float64]


class Axes(NamedTuple):
    """Axes, sorted by attribute and kind, and their bounds, ascending on each axis."""

    attribute: npt.NDArray[np.uint32]
    kind: npt.NDArray[np.uint8]
    bound_offsets: npt.NDArray[np.uint64]
    """Axis x has the bounds bound_offsets[x] : bound_offsets[x + 1]."""
    bound_high: npt.NDArray[np.int64]
    bound_low: npt.NDArray[np.float64]
    bound_texts: SortedTexts
    """For each bound: its text, sorted within its axis; empty where the axis is not one of strings."""

    def of_attributes(self, num_attributes: int) -> npt.NDArray[np.uint32]:
        """For each attribute and value kind, at attribute * NUM_KINDS + kind: the axis, or NONE."""
        axes = np.full(num_attributes * NUM_KINDS, NONE, np.uint32)
        axes[self.attribute.astype(np.int64) * NUM_KINDS + self.kind] = np.arange(len(self.kind), dtype=np.uint32)
        return axes


class TaxonomyPairs(NamedTuple):
    """(attribute, string) that a taxonomy puts under nodes of expressions, sorted by both."""

    attribute: npt.NDArray[np.uint32]
    string: npt.NDArray[np.uint32]
    key_offsets: npt.NDArray[np.uint64]
    """Pair t is under the nodes of keys[key_offsets[t] : key_offsets[t + 1]], ascending."""
    keys: npt.NDArray[np.uint32]


def finish_vocabulary(
    *,
    names: SortedTexts,
    kinds: npt.NDArray[np.uint8],
    node_reach: npt.NDArray[np.uint32],
    has_taxonomy: npt.NDArray[np.uint8],
    strings: SortedTexts,
    entries: Entries,
    axes: Axes,
    pairs: TaxonomyPairs,
) -> Vocabulary:
    """The vocabulary of attributes (`names`, and three columns on each of them), strings, entries, axes and pairs."""
    seeds = np.empty(4, np.uint64)
    attribute_slots, seeds[ATTRIBUTES] = _text_table(names)
    string_slots, seeds[STRINGS] = _text_table(strings)
    entry_slots, seeds[ENTRIES] = _entry_table(entries)
    taxonomy_slots, seeds[TAXONOMY] = _pair_table(pairs)
    return Vocabulary(
        VocabularyArrays(
            attribute_offsets=names.offsets,
            attribute_bytes=names.data,
            attribute_slots=attribute_slots,
            attribute_kinds=kinds,
            attribute_axes=axes.of_attributes(len(kinds)),
            attribute_node_reach=node_reach,
            attribute_has_taxonomy=has_taxonomy,
            string_offsets=strings.offsets,
            string_bytes=strings.data,
            string_slots=string_slots,
            entry_attribute=entries.attribute,
            entry_kind=entries.kind,
            entry_high=entries.high,
            entry_low=entries.low,
            entry_slots=entry_slots,
            axis_attribute=axes.attribute,
            axis_kind=axes.kind,
            bound_offsets=axes.bound_offsets,
            bound_high=axes.bound_high,
            bound_low=axes.bound_low,
            bound_text_offsets=axes.bound_texts.offsets,
            bound_text_bytes=axes.bound_texts.data,
            taxonomy_attribute=pairs.attribute,
            taxonomy_string=pairs.string,
            taxonomy_slots=taxonomy_slots,
            taxonomy_key_offsets=pairs.key_offsets,
            taxonomy_keys=pairs.keys,
            seeds=seeds,
        )
    )


def _text_table(texts: SortedTexts) -> tuple[npt.NDArray[np.uint32], int]:
    """The slots and the seed of the hash table of distinct texts."""
    return build_table(len(texts.offsets) - 1, lambda seed: hash_texts(texts.offsets, texts.data, seed))


def _entry_table(entries: Entries) -> tuple[npt.NDArray[np.uint32], int]:
    """The slots and the seed of the hash table of entries."""
    owners = (entries.attribute.astype(np.uint64) << np.uint64(8)) | entries.kind
    highs, lows = entries.high.view(np.uint64), entries.low.view(np.uint64)
    return build_table(len(owners), lambda seed: hash_columns(owners, highs, lows, seed))


def _pair_table(pairs: TaxonomyPairs) -> tuple[npt.NDArray[np.uint32], int]:
    """The slots and the seed of the hash table of the taxonomy's pairs."""
    first, second = pairs.attribute.astype(np.uint64), pairs.string.astype(np.uint64)
    return build_table(len(first), lambda seed: hash_columns(first, second, np.zeros_like(first), seed))
