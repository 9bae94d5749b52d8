"""How do tests make a growing tree, and what should it answer?"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from eligo.engines.growing_tree.engine import GrowingTree
from eligo.language.evaluate import Missing, matches
from eligo.language.text.parse import parse
from eligo.language.tree import Expression

MATCHING = [
    {"zero_suppression": suppress, "propagation_on_demand": demand}
    for suppress, demand in itertools.product((True, False), repeat=2)
]
"""The options that decide how a tree is matched."""


def grown_from(trees: Mapping[int, Expression], **options: Any) -> GrowingTree:
    """A tree of expressions by their positions."""
    tree = GrowingTree(**options)
    for position, expression in trees.items():
        tree.insert(position, expression)
    return tree


def of_texts(*texts: str, **options: Any) -> GrowingTree:
    """A tree of texts at the positions from 0."""
    return grown_from({position: parse(text) for position, text in enumerate(texts)}, **options)


def expected(trees: Mapping[int, Expression], event: Mapping[str, Any], missing: Missing = "unknown") -> list[int]:
    """The positions that the oracle finds."""
    return sorted(position for position, tree in trees.items() if matches(tree, event, missing))
