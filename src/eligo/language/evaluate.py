"""What does an expression mean? The oracle: readable before fast, and everything else is tested against it.

Truth is `True`, `False` or `None` for unknown; connectives follow Kleene's tables (A-Tree 2021, Table 2):

    and      unknown when none is false and one is unknown
    or       unknown when none is true and one is unknown
    not, xor, xnor       unknown when one is unknown

A predicate on a missing attribute is unknown, or, under the policy `missing="false"` of Whang 2009 and Fontoura 2010,
false when it is positive and true when it is negative.
"""

from __future__ import annotations

import operator
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from eligo.errors import InputError, shown
from eligo.language.forms.any_form import as_tree
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.paths import is_under_path
from eligo.language.quantified import Joined, OfDocument, Quantified, outside_part
from eligo.language.tree import (
    And,
    Comparison,
    Constant,
    ContainsAll,
    Exists,
    Expression,
    IsMissing,
    IsTrue,
    Literal,
    Not,
    NotBetween,
    NotEquals,
    NotIn,
    Or,
    Predicate,
    RangePredicate,
    SetPredicate,
    StartsWith,
    StrongNotIn,
    SupportsExpression,
    Under,
    ValuePredicate,
    WeakNotIn,
    Xnor,
    Xor,
    distinct_nodes,
)
from eligo.language.value import Scalar, event_attributes, identity, kind_of

if TYPE_CHECKING:
    from eligo.language.document_truth import Documents

Missing = typing.Literal["unknown", "false"]
"""What a predicate on a missing attribute is; chosen once for a set of expressions."""

Truth = bool | None
"""True, false, or None for unknown."""


class HierarchyLike(Protocol):
    """What `under` needs of an attribute's taxonomy."""

    def is_under(self, value: str, node: str) -> bool:
        """Whether the value is the node or below it."""
        ...


Hierarchies = Mapping[str, HierarchyLike]
"""The taxonomy of each attribute that has one; the others go by `paths.is_under_path`."""

