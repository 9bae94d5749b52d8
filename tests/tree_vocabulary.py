"""How is a vocabulary made? From the registrations of distinct predicates, sorted, so that their order is forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import EncodedValue
from eligo.data.expressions.finish_vocabulary import Axes, Entries, SortedTexts, finish_vocabulary
from eligo.data.expressions.taxonomy_nodes import NodesOf, Taxonomy, taxonomy_nodes, taxonomy_pairs
from eligo.data.vocabulary import DATE_NODE_BIT, NODE_BIT, Vocabulary
from eligo.kernels import codes
from eligo.language.tree import Predicate
from tree_registration import Registration, date_node_ranges, registration


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
        for node in needed.nodes:
            self.nodes.add(node)
            self.kinds |= DATE_NODE_BIT if date_node_ranges(node.decode()) else NODE_BIT
        for span in (*needed.ranges, *(span for span, _ in needed.node_ranges)):
            bounds = self.bounds.setdefault(span.kind, set())
            bounds.update(end for end in (span.low, span.high) if end is not None)
        for span in needed.ranges:
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
    taxonomy = taxonomy_nodes({name: use.nodes for name, use in uses.items()}, hierarchies or {})
    strings = sorted(
        {value.text for use in uses.values() for value in use.values if value.kind == codes.STRING}
        | {node for use in uses.values() for node in use.nodes}
        | {value for under in taxonomy.values() for value in under}
    )
    return _vocabulary(names, [uses[name] for name in names], strings, taxonomy)


def _vocabulary(
    names: Sequence[str], uses: Sequence[AttributeUse], strings: Sequence[bytes], taxonomy: NodesOf
) -> Vocabulary:
    number_of_string = {text: number for number, text in enumerate(strings)}
    entries = _entries(uses, number_of_string)
    columns_of_entries = (column.tolist() for column in entries[:3])
    key_of_node = {
        (attribute, string): len(names) + entry
        for entry, (attribute, kind, string) in enumerate(zip(*columns_of_entries, strict=True))
        if kind == codes.UNDER_NODE
    }
    return finish_vocabulary(
        names=_texts([name.encode() for name in names]),
        kinds=np.array([use.kinds for use in uses], np.uint8),
        node_reach=np.array([max((len(node) + 1 for node in use.nodes), default=0) for use in uses], np.uint32),
        has_taxonomy=np.array([name in taxonomy for name in names], np.uint8),
        strings=_texts(strings),
        entries=entries,
        axes=_axes(uses),
        pairs=taxonomy_pairs(names, taxonomy, number_of_string, key_of_node),
    )


def _texts(texts: Sequence[bytes]) -> SortedTexts:
    offsets = np.array([0, *accumulate(map(len, texts))], np.uint64)
    return SortedTexts(offsets, np.frombuffer(b"".join(texts), np.uint8))


def _entries(uses: Sequence[AttributeUse], number_of_string: Mapping[bytes, int]) -> Entries:
    rows: list[tuple[int, int, int, float]] = []
    for attribute, use in enumerate(uses):
        for value in sorted(use.values):
            high = number_of_string[value.text] if value.kind == codes.STRING else value.high
            rows.append((attribute, value.kind, high, value.low))
        rows += [(attribute, codes.UNDER_NODE, number_of_string[node], 0.0) for node in sorted(use.nodes)]
    return Entries(*_columns(rows, (np.uint32, np.uint8, np.int64, np.float64)))


def _axes(uses: Sequence[AttributeUse]) -> Axes:
    axes: list[tuple[int, int]] = []
    bounds: list[EncodedValue] = []
    offsets = [0]
    for attribute, use in enumerate(uses):
        for kind in sorted(use.bounds):
            axes.append((attribute, kind))
            bounds += sorted(use.bounds[kind])
            offsets.append(len(bounds))
    highs, lows = _columns([(bound.high, bound.low) for bound in bounds], (np.int64, np.float64))
    owners, kinds = _columns(axes, (np.uint32, np.uint8))
    texts = _texts([bound.text for bound in bounds])
    return Axes(owners, kinds, np.array(offsets, np.uint64), highs, lows, texts)


def _columns(rows: Sequence[tuple[Any, ...]], dtypes: Sequence[Any]) -> tuple[npt.NDArray[Any], ...]:
    columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * len(dtypes)
    return tuple(np.array(column, dtype) for column, dtype in zip(columns, dtypes, strict=True))
