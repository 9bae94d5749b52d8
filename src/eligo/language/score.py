"""How well does an event satisfy an expression? The oracle for ranking (Whang 2009, section 2.4, for any tree).

The score is taken on negation normal form: a positive literal that is true scores the weights of the keys that it
hits, AND adds its children, OR takes the largest of its true children.

    age in (1^10, 2^5) and state = 'CA'^3        {age: 1, state: 'CA'} with weights age 1, state 2

    score = 10 × 1 + 3 × 2 = 16

Scores are counted in units, billionths, as whole numbers: each hit is rounded to units once, and from there on all is
exact, so that a score depends on the expression and the event alone, and 0.1 + 0.2 is 0.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from typing import Any

from eligo.errors import EventError, shown
from eligo.kernels.score_units import UNITS, add_units, hit_units
from eligo.language.document_truth import Documents, part_attributes
from eligo.language.evaluate import (
    Hierarchies,
    HierarchyLike,
    Missing,
    attributes_of,
    is_under,
    literal_truth,
    satisfying_values,
)
from eligo.language.rewrites.push_negations import push_negations
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
    Under,
    distinct_nodes,
)
from eligo.language.value import Kind, Scalar, event_attributes, event_values, identity
from eligo.language.weight import RULE, weight_of

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
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        raise EventError(f"weights are a mapping from attributes, not {type(weights).__name__}")
    return {name: _weights_of_attribute(name, given) for name, given in weights.items()}


def _weights_of_attribute(name: str, given: float | Mapping[Any, float]) -> AttributeWeights:
    if not isinstance(given, Mapping):
        return AttributeWeights(_checked(given, name))
    of_value: dict[tuple[Kind, Scalar], float] = {}
    for raw, weight in given.items():
        for value in event_values(raw, name):
            of_value[identity(value)] = _checked(weight, name)
    return AttributeWeights(of_value=of_value)


def _checked(raw: Any, attribute: str) -> float:
    weight = weight_of(raw)
    if weight is None:
        raise EventError(f"{RULE}, not {shown(raw)}", attribute=attribute)
    return weight


def score(
    tree: Expression,
    event: Mapping[str, Any],
    missing: Missing = "unknown",
    *,
    weights: EventWeights | None = None,
    hierarchies: Hierarchies | None = None,
    documents: Documents | None = None,
    at: datetime | None = None,
) -> float | None:
    """The score of a tree for one event, or None when it does not match; `documents` and `at` as for `evaluate`."""
    units = score_units(tree, event, missing, weights=weights, hierarchies=hierarchies, documents=documents, at=at)
    return None if units is None else units / UNITS


def score_units(
    tree: Expression,
    event: Mapping[str, Any],
    missing: Missing = "unknown",
    *,
    weights: EventWeights | None = None,
    hierarchies: Hierarchies | None = None,
    documents: Documents | None = None,
    at: datetime | None = None,
    truths: Mapping[str, tuple[Scalar, ...]] | None = None,
) -> int | None:
    """The score in units, by which matches are ranked; `truths` are those of quantified parts, by their attributes."""
    attributes, weights_of = event_attributes(event, attributes_of(tree)), attribute_weights(weights)
    if truths is None:
        truths = part_attributes(tree, attributes, documents, missing, hierarchies, at=at)
    attributes |= truths
    normal_form = push_negations(tree, missing)
    score_of: dict[int, int | None] = {}
    for node in distinct_nodes(normal_form):
        if isinstance(node, Literal):
            name = node.predicate.attribute
            score_of[id(node)] = literal_score(
                node, attributes.get(name, ()), weights_of.get(name, AttributeWeights()), (hierarchies or {}).get(name)
            )
        else:
            score_of[id(node)] = _connective_score(node, [score_of[id(child)] for child in node.children])
    return score_of[id(normal_form)]


def _connective_score(node: Expression, operands: list[int | None]) -> int | None:
    if isinstance(node, Constant):
        return 0 if node.value else None
    matching = [operand for operand in operands if operand is not None]
    if isinstance(node, And):
        return reduce(add_units, matching, 0) if len(matching) == len(operands) else None
    assert isinstance(node, Or)
    return max(matching, default=None)


def literal_score(
    literal: Literal, values: tuple[Scalar, ...], weights: AttributeWeights, hierarchy: HierarchyLike | None = None
) -> int | None:
    """The score of a literal in units: None when it is false, 0 when it is negative or holds because it is missing."""
    if not literal_truth(literal, values, hierarchy):
        return None
    if not values or not literal.positive:
        return 0
    predicate = literal.predicate
    if isinstance(predicate, Exists):
        return hit_units(1.0, weights.of_attribute)
    satisfying = satisfying_values(predicate, values, hierarchy)
    if isinstance(predicate, Equals | In | IsTrue):  # each listed value is a key of its own
        operand_weight = _operand_weights(predicate)
        return reduce(
            add_units, (hit_units(operand_weight[identity(value)], weights.of(value)) for value in satisfying), 0
        )
    if isinstance(predicate, Under):  # the node that scores most counts
        return max(_node_scores(predicate, satisfying, weights, hierarchy))
    assert isinstance(predicate, Comparison | Between | TextPredicate)  # the whole predicate is one key
    return hit_units(predicate.weight, max(weights.of(value) for value in satisfying))


def _node_scores(
    predicate: Under, values: tuple[Scalar, ...], weights: AttributeWeights, hierarchy: HierarchyLike | None
) -> Iterator[int]:
    """What each node scores with each value under it."""
    for node, weight in zip(predicate.nodes, predicate.weights or (1.0,) * len(predicate.nodes), strict=True):
        for value in values:
            if is_under(value, node, hierarchy):
                yield hit_units(weight, weights.of(value))


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
