"""What can be written next? Attributes that expressions or the schema name, and values that they are compared with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from eligo.index.index import Index
from eligo.language.canonical import attribute_text, value_text
from eligo.language.tree import Expression, Predicate, distinct_nodes
from eligo.language.value import kind_of

MOST_ATTRIBUTES = 2_000
MOST_VALUES = 50
MOST_LOOKED_AT = 20_000
"""Values of an attribute among which those are found that begin with what was typed."""
MOST_TREES = 1_000
"""Expressions that are read for one who may not see all."""


def attributes(index: Index, prefix: str) -> list[dict[str, Any]]:
    """The attributes of an index whose names begin so, with the kinds of value that they are compared with."""
    kinds = {name: {kind.name.lower() for kind in found} for name, found in index.view().attribute_kinds().items()}
    for attribute in index.schema or ():
        kinds[attribute.name] = {attribute.kind}
    return _listed(kinds, prefix)


def values(index: Index, name: str, prefix: str) -> list[str]:
    """Values of an attribute as they are written, which begin so; those of the schema first."""
    found: dict[str, None] = {}
    declared = index.schema.get(name) if index.schema is not None else None
    texts: Iterable[str] = [value_text(value) for value in declared.values] if declared is not None else ()
    for text in (*texts, *_texts(index, name)):
        if text.startswith(prefix):
            found[text] = None
            if len(found) == MOST_VALUES:
                break
    return list(found)


def _texts(index: Index, name: str) -> Iterator[str]:
    for viewed in index.view().parts:
        yield from islice(viewed.part.vocabulary.value_texts(name), MOST_LOOKED_AT)


def attributes_of_trees(trees: Iterable[Expression], prefix: str) -> list[dict[str, Any]]:
    """The attributes of some expressions."""
    kinds: dict[str, set[str]] = {}
    for predicate in _predicates(trees):
        kinds.setdefault(predicate.attribute, set()).update(kind_of(value).name.lower() for value in predicate.values())
    return _listed(kinds, prefix)


def values_of_trees(trees: Iterable[Expression], name: str, prefix: str) -> list[str]:
    """Values that some expressions compare an attribute with."""
    texts = {value_text(value) for each in _predicates(trees) if each.attribute == name for value in each.values()}
    return sorted(text for text in texts if text.startswith(prefix))[:MOST_VALUES]


def _predicates(trees: Iterable[Expression]) -> Iterator[Predicate]:
    for tree in trees:
        yield from (node for node in distinct_nodes(tree) if isinstance(node, Predicate))


def _listed(kinds: dict[str, set[str]], prefix: str) -> list[dict[str, Any]]:
    chosen = sorted(name for name in kinds if name.startswith(prefix) and not name.startswith("@"))[:MOST_ATTRIBUTES]
    return [{"name": name, "text": attribute_text(name), "kinds": sorted(kinds[name])} for name in chosen]
