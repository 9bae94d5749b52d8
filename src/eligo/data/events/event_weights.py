"""How much does each value of an event count? Weights: for an attribute one number, or one for each of some values.

    {"age": 0.8, "interests": {"golf": 3, "chess": 0.5}}

What has no weight counts 1. Presence (`exists`) has the attribute's number; weights of single values do not touch it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eligo.errors import EventError, shown
from eligo.language.value import Kind, Scalar, event_values, identity
from eligo.language.weight import RULE, weight_of

Weights = Mapping[str, "float | Mapping[Any, float]"]
"""Weights as a caller gives them."""

ValueWeights = dict[tuple[Kind, Scalar], float]


class EventWeights:
    """The checked weights of one event."""

    def __init__(self, weights: Weights) -> None:
        if not isinstance(weights, Mapping):
            raise EventError(f"weights are a mapping from attributes, not {type(weights).__name__}")
        self.of_attribute: dict[str, float] = {}
        self.of_values: dict[str, ValueWeights] = {}
        for name, given in weights.items():
            if isinstance(given, Mapping):
                self.of_values[name] = {
                    identity(value): _checked(weight, name)
                    for raw, weight in given.items()
                    for value in event_values(raw, name)
                }
            else:
                self.of_attribute[name] = _checked(given, name)

    def of(self, name: str, value: Scalar) -> float:
        """The weight of one value of an attribute."""
        if (of_values := self.of_values.get(name)) is not None:
            return of_values.get(identity(value), 1.0)
        return self.of_attribute.get(name, 1.0)

    def of_presence(self, name: str) -> float:
        return self.of_attribute.get(name, 1.0)


def _checked(raw: Any, name: str) -> float:
    weight = weight_of(raw)
    if weight is None:
        raise EventError(f"{RULE}, not {shown(raw)}", attribute=name)
    return weight