NEGATIVE = (NotEquals, NotBetween, NotIn, WeakNotIn, StrongNotIn)
"""Predicates that hold when no value satisfies their positive form."""

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def evaluate(
    expression: Expression | str | Mapping[str, Any] | SupportsExpression,
    event: Mapping[str, Any],
    missing: Missing = "unknown",
    *,
    hierarchies: Hierarchies | None = None,
    documents: Documents | None = None,
    at: datetime | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Truth:
    """The truth of an expression for one event: a tree, in negation normal form or not, a text, or the JSON form.

    Of the event nothing is read but what the expression names. What it says of `documents` (`exists d (…)`) is found
    by going through them; `at` is the moment from which `in last '7 days'` counts back, now unless given.
    """
    from eligo.language.document_truth import part_attributes

    tree = as_tree(expression)
    known = checked_hierarchies(hierarchies)
    attributes = event_attributes(event, attributes_of(tree), limits=limits)
    attributes |= part_attributes(tree, attributes, documents, missing, known, at=at, limits=limits)
    return truths(tree, attributes, missing, known)[id(tree)]


def attributes_of(tree: Expression) -> set[str]:
    """The attributes of an event that a tree names; those in the bodies of quantified parts too."""
    names: set[str] = set()
    for node in distinct_nodes(tree):
        leaf = node.predicate if isinstance(node, Literal) else node
        if isinstance(leaf, Quantified):
            names |= leaf.event_attributes()
        elif isinstance(leaf, Predicate):
            names.add(leaf.attribute)
    return names


def matches(
    expression: Expression | str | Mapping[str, Any] | SupportsExpression,
    event: Mapping[str, Any],
    missing: Missing = "unknown",
    *,
    hierarchies: Hierarchies | None = None,
    documents: Documents | None = None,
    at: datetime | None = None,
) -> bool:
    """Whether an expression is true for one event; unknown is no match."""
    return evaluate(expression, event, missing, hierarchies=hierarchies, documents=documents, at=at) is True


def truths(
    tree: Expression,
    attributes: Mapping[str, tuple[Scalar, ...]],
    missing: Missing = "unknown",
    hierarchies: Hierarchies | None = None,
) -> dict[int, Truth]:
    """The truth of every node by its `id`; `attributes` is what `event_attributes` makes of an event."""
    check_policy(missing)
    truth_of: dict[int, Truth] = {}
    for node in distinct_nodes(tree):
        if isinstance(node, Predicate | Literal):
            attribute = node.attribute if isinstance(node, Predicate) else node.predicate.attribute
            values, hierarchy = attributes.get(attribute, ()), (hierarchies or {}).get(attribute)
            truth_of[id(node)] = (
                predicate_truth(node, values, missing, hierarchy)
                if isinstance(node, Predicate)
                else literal_truth(node, values, hierarchy)
            )
        else:
            truth_of[id(node)] = connective_truth(node, [truth_of[id(child)] for child in node.children])
    return truth_of


def check_policy(missing: object) -> None:
    """Refuse what is no policy for missing attributes."""
    if not isinstance(missing, str) or missing not in typing.get_args(Missing):
        raise InputError(f"{shown(missing)} is not a policy for missing attributes", help='"unknown" or "false"')


def checked_hierarchies(hierarchies: Any) -> Hierarchies | None:
    """Taxonomies by attribute as a caller gave them, or an error for what are none."""
    if hierarchies is None:
        return None
    if not isinstance(hierarchies, Mapping):
        raise InputError(f"hierarchies are a mapping from attributes to taxonomies, not {shown(hierarchies)}")
    for name, hierarchy in hierarchies.items():
        if not isinstance(name, str) or not callable(getattr(hierarchy, "is_under", None)):
            raise InputError(
                f"hierarchies[{shown(name)}] is not a taxonomy: {shown(hierarchy)}",
                help="make one with Hierarchy.from_paths or Hierarchy.from_edges",
            )
    return hierarchies


def connective_truth(node: Expression, operands: Sequence[Truth]) -> Truth:
    """The truth of a connective or constant from that of its children."""
    if isinstance(node, Constant):
        return node.value
    if isinstance(node, Joined | OfDocument):
        raise outside_part(node)
    if isinstance(node, Not):
        return None if operands[0] is None else not operands[0]
    if isinstance(node, And):
        return all_true(operands)
    if isinstance(node, Or):
        return any_true(operands)
    if None in operands:
        return None
    if isinstance(node, Xor):
        return sum(map(bool, operands)) % 2 == 1
    assert isinstance(node, Xnor)
    result = operands[0]
    for operand in operands[1:]:
        result = result == operand
    return result


def all_true(operands: Iterable[Truth]) -> Truth:
    """Kleene's and."""
    seen = set(operands)
    return False if False in seen else None if None in seen else True


def any_true(operands: Iterable[Truth]) -> Truth:
    """Kleene's or."""
    seen = set(operands)
    return True if True in seen else None if None in seen else False


def predicate_truth(
    predicate: Predicate, values: Sequence[Scalar], missing: Missing, hierarchy: HierarchyLike | None = None
) -> Truth:
    """The truth of a predicate for the values of its attribute; no values means missing."""
    if isinstance(predicate, Exists):
        return bool(values)
    if isinstance(predicate, IsMissing):
        return not values
    if not values:
        return _truth_when_missing(predicate, missing)
    return is_hit(predicate, values, hierarchy) != isinstance(predicate, NEGATIVE)


def _truth_when_missing(predicate: Predicate, missing: Missing) -> Truth:
    if isinstance(predicate, WeakNotIn):
        return True
    if isinstance(predicate, StrongNotIn):
        return False
    return None if missing == "unknown" else isinstance(predicate, NEGATIVE)


def literal_truth(literal: Literal, values: Sequence[Scalar], hierarchy: HierarchyLike | None = None) -> bool:
    """The truth of a leaf of negation normal form; never unknown."""
    if not values:
        return literal.holds_when_missing
    return is_hit(literal.predicate, values, hierarchy) == literal.positive


def is_hit(predicate: Predicate, values: Sequence[Scalar], hierarchy: HierarchyLike | None = None) -> bool:
    """Whether values satisfy the predicate's positive form: for `a not in (…)` that is `a in (…)`."""
    if isinstance(predicate, ContainsAll):
        present = {identity(value) for value in values}
        return all(identity(member) in present for member in predicate.members)
    return bool(satisfying_values(predicate, values, hierarchy))


def satisfying_values(
    predicate: Predicate, values: Sequence[Scalar], hierarchy: HierarchyLike | None = None
) -> tuple[Scalar, ...]:
    """The values that satisfy the predicate's positive form; for `contains all` those that it lists."""
    satisfies = _test(predicate, hierarchy)
    return tuple(value for value in values if satisfies(value))


def _test(predicate: Predicate, hierarchy: HierarchyLike | None) -> Callable[[Scalar], bool]:
    """What one value must pass. Kinds never mix, so every test of an order compares within a kind only."""
    if isinstance(predicate, Comparison):
        compare, bound = _COMPARE[predicate.operator], predicate.value
        return lambda value: kind_of(value) is kind_of(bound) and compare(value, bound)
    if isinstance(predicate, RangePredicate):
        low: Any = predicate.low
        high: Any = predicate.high
        return lambda value: kind_of(value) is kind_of(low) and low <= value <= high
    if isinstance(predicate, Under):
        return lambda value: any(is_under(value, node, hierarchy) for node in predicate.nodes)
    if isinstance(predicate, ValuePredicate | SetPredicate):
        listed = {identity(operand) for operand in predicate.values()}
        return lambda value: identity(value) in listed
    if isinstance(predicate, IsTrue):
        return lambda value: value is True
    if isinstance(predicate, StartsWith):
        return lambda value: isinstance(value, str) and value.startswith(predicate.operand)
    assert isinstance(predicate, Exists | IsMissing), f"no meaning for {type(predicate).__name__}"
    return lambda value: True


def is_under(value: Scalar, node: str, hierarchy: HierarchyLike | None = None) -> bool:
    """Whether a value is the node or below it: strings by the taxonomy if there is one, all else by its path."""
    if hierarchy is not None and isinstance(value, str):
        return hierarchy.is_under(value, node)
    return is_under_path(value, node)
