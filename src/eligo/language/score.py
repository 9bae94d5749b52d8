"""How well does an event satisfy an expression? The oracle for ranking (Whang 2009, section 2.4, for any tree).

The score is taken on negation normal form: a positive literal that is true scores the weights of the keys that it
hits, AND adds its children, OR takes the largest of its true children.

    age in (1^10, 2^5) and state = 'CA'^3        {age: 1, state: 'CA'} with weights age 1, state 2

    score = 10 × 1 + 3 × 2 = 16
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eligo.errors import EventError
from eligo.language.evaluate import Hierarchies, HierarchyLike, Missing, literal_truth, satisfying_values
from eligo.language.push_negations import push_negations
from eligo.language.tree import (
    And,
    Between,
    Comparison,
    Constant,
    Equals,
    Exists,
    Expression,
    In,
    IsTrue,
    Literal,
    Or,
    Predicate,
    TextPredicate,
    distinct_nodes,
)
from eligo.language.value import Kind, Scalar, event_attributes, event_values, identity

EventWeights = Mapping[str, float | Mapping[Any, float]]
"""For an attribute (by its full, dotted name) one weight for all its values, or one for each of some values."""


@dataclass(frozen=True)
class AttributeWeights:
    """The weights that an event gives to one attribute."""

    of_attribute: float = 1.0
    of_value: Mapping[tuple[Kind, Scalar], float] = field(default_factory=dict)
    """By `identity`; a value that is not here has the attribute's weight."""

    def of(self, value: Scalar) -> float:
        """The weight of one value."""
        return self.of_value.get(identity(value), self.of_attribute)


def attribute_weights(weights: EventWeights | None) -> dict[str, AttributeWeights]:
    """The weights of an event in their one form, or an `EventError` for what is no weight."""
    return {name: _weights_of_attribute(name, given) for name, given in (weights or {}).items()}


def _weights_of_attribute(name: str, given: float | Mapping[Any, float]) -> AttributeWeights:
    if not isinstance(given, Mapping):
        return AttributeWeights(_checked(given, name))
    of_value: dict[tuple[Kind, Scalar], float] = {}
    for raw, weight in given.items():
        for value in event_values(raw, name):
            of_value[identity(value)] = _checked(weight, name)
    return AttributeWeights(of_value=of_value)


def _checked(raw: Any, attribute: str) -> float:
    try:
        weight = float(raw)
    except (TypeError, ValueError, OverflowError):
        weight = math.nan
    if isinstance(raw, str) or not math.isfinite(weight) or weight < 0:
        raise EventError(f"an event's weight is a finite number, 0 or more, not {raw!r}", attribute=attribute)
    return weight + 0.0  # no negative zero


def score(
    tree: Expression,
    event: Mapping[str, Any],
    missing: Missing = "unknown",
    *,
    weights: EventWeights | None = None,
    hierarchies: Hierarchies | None = None,
) -> float | None:
    """The score of a tree for one event, or None when it does not match."""
    attributes, weights_of = event_attributes(event), attribute_weights(weights)
    normal_form = push_negations(tree, missing)
    score_of: dict[int, float | None] = {}
    for node in distinct_nodes(normal_form):
        if isinstance(node, Literal):
            name = node.predicate.attribute
            score_of[id(node)] = literal_score(
                node, attributes.get(name, ()), weights_of.get(name, AttributeWeights()), (hierarchies or {}).get(name)
            )
        else:
            score_of[id(node)] = _connective_score(node, [score_of[id(child)] for child in node.children])
    return score_of[id(normal_form)]


def _connective_score(node: Expression, operands: list[float | None]) -> float | None:
    if isinstance(node, Constant):
        return 0.0 if node.value else None
    matching = [operand for operand in operands if operand is not None]
    if isinstance(node, And):
        return sum(matching) if len(matching) == len(operands) else None
    assert isinstance(node, Or)
    return max(matching, default=None)


def literal_score(
    literal: Literal, values: tuple[Scalar, ...], weights: AttributeWeights, hierarchy: HierarchyLike | None = None
) -> float | None:
    """The score of one literal: None when it is false, 0 when it is negative or true only because it is missing."""
    if not literal_truth(literal, values, hierarchy):
        return None
    if not values or not literal.positive:
        return 0.0
    predicate = literal.predicate
    if isinstance(predicate, Exists):
        return weights.of_attribute
    satisfying = satisfying_values(predicate, values, hierarchy)
    if isinstance(predicate, Equals | In | IsTrue):  # each listed value is a key of its own
        weight_of = _operand_weights(predicate)
        return sum((weight_of[identity(value)] * weights.of(value) for value in satisfying), 0.0)
    assert isinstance(predicate, Comparison | Between | TextPredicate)  # the whole predicate is one key
    return predicate.weight * max(weights.of(value) for value in satisfying)


def _operand_weights(predicate: Predicate) -> dict[tuple[Kind, Scalar], float]:
    """The weight of each listed value; of one that is listed twice the larger."""
    if isinstance(predicate, Equals):
        return {identity(predicate.value): predicate.weight}
    if isinstance(predicate, IsTrue):
        return {identity(True): 1.0}
    assert isinstance(predicate, In)
    largest: dict[tuple[Kind, Scalar], float] = {}
    for value, weight in predicate.weighted():
        largest[identity(value)] = max(weight, largest.get(identity(value), 0.0))
    return largest
