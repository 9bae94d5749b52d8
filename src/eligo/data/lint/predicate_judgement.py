"""Can a predicate be true of events like those that were seen? What speaks against it, and what was perhaps meant.

certain     unknown-attribute   no event has the attribute: agee > 18
            wrong-kind          the events have another kind of value: age = '3', ts >= date '2026-01-01'
remarks     out-of-range        beyond the least or largest value that was seen: age > 150
            unseen-value        a value that no event had: state = 'TC'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from eligo.data.lint.seen_attribute import Extent, SeenAttribute
from eligo.data.lint.seen_events import SeenEvents
from eligo.data.schema.kind_advice import kind_advice
from eligo.language.canonical import attribute_text, value_text
from eligo.language.paths import date_node_range, is_under_path
from eligo.language.text.suggest import nearest
from eligo.language.tree import (
    Comparison,
    ContainsAll,
    Exists,
    Greater,
    IsMissing,
    IsTrue,
    Less,
    LessOrEqual,
    NotBetween,
    NotEquals,
    NotIn,
    Predicate,
    RangePredicate,
    StartsWith,
    StrongNotIn,
    Under,
    WeakNotIn,
)
from eligo.language.value import Kind, Scalar, identity, kind_of

CERTAIN_RULES = ("unknown-attribute", "wrong-kind")
REMARK_RULES = ("out-of-range", "unseen-value")
NEAR = 0.6
"""How like a name or a value must be to one that was seen to be suggested for it."""
NEGATIVE = (NotEquals, NotIn, NotBetween, WeakNotIn, StrongNotIn)


class Judgement(NamedTuple):
    """What speaks against a predicate."""

    rule: str
    message: str
    help: str = ""
    is_false: bool = True
    """Whether, because of it, the predicate without its negation is true of no event."""


def judgements(predicate: Predicate, events: SeenEvents) -> list[Judgement]:
    """Everything that speaks against a predicate on an event."""
    name = predicate.attribute
    seen = events.get(name)
    if seen is None:
        return [] if events.is_open(name) else [_unknown(name, events)]
    if isinstance(predicate, IsMissing):
        return []
    if not seen.has_values:
        where = _where(events)
        return [Judgement("unseen-value", f"none of {where} has a value of {attribute_text(name)}")]
    if isinstance(predicate, Exists):
        return []
    if isinstance(predicate, IsTrue):
        return list(_judged_truth(seen))
    if isinstance(predicate, StartsWith | Under):
        return list(_judged_text(predicate, seen, events))
    return list(_judged_values(predicate, seen, events))


def _unknown(name: str, events: SeenEvents) -> Judgement:
    near = nearest(name, events.attributes, cutoff=NEAR)
    help = f"did you mean {attribute_text(near)}?" if near else "the events have: " + _listed(list(events.attributes))
    return Judgement("unknown-attribute", f"no event has an attribute {attribute_text(name)}", help)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(attribute_text, names[:8]))
    return f"{shown}, …" if len(names) > 8 else shown or "no attributes"


def _where(events: SeenEvents) -> str:
    return f"the {events.num_events:,} events" if events.num_events != 1 else "the one event"


def _held(seen: SeenAttribute) -> str:
    """Of which kinds the values are, for people."""
    return " or ".join(f"a {kind.name.lower()}" for kind in sorted(seen.kinds))


def _judged_truth(seen: SeenAttribute) -> Iterator[Judgement]:
    name = attribute_text(seen.name)
    if Kind.BOOL not in seen.kinds:
        message = f"{name} is {_held(seen)} in the events, so it is never true by itself"
        yield Judgement("wrong-kind", message, "compare it with a value")
    elif seen.values is not None and identity(True) not in seen.values:
        yield Judgement("unseen-value", f"{name} is never true in the events")


def _judged_text(predicate: StartsWith | Under, seen: SeenAttribute, events: SeenEvents) -> Iterator[Judgement]:
    name, operator = attribute_text(seen.name), predicate.operator
    fitting = {Kind.STRING} if isinstance(predicate, StartsWith) else {Kind.STRING, Kind.DATE, Kind.TIMESTAMP}
    if not seen.kinds & fitting:
        yield Judgement("wrong-kind", f"{name} is {_held(seen)} in the events, so '{operator}' is never true")
    elif isinstance(predicate, Under):
        if not predicate.nodes:
            return
        if Kind.STRING not in seen.kinds and all(date_node_range(node) is None for node in predicate.nodes):
            message = f"{name} is {_held(seen)} in the events, and {value_text(predicate.nodes[0])} is no year or day"
            yield Judgement("wrong-kind", message, "write '2024', '2024/01' or '2024/01/31'")
        elif seen.values is not None and not any(
            is_under_path(value, node) for value in seen.values.values() for node in predicate.nodes
        ):
            # A taxonomy may say otherwise, so nothing follows from it.
            message = f"no path of {name} in {_where(events)} begins with {value_text(predicate.nodes[0])}"
            yield Judgement("unseen-value", message, is_false=False)
    elif seen.values is not None:
        (prefix,) = predicate.values()
        if not any(isinstance(value, str) and value.startswith(str(prefix)) for value in seen.values.values()):
            yield Judgement("unseen-value", f"no {name} in {_where(events)} begins with {value_text(prefix)}")


def _judged_values(predicate: Predicate, seen: SeenAttribute, events: SeenEvents) -> Iterator[Judgement]:
    """Of predicates that compare with values."""
    values, is_ordered = predicate.values(), isinstance(predicate, Comparison | RangePredicate)
    wrong = [value for value in values if not _is_possible(value, seen, is_ordered)]
    fitting = [value for value in values if _is_possible(value, seen, is_ordered)]
    needs_all = is_ordered or isinstance(predicate, ContainsAll)
    if wrong:
        yield _wrong_kind(predicate, seen, wrong, is_false=needs_all or not fitting)
        if needs_all:
            return
    if is_ordered:
        if _is_beyond(predicate, seen.extents[kind_of(values[0])]):
            yield Judgement("out-of-range", _told_extent(seen, kind_of(values[0]), events) + _so_far(predicate, True))
        return
    if isinstance(predicate, ContainsAll) and len(fitting) > 1 and not seen.several:
        message = f"no event has several values of {attribute_text(seen.name)}, so 'contains all' is never true"
        yield Judgement("wrong-kind", message)
        return
    unseen = [value for value in fitting if not _was_seen(value, seen)]
    if unseen:
        is_false = len(unseen) == len(fitting) or isinstance(predicate, ContainsAll)
        yield _unseen(predicate, seen, unseen, events, is_false=is_false)


def _is_possible(value: Scalar, seen: SeenAttribute, is_ordered: bool) -> bool:
    if kind_of(value) not in seen.kinds:
        return False
    return is_ordered or not seen.is_whole or not isinstance(value, float)


def _wrong_kind(predicate: Predicate, seen: SeenAttribute, wrong: Sequence[Scalar], *, is_false: bool) -> Judgement:
    value, name = wrong[0], attribute_text(seen.name)
    if kind_of(value) in seen.kinds:
        problem = f"{name} is a whole number in the events, and {value_text(value)} is none"
    else:
        problem = f"{name} is {_held(seen)} in the events, and {value_text(value)} is a {kind_of(value).name.lower()}"
    more = f" (and {len(wrong) - 1} more like it)" if len(wrong) > 1 else ""
    return Judgement("wrong-kind", f"{problem}{more}{_so(predicate, is_false)}", _kind_help(value, seen), is_false)


def _so(predicate: Predicate, is_false: bool) -> str:
    """What follows for the predicate."""
    if not is_false:
        return ""
    return ", so it excludes nothing" if isinstance(predicate, NEGATIVE) else ", so it is never true"


def _so_far(predicate: Predicate, is_false: bool) -> str:
    """What follows for the predicate on the events that were seen."""
    if not is_false:
        return ""
    return ", so it excludes none of them" if isinstance(predicate, NEGATIVE) else ", so none of them satisfies it"


def _kind_help(value: Scalar, seen: SeenAttribute) -> str:
    """How the value would be written as the kind that the events have."""
    if Kind.STRING in seen.kinds and isinstance(value, date) and not seen.kinds & {Kind.DATE, Kind.TIMESTAMP}:
        return "make dates or timestamps of the texts in the events, or compare with a text"
    return kind_advice(value, seen.kinds)


def _is_beyond(predicate: Predicate, extent: Extent) -> bool:
    """Whether no value from the least to the largest satisfies the comparison or range, its negation aside."""
    low, high = map(identity, extent)
    ends = [identity(value) for value in predicate.values()]
    if isinstance(predicate, RangePredicate):
        return ends[1] < low or ends[0] > high
    if isinstance(predicate, Less | LessOrEqual):
        return ends[0] < low or (ends[0] == low and isinstance(predicate, Less))
    return ends[0] > high or (ends[0] == high and isinstance(predicate, Greater))


def _told_extent(seen: SeenAttribute, kind: Kind, events: SeenEvents) -> str:
    low, high = map(value_text, seen.extents[kind])
    name = attribute_text(seen.name)
    told = f"{name} is {low}" if low == high else f"{name} is from {low} to {high}"
    return f"{told} in {_where(events)}"


def _was_seen(value: Scalar, seen: SeenAttribute) -> bool:
    if seen.values is not None:
        return identity(value) in seen.values
    low, high = map(identity, seen.extents[kind_of(value)])
    return kind_of(value) is Kind.STRING or low <= identity(value) <= high


def _unseen(
    predicate: Predicate, seen: SeenAttribute, unseen: Sequence[Scalar], events: SeenEvents, *, is_false: bool
) -> Judgement:
    value, so = unseen[0], _so_far(predicate, is_false)
    more = f" (and {len(unseen) - 1} more like it)" if len(unseen) > 1 else ""
    if kind_of(value) in (Kind.NUMBER, Kind.DATE, Kind.TIMESTAMP):
        low, high = map(identity, seen.extents[kind_of(value)])
        if not low <= identity(value) <= high:
            message = f"{_told_extent(seen, kind_of(value), events)}, never {value_text(value)}{more}{so}"
            return Judgement("out-of-range", message, is_false=is_false)
    texts = [known for known in (seen.values or {}).values() if isinstance(known, str)]
    near = nearest(value, texts, cutoff=NEAR) if isinstance(value, str) else None
    help = f"did you mean {value_text(near)}?" if near else ""
    message = f"{attribute_text(seen.name)} is never {value_text(value)}{more} in {_where(events)}{so}"
    return Judgement("unseen-value", message, help, is_false)
