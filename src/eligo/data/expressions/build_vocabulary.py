"""How is a vocabulary made? From the registrations of distinct predicates, sorted, so that their order is forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import EncodedValue
from eligo.data.expressions.registration import Registration, registration
from eligo.data.kernels.vocabulary_lookup import NUM_KINDS, VocabularyArrays
from eligo.data.vocabulary import DATE_NODE_BIT, NODE_BIT, Vocabulary
from eligo.kernels import codes
from eligo.kernels.hashing import NONE, build_table, hash_columns, hash_texts
from eligo.language.tree import Predicate


class Taxonomy(Protocol):
    """What a vocabulary needs of a hierarchy."""

    def nodes_under(self, node: str) -> Iterable[str]:
        """The node and all below it."""
        ...


@dataclass
class AttributeUse:
    """What the expressions ask of one attribute."""

    values: set[EncodedValue] = field(default_factory=set)
    nodes: set[bytes] = field(default_factory=set)
    bounds: dict[int, set[EncodedValue]] = field(default_factory=dict)
    """For each value kind with ranges: their ends."""
    kinds: int = 0

    def add(self, needed: Registration) -> None:
        self.values.update(needed.members)
        for member in needed.members:
            self.kinds |= 1 << member.kind
        if needed.node is not None:
            self.nodes.add(needed.node)
            self.kinds |= DATE_NODE_BIT if needed.is_date_node else NODE_BIT
        for span in needed.ranges:
            bounds = self.bounds.setdefault(span.kind, set())
            bounds.update(end for end in (span.low, span.high) if end is not None)
            if needed.node is None:
                self.kinds |= 1 << span.kind


def build_vocabulary(predicates: Iterable[Predicate], hierarchies: Mapping[str, Taxonomy] | None = None) -> Vocabulary:
    """The vocabulary of predicates of negation normal form; byte for byte the same in whatever order they come."""
    return vocabulary_of((registration(predicate) for predicate in predicates), hierarchies)


def vocabulary_of(
    registrations: Iterable[Registration], hierarchies: Mapping[str, Taxonomy] | None = None
) -> Vocabulary:
    """The vocabulary that covers what predicates register under."""
    uses: dict[str, AttributeUse] = {}
    for needed in registrations:
        uses.setdefault(needed.attribute, AttributeUse()).add(needed)
    names = sorted(uses)
    taxonomy = taxonomy_nodes(uses, hierarchies or {})
    strings = sorted(
        {value.text for use in uses.values() for value in use.values if value.kind == codes.STRING}
        | {node for use in uses.values() for node in use.nodes}
        | {value for under in taxonomy.values() for value in under}
    )
    return Vocabulary(_arrays(names, [uses[name] for name in names], strings, taxonomy))


def taxonomy_nodes(
    uses: Mapping[str, AttributeUse], hierarchies: Mapping[str, Taxonomy]
) -> dict[str, dict[bytes, set[bytes]]]:
    """For each attribute with a taxonomy: the strings under a node of an expression, each with those nodes."""
    found: dict[str, dict[bytes, set[bytes]]] = {}
    for name, hierarchy in hierarchies.items():
        if name in uses:
            nodes_of = found.setdefault(name, {})
            for node in uses[name].nodes:
                for value in hierarchy.nodes_under(node.decode()):
                    nodes_of.setdefault(value.encode(), set()).add(node)
    return found


def _arrays(
    names: Sequence[str],
    uses: Sequence[AttributeUse],
    strings: Sequence[bytes],
    taxonomy: Mapping[str, Mapping[bytes, set[bytes]]],
) -> VocabularyArrays:
    attribute_offsets, attribute_bytes = _texts([name.encode() for name in names])
    attribute_slots, attribute_seed = text_table(attribute_offsets, attribute_bytes)
    string_offsets, string_bytes = _texts(strings)
    string_slots, string_seed = text_table(string_offsets, string_bytes)
    number_of_string = {text: number for number, text in enumerate(strings)}
    entries = _entries(uses, number_of_string)
    entry_slots, entry_seed = entry_table(*entries)
    columns_of_entries = (column.tolist() for column in entries[:3])
    key_of_node = {
        (attribute, string): len(names) + entry
        for entry, (attribute, kind, string) in enumerate(zip(*columns_of_entries, strict=True))
        if kind == codes.UNDER_NODE
    }
    pairs = taxonomy_pairs(names, taxonomy, number_of_string, key_of_node)
    taxonomy_slots, taxonomy_seed = pair_table(pairs[0], pairs[1])
    axes = _axes(uses)
    attribute_axes = np.full(len(names) * NUM_KINDS, NONE, np.uint32)
    attribute_axes[axes[0].astype(np.int64) * NUM_KINDS + axes[1]] = np.arange(len(axes[0]), dtype=np.uint32)
    columns: list[Any] = [
        attribute_offsets,
        attribute_bytes,
        attribute_slots,
        np.array([use.kinds for use in uses], np.uint8),
        attribute_axes,
        np.array([max((len(node) + 1 for node in use.nodes), default=0) for use in uses], np.uint32),
        np.array([name in taxonomy for name in names], np.uint8),
        string_offsets,
        string_bytes,
        string_slots,
        *entries,
        entry_slots,
        *axes,
        pairs[0],
        pairs[1],
        taxonomy_slots,
        pairs[2],
        pairs[3],
        np.array([attribute_seed, string_seed, entry_seed, taxonomy_seed], np.uint64),
    ]
    return VocabularyArrays(*columns)


def _texts(texts: Sequence[bytes]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
    offsets = np.array([0, *accumulate(map(len, texts))], np.uint64)
    return offsets, np.frombuffer(b"".join(texts), np.uint8)


def _entries(uses: Sequence[AttributeUse], number_of_string: Mapping[bytes, int]) -> tuple[npt.NDArray[Any], ...]:
    """Columns attribute, kind, high, low of the entries, in their order."""
    rows: list[tuple[int, int, int, float]] = []
    for attribute, use in enumerate(uses):
        for value in sorted(use.values):
            high = number_of_string[value.text] if value.kind == codes.STRING else value.high
            rows.append((attribute, value.kind, high, value.low))
        rows += [(attribute, codes.UNDER_NODE, number_of_string[node], 0.0) for node in sorted(use.nodes)]
    return _columns(rows, (np.uint32, np.uint8, np.int64, np.float64))


def _axes(uses: Sequence[AttributeUse]) -> tuple[npt.NDArray[Any], ...]:
    """Columns attribute and kind of the axes, then the offsets and columns of their bounds."""
    axes: list[tuple[int, int]] = []
    bounds: list[EncodedValue] = []
    offsets = [0]
    for attribute, use in enumerate(uses):
        for kind in sorted(use.bounds):
            axes.append((attribute, kind))
            bounds += sorted(use.bounds[kind])
            offsets.append(len(bounds))
    numbers = _columns([(bound.high, bound.low) for bound in bounds], (np.int64, np.float64))
    texts = _texts([bound.text for bound in bounds])
    return (*_columns(axes, (np.uint32, np.uint8)), np.array(offsets, np.uint64), *numbers, *texts)


def taxonomy_pairs(
    names: Sequence[str],
    taxonomy: Mapping[str, Mapping[bytes, set[bytes]]],
    number_of_string: Mapping[bytes, int],
    key_of_node: Mapping[tuple[int, int], int],
) -> tuple[npt.NDArray[Any], ...]:
    """Columns attribute and string of the pairs, then the offsets and keys of the nodes that each is under."""
    pairs: list[tuple[int, int]] = []
    keys: list[int] = []
    offsets = [0]
    for attribute, name in enumerate(names):
        for value in sorted(taxonomy.get(name, ())):
            pairs.append((attribute, number_of_string[value]))
            keys += sorted(key_of_node[attribute, number_of_string[node]] for node in taxonomy[name][value])
            offsets.append(len(keys))
    return (*_columns(pairs, (np.uint32, np.uint32)), np.array(offsets, np.uint64), np.array(keys, np.uint32))


def _columns(rows: Sequence[tuple[Any, ...]], dtypes: Sequence[Any]) -> tuple[npt.NDArray[Any], ...]:
    columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * len(dtypes)
    return tuple(np.array(column, dtype) for column, dtype in zip(columns, dtypes, strict=True))


def text_table(offsets: npt.NDArray[np.uint64], data: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.uint32], int]:
    """The slots and the seed of the hash table of distinct texts."""
    return build_table(len(offsets) - 1, lambda seed: hash_texts(offsets, data, seed))


def entry_table(
    attributes: npt.NDArray[np.uint32],
    kinds: npt.NDArray[np.uint8],
    highs: npt.NDArray[np.int64],
    lows: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.uint32], int]:
    """The slots and the seed of the hash table of entries."""
    owners = (attributes.astype(np.uint64) << np.uint64(8)) | kinds
    bits = lows.view(np.uint64)
    return build_table(len(owners), lambda seed: hash_columns(owners, highs.view(np.uint64), bits, seed))


def pair_table(
    attributes: npt.NDArray[np.uint32], strings: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.uint32], int]:
    """The slots and the seed of the hash table of the taxonomy's pairs."""
    first, second = attributes.astype(np.uint64), strings.astype(np.uint64)
    return build_table(len(first), lambda seed: hash_columns(first, second, np.zeros_like(first), seed))
