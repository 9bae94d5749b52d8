"""Why is one predicate true, false or unknown? The event's values that decided it, and a phrase that says so.

age between 18 and 24       age = 30
state not in ('CA', 'NY')   state has 'CA'
age >= 18                   age = '30', a string, which is never compared with a number
tags contains all (1, 2)    tags lacks 2
device = 'tv'               device is missing
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from eligo.errors import printable
from eligo.language.canonical import attribute_text, canonical_text, value_text
from eligo.language.evaluate import (
    HierarchyLike,
    Missing,
    Truth,
    is_under,
    literal_truth,
    predicate_truth,
    satisfying_values,
)
from eligo.language.tree import (
    ContainsAll,
    Exists,
    IsMissing,
    IsTrue,
    Literal,
    Predicate,
    SetPredicate,
    Under,
    WeightedSetPredicate,
)
from eligo.language.value import Kind, Scalar, identity, kind_of

SHOWN_VALUES = 5
"""Longer lists of values are cut to this many."""
SHOWN_CHARACTERS = 60
"""Longer strings are cut to this many."""
SHOWN_TEXT = 240
"""Longer predicates are cut to this many characters."""


@dataclass(frozen=True)
class Reason:
    """What an event has to say on one predicate or literal."""

    truth: Truth
    values: tuple[Scalar, ...]
    """All values of the attribute; none when it is missing."""
    satisfying: tuple[Scalar, ...]
    """Those that satisfy the predicate's positive form: what made it true, or a `not in` false."""
    phrase: str
    hit: tuple[Scalar, ...]
    """The listed members that these are, or are under."""


def reason(
    leaf: Predicate | Literal, values: tuple[Scalar, ...], missing: Missing, hierarchy: HierarchyLike | None = None
) -> Reason:
    """Why a leaf has its truth."""
    predicate = leaf.predicate if isinstance(leaf, Literal) else leaf
    truth = (
        literal_truth(leaf, values, hierarchy)
        if isinstance(leaf, Literal)
        else predicate_truth(leaf, values, missing, hierarchy)
    )
    satisfying = satisfying_values(predicate, values, hierarchy)
    hit = satisfying
    if isinstance(predicate, Under):
        hit = tuple(node for node in predicate.nodes if any(is_under(value, node, hierarchy) for value in satisfying))
    return Reason(truth, values, satisfying, printable(_phrase(predicate, truth, values, satisfying)), hit)


def _phrase(predicate: Predicate, truth: Truth, values: Sequence[Scalar], satisfying: Sequence[Scalar]) -> str:
    name = attribute_text(predicate.attribute)
    if not values:
        if truth is None or isinstance(predicate, Exists | IsMissing):
            return f"{name} is missing"
        return f"{name} is missing, which counts as {'true' if truth else 'false'} here"
    if isinstance(predicate, ContainsAll):
        lacking = _lacking(predicate, values)
        return f"{name} lacks {listed_values(lacking)}" if lacking else f"{name} = {listed_values(values)}"
    if isinstance(predicate, Exists | IsMissing):
        return f"{name} = {listed_values(values)}"
    if satisfying:
        return f"{name} {'=' if len(values) == 1 else 'has'} {listed_values(satisfying)}"
    return f"{name} = {listed_values(values)}{_other_kind(predicate, values)}"


def _lacking(predicate: ContainsAll, values: Sequence[Scalar]) -> tuple[Scalar, ...]:
    present = {identity(value) for value in values}
    absent = {identity(member): member for member in predicate.members if identity(member) not in present}
    return tuple(absent.values())


def _other_kind(predicate: Predicate, values: Sequence[Scalar]) -> str:
    """A remark for when no value could ever satisfy the predicate, because kinds never mix."""
    wanted = _wanted_kinds(predicate)
    found = {kind_of(value) for value in values}
    if not wanted or wanted & found or len(found) > 1:
        return ""
    kinds = " or ".join(_KIND[kind] for kind in sorted(wanted))
    return f", {_KIND[found.pop()]}, which is never compared with {kinds}"


_KIND = {
    Kind.BOOL: "a Boolean",
    Kind.NUMBER: "a number",
    Kind.STRING: "a string",
    Kind.DATE: "a date",
    Kind.TIMESTAMP: "a timestamp",
}


def _wanted_kinds(predicate: Predicate) -> set[Kind]:
    if isinstance(predicate, IsTrue):
        return {Kind.BOOL}
    if isinstance(predicate, Under):
        return {Kind.STRING, Kind.DATE, Kind.TIMESTAMP}
    return {kind_of(value) for value in predicate.values()}


def listed_values(values: Sequence[Scalar]) -> str:
    """Values for a sentence, the first few of many."""
    shown = ", ".join(_short_value(value) for value in values[:SHOWN_VALUES])
    rest = len(values) - SHOWN_VALUES
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def _short_value(value: Scalar) -> str:
    if isinstance(value, str) and len(value) > SHOWN_CHARACTERS:
        return value_text(f"{value[:SHOWN_CHARACTERS]}…")
    return value_text(value)


def leaf_text(leaf: Predicate | Literal, hit: Iterable[Scalar] = ()) -> str:
    """The leaf as it is written, but with long lists and strings cut; members that were hit are always shown."""
    predicate = leaf.predicate if isinstance(leaf, Literal) else leaf
    rest = len(predicate.members) - SHOWN_VALUES if isinstance(predicate, SetPredicate) else 0
    if isinstance(predicate, SetPredicate) and rest > 0:
        text = f"{canonical_text(_fewer_members(predicate, hit))[:-1]}, … {rest:,} more)"
    else:
        text = canonical_text(predicate)
    if isinstance(leaf, Literal):
        text = f"{'' if leaf.positive else 'not '}{text}{' [or missing]' if leaf.holds_when_missing else ''}"
    return printable(text if len(text) <= SHOWN_TEXT else f"{text[:SHOWN_TEXT]}…")


def _fewer_members(predicate: SetPredicate, hit: Iterable[Scalar]) -> SetPredicate:
    """The same predicate on some of its members, in their order: those that were hit, then the first ones."""
    are_hit = {identity(value) for value in hit}
    by_interest = sorted(range(len(predicate.members)), key=lambda i: identity(predicate.members[i]) not in are_hit)
    chosen = sorted(by_interest[:SHOWN_VALUES])
    members = tuple(predicate.members[i] for i in chosen)
    if isinstance(predicate, WeightedSetPredicate):
        weights = tuple(predicate.weights[i] for i in chosen) if predicate.weights else ()
        return replace(predicate, members=members, weights=weights)
    return type(predicate)(predicate.attribute, members)
