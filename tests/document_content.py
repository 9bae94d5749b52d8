"""What does a document base hold, to be compared? The order of an attribute's values says nothing."""

from __future__ import annotations

from typing import Any

import eligo
from eligo.language.value import event_attributes


def as_sets(document: Any) -> dict[str, set[Any]]:
    """A document with the values of each attribute as a set, told apart by their types."""
    return {name: {(type(value), value) for value in values} for name, values in document.items()}


def expected(document: Any) -> dict[str, set[Any]]:
    """What a base should hold of a document that is given."""
    return as_sets(event_attributes(document))


def let_go(base: eligo.DocumentBase) -> None:
    """End a base on disk as the end of its process does, without closing it."""
    states: Any = base._states
    states._let_go()
