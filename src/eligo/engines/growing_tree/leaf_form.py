"""What does a leaf ask of an event? A test of its attribute's values, and what follows from each way it can turn out.

    state not in ('CA', 'NY')     test: state is CA or NY      hit: false      not hit: true     missing: unknown
    state in ('NY', 'CA')         the same test                hit: true       not hit: false    missing: unknown

A test is written in one form only: sets without order or repetition, `=`, a bare attribute and a range of one value as
sets. So leaves that ask the same are one, however they were written; weights are no part of it. Tests are no tuples,
because `starts with 'x'` and `under 'x'` would be equal tuples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from eligo.engines.growing_tree.kernels.growing_arrays import (
    FALSE,
    TRUE,
    UNKNOWN,
    WHEN_HIT,
    WHEN_MISSING,
    WHEN_NOT_HIT,
)
from eligo.language.canonical import predicate_text
from eligo.language.evaluate import NEGATIVE, Missing, Truth, predicate_truth
from eligo.language.quantified import Quantified
from eligo.language.tree import (
    Between,
    ContainsAll,
    Equals,
    Exists,
    Greater,
    GreaterOrEqual,
    In,
    IsMissing,
    IsTrue,
    Less,
    LessOrEqual,
    Literal,
    NotBetween,
    NotEquals,
    NotIn,
    Predicate,
    RangePredicate,
    SetPredicate,
    StartsWith,
    StrongNotIn,
    Under,
    ValuePredicate,
    WeakNotIn,
)
from eligo.language.value import Kind, Scalar, identity, kind_of


@dataclass(frozen=True, slots=True)
class ValueSet:
    """Hit by each of these values; by none when it is empty."""

    members: frozenset[tuple[Kind, Scalar]]


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Hit by values of a kind between two ends; an end that is None is open."""

    kind: Kind
    low: Scalar | None
    is_low_in: bool
    high: Scalar | None
    is_high_in: bool


@dataclass(frozen=True, slots=True)
class Prefix:
    """Hit by strings that begin with this one."""

    text: str


@dataclass(frozen=True, slots=True)
class HierarchyNodes:
    """Hit by values under one of these nodes, of which there is one at least."""

    nodes: frozenset[str]


Test = ValueSet | ValueRange | Prefix | HierarchyNodes

NEVER_HIT = ValueSet(frozenset())


class LeafForm(NamedTuple):
    """A leaf without its writing."""

    attribute: str
    test: Test
    outcomes: int
    """The results when hit, when present and not hit, and when missing: two bits each."""


_CODE: dict[Truth, int] = {None: UNKNOWN, False: FALSE, True: TRUE}


def leaf_form(leaf: Predicate | Literal, missing: Missing) -> LeafForm:
    """The form of any leaf but `contains all` of some values, which is an `and` of such."""
    if isinstance(leaf, Literal):
        predicate, when_hit = leaf.predicate, leaf.positive
        when_missing: Truth = leaf.holds_when_missing
    else:
        predicate, when_hit = leaf, not isinstance(leaf, (*NEGATIVE, IsMissing))
        when_missing = predicate_truth(leaf, (), missing)
    test = _TESTS[type(predicate)](predicate)
    when_not_hit = when_hit if isinstance(predicate, _ABOUT_PRESENCE) else not when_hit
    outcomes = _CODE[when_hit] << WHEN_HIT | _CODE[when_not_hit] << WHEN_NOT_HIT | _CODE[when_missing] << WHEN_MISSING
    return LeafForm(predicate.attribute, test, outcomes)


def _value_set(predicate: ValuePredicate | SetPredicate) -> Test:
    return ValueSet(frozenset(map(identity, predicate.values())))


def _range(predicate: RangePredicate) -> Test:
    low: Any = predicate.low
    high: Any = predicate.high
    if low == high:
        return ValueSet(frozenset({identity(low)}))
    return ValueRange(kind_of(low), low, True, high, True) if low < high else NEVER_HIT


def _range_above(predicate: Greater | GreaterOrEqual) -> Test:
    return ValueRange(kind_of(predicate.value), predicate.value, type(predicate) is GreaterOrEqual, None, True)


def _range_below(predicate: Less | LessOrEqual) -> Test:
    return ValueRange(kind_of(predicate.value), None, True, predicate.value, type(predicate) is LessOrEqual)


_ABOUT_PRESENCE = (Exists, IsMissing, ContainsAll)
"""Predicates for which any value will do."""

_TESTS: dict[type[Predicate], Callable[[Any], Test]] = {
    **dict.fromkeys((Equals, NotEquals, In, NotIn, WeakNotIn, StrongNotIn), _value_set),
    **dict.fromkeys((IsTrue, Quantified), lambda predicate: ValueSet(frozenset({identity(True)}))),
    **dict.fromkeys((Between, NotBetween), _range),
    **dict.fromkeys((Greater, GreaterOrEqual), _range_above),
    **dict.fromkeys((Less, LessOrEqual), _range_below),
    StartsWith: lambda predicate: Prefix(predicate.operand),
    Under: lambda predicate: HierarchyNodes(frozenset(predicate.nodes)) if predicate.nodes else NEVER_HIT,
    **dict.fromkeys(_ABOUT_PRESENCE, lambda predicate: NEVER_HIT),
}
"""The test of each kind of predicate; a negative one has the test of what it negates."""


def likelihood(form: LeafForm) -> float:
    """A guess at how often a leaf is true, from its form alone; only the order of guesses matters."""
    test = form.test
    if isinstance(test, ValueSet):
        hit = 1.0 - 0.95 ** len(test.members)
    elif isinstance(test, ValueRange):
        hit = 0.5 if test.low is None or test.high is None else 0.25
    elif isinstance(test, HierarchyNodes):
        hit = min(0.1 * len(test.nodes), 0.5)
    else:
        hit = 0.1
    present = 0.7
    return (
        present * hit * _is_true(form.outcomes >> WHEN_HIT)
        + present * (1.0 - hit) * _is_true(form.outcomes >> WHEN_NOT_HIT)
        + (1.0 - present) * _is_true(form.outcomes >> WHEN_MISSING)
    )


def _is_true(outcomes: int) -> bool:
    return outcomes & 3 == TRUE


def leaf_text(form: LeafForm) -> str:
    """A leaf as people read it: the text of its test, negated or not, and what it is when missing if that is true."""
    when_hit, when_not_hit = _is_true(form.outcomes >> WHEN_HIT), _is_true(form.outcomes >> WHEN_NOT_HIT)
    when_missing = _is_true(form.outcomes >> WHEN_MISSING)
    if when_hit == when_not_hit:
        return predicate_text(Exists(form.attribute) if when_hit else IsMissing(form.attribute))
    text = predicate_text(_predicate(form.attribute, form.test))
    return f"{'' if when_hit else 'not '}{text}{' [or missing]' if when_missing else ''}"


def _predicate(attribute: str, test: Test) -> Predicate:
    if isinstance(test, Prefix):
        return StartsWith(attribute, test.text)
    if isinstance(test, HierarchyNodes):
        return Under(attribute, sorted(test.nodes))
    if isinstance(test, ValueSet):
        values = tuple(value for _, value in sorted(test.members))
        return Equals(attribute, values[0]) if len(values) == 1 else In(attribute, values)
    if test.low is not None and test.high is not None:
        return Between(attribute, test.low, test.high)
    if test.low is not None:
        return (GreaterOrEqual if test.is_low_in else Greater)(attribute, test.low)
    assert test.high is not None
    return (LessOrEqual if test.is_high_in else Less)(attribute, test.high)
