"""Which strings are under the nodes of expressions? A taxonomy says it, and a vocabulary keeps it as pairs.

page under 'Sports'         taxonomy of page: 'NFL' is under 'Sports'

nodes_of   page   'NFL'    under 'Sports'          pairs   (page, 'Sports')   keys of the node 'Sports'
                  'Sports' under 'Sports'                  (page, 'NFL')      keys of the node 'Sports'
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from eligo.data.expressions.finish_vocabulary import TaxonomyPairs

NodesOf = Mapping[str, Mapping[bytes, set[bytes]]]
"""For each attribute with a taxonomy: the strings under a node of an expression, each with those nodes."""


class Taxonomy(Protocol):
    """What a vocabulary needs of a hierarchy."""

    def nodes_under(self, node: str) -> Iterable[str]:
        """The node and all below it."""
        ...


def taxonomy_nodes(nodes: Mapping[str, Collection[bytes]], hierarchies: Mapping[str, Taxonomy]) -> NodesOf:
    """The strings under `nodes`, those of expressions by attribute; nothing of attributes that no expression has."""
    found: dict[str, dict[bytes, set[bytes]]] = {}
    for name, hierarchy in hierarchies.items():
        if name in nodes:
            nodes_of = found.setdefault(name, {})
            for node in nodes[name]:
                for value in hierarchy.nodes_under(node.decode()):
                    nodes_of.setdefault(value.encode(), set()).add(node)
    return found


def taxonomy_pairs(
    names: Sequence[str],
    taxonomy: NodesOf,
    number_of_string: Mapping[bytes, int],
    key_of_node: Mapping[tuple[int, int], int],
) -> TaxonomyPairs:
    """The pairs of attributes, whose sorted names are given, with strings; nodes are told by attribute and string."""
    pairs: list[tuple[int, int]] = []
    keys: list[int] = []
    offsets = [0]
    for attribute, name in enumerate(names):
        for value in sorted(taxonomy.get(name, ())):
            pairs.append((attribute, number_of_string[value]))
            keys += sorted(key_of_node[attribute, number_of_string[node]] for node in taxonomy[name][value])
            offsets.append(len(keys))
    return TaxonomyPairs(
        np.array([attribute for attribute, _ in pairs], np.uint32),
        np.array([string for _, string in pairs], np.uint32),
        np.array(offsets, np.uint64),
        np.array(keys, np.uint32),
    )
