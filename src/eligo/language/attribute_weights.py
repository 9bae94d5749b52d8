"""How does a table weigh attributes? Each predicate that has no weight of its own gets that of its attribute.

    age > 18 and state in ('CA'^3, 'NY')    {"age": 2, "state": 0.5}
    age > 18^2 and state in ('CA'^3, 'NY'^0.5)

A weight of 1 is what a value without `^` has, so `^1` counts as none here too. A bare attribute is written out as
`= true` to carry its weight; `exists`, `is missing`, negative predicates such as `!=` and quantified parts have no
weights.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from eligo.errors import InputError, shown
from eligo.language.quantified import Quantified
from eligo.language.tree import (
    Between,
    Comparison,
    Equals,
    Expression,
    IsTrue,
    NaryConnective,
    Not,
    TextPredicate,
    WeightedSetPredicate,
    distinct_nodes,
)
from eligo.language.weight import RULE, weight_of

HELP = 'give a map from attributes to weights, such as {"age": 2, "state": 0.5}'


def read_weights(given: Any) -> dict[str, float]:
    """Attribute to weight, from a mapping, from pairs, or from the text of a JSON object; a null weight is none."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise InputError(f"the weights are not JSON: {error}", help=HELP) from None
    if isinstance(given, (list, tuple)) and all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in given):
        given = {_name(name): weight for name, weight in given}
    if not isinstance(given, Mapping):
        raise InputError(f"weights are a map, not {shown(given)}", help=HELP)
    return {_name(name): _weight(name, weight) for name, weight in given.items() if weight is not None}


def with_attribute_weights(tree: Expression, weights: Mapping[str, float]) -> Expression:
    """The tree with the weights of attributes on the predicates that have none of their own."""
    changed: dict[int, Expression] = {}
    for node in distinct_nodes(tree):
        if isinstance(node, NaryConnective):
            changed[id(node)] = type(node)(tuple(changed[id(child)] for child in node.children))
        elif isinstance(node, Not):
            changed[id(node)] = Not(changed[id(node.operand)])
        else:
            changed[id(node)] = _weighed(node, weights)
    return changed[id(tree)]


def _weighed(node: Expression, weights: Mapping[str, float]) -> Expression:
    weight = weights.get(getattr(node, "attribute", ""))
    if weight is None or isinstance(node, Quantified):
        return node
    if isinstance(node, IsTrue):
        return Equals(node.attribute, True, weight)
    if isinstance(node, (Equals, Comparison, Between, TextPredicate)):
        return replace(node, weight=weight) if node.weight == 1.0 else node
    if isinstance(node, WeightedSetPredicate):
        return replace(node, weights=tuple(weight if own == 1.0 else own for _, own in node.weighted()))
    return node


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise InputError(f"weights are given to attributes by name, not to {shown(name)}", help=HELP)
    return name


def _weight(name: str, weight: Any) -> float:
    checked = weight_of(weight)
    if checked is None:
        raise InputError(f"the weight of {name!r} is {shown(weight)}, and {RULE}", help=HELP)
    return checked
