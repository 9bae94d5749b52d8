"""Is a quantified part true? The oracle for documents: it goes through all of them, one by one.

`exists` is true when the body is true of some document; else unknown when it is unknown of one; else false. `forall` is
false when the body is false of some document; else unknown when it is unknown of one; else true. A predicate or
comparison with an attribute that the event or the document does not have follows the policy for missing attributes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, Protocol, cast

from eligo.errors import InputError, shown
from eligo.language.evaluate import (
    Hierarchies,
    Missing,
    Truth,
    all_true,
    any_true,
    connective_truth,
    predicate_truth,
)
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.quantified import Joined, OfDocument, Quantified, quantified_parts
from eligo.language.tree import Expression, Predicate, distinct_nodes
from eligo.language.value import Scalar, event_attributes, identity, kind_of

Attributes = Mapping[str, tuple[Scalar, ...]]
"""What `event_attributes` makes of an event or a document."""


class Received(NamedTuple):
    """A document, and when it came."""

    document: Mapping[str, Any]
    time: datetime


class DocumentsLike(Protocol):
    """What keeps documents under numbers, such as an `eligo.DocumentBase`."""

    def received(self) -> list[Received]:
        """All documents in the order in which they came."""
        ...

    def __iter__(self) -> Iterator[int]:
        """Their numbers."""
        ...


Documents = Iterable[Mapping[str, Any] | Received] | DocumentsLike
"""Documents in the order in which they came."""


class Numbered(NamedTuple):
    """A document, its number, and when it came, if that is known."""

    number: int
    document: Mapping[str, Any]
    time: datetime | None


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def part_attributes(
    tree: Expression,
    attributes: Attributes,
    documents: Documents | None,
    missing: Missing,
    hierarchies: Hierarchies | None = None,
    *,
    at: datetime | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> dict[str, tuple[Scalar, ...]]:
    """For each quantified part of a tree its attribute with what it is: `true`, `false`, or no value where unknown."""
    parts = quantified_parts(tree)
    if not parts:
        return {}
    known, moment = numbered_documents(documents, parts[0]), checked_moment(at)
    found: dict[str, tuple[Scalar, ...]] = {}
    for part in parts:
        read = [
            event_attributes(each.document, part.document_attributes(), limits=limits)
            for each in in_scope(known, part.last, moment)
        ]
        truth = part_truth(part, attributes, read, missing, hierarchies)
        found[part.attribute] = () if truth is None else (truth,)
    return found


def documents_needed(part: Quantified) -> InputError:
    """The error for a question about documents without any."""
    return InputError(
        f"the answer depends on documents, and none were given: {shown(repr(part))}",
        help="give documents=, such as an eligo.DocumentBase; an empty one says that there are none",
    )


def numbered_documents(documents: Documents | None, part: Quantified) -> list[Numbered]:
    """Documents as a caller gave them, or an `InputError` for what are none; `part` is what asks for them."""
    if documents is None:
        raise documents_needed(part)
    received = getattr(documents, "received", None)
    if callable(received):
        numbers, given = list(cast(DocumentsLike, documents)), list(received())
    elif isinstance(documents, str | bytes | Mapping) or not isinstance(documents, Iterable):
        raise InputError(
            f"documents are several, not {shown(documents)}", help="give a list of them, or an eligo.DocumentBase"
        )
    else:
        given = list(cast(Iterable[Any], documents))
        numbers = list(range(len(given)))
    return [
        Numbered(number, each.document, checked_moment(each.time))
        if isinstance(each, Received)
        else Numbered(number, each, None)
        for number, each in zip(numbers, given, strict=True)
    ]


def checked_moment(at: object) -> datetime:
    """A moment as a caller gave it, in UTC if it does not say; None is now."""
    if at is None:
        return datetime.now(UTC)
    if not isinstance(at, datetime):
        raise InputError(f"a moment is a datetime, not {shown(at)}", help="write datetime.now(UTC)")
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def in_scope(documents: Sequence[Numbered], last: int | timedelta | None, at: datetime) -> Sequence[Numbered]:
    """The documents that a quantified part is about: all, the last so many, or those of the last so much time."""
    if last is None:
        return documents
    if isinstance(last, int):
        return documents[-last:]
    chosen = []
    for each in documents:
        if each.time is None:
            raise InputError("'in last' with a time needs documents with times", help="use eligo.DocumentBase")
        if at - each.time <= last:
            chosen.append(each)
    return chosen


def part_truth(
    part: Quantified,
    attributes: Attributes,
    documents: Iterable[Attributes],
    missing: Missing,
    hierarchies: Hierarchies | None = None,
) -> Truth:
    """The truth of a quantified part over the documents in its scope."""
    truths = (body_truth(part.body, attributes, document, missing, hierarchies) for document in documents)
    return all_true(truths) if part.is_universal else any_true(truths)


def body_truth(
    body: Expression,
    attributes: Attributes,
    document: Attributes,
    missing: Missing,
    hierarchies: Hierarchies | None = None,
) -> Truth:
    """The truth of a body for one document."""
    taxonomies = hierarchies or {}
    truth_of: dict[int, Truth] = {}
    for node in distinct_nodes(body):
        if isinstance(node, Joined):
            values, others = attributes.get(node.attribute, ()), document.get(node.document_attribute, ())
            truth_of[id(node)] = joined_truth(node, values, others, missing)
        elif isinstance(node, OfDocument):
            name = node.predicate.attribute
            truth_of[id(node)] = predicate_truth(node.predicate, document.get(name, ()), missing, taxonomies.get(name))
        elif isinstance(node, Predicate):
            name = node.attribute
            truth_of[id(node)] = predicate_truth(node, attributes.get(name, ()), missing, taxonomies.get(name))
        else:
            truth_of[id(node)] = connective_truth(node, [truth_of[id(child)] for child in node.children])
    return truth_of[id(body)]


def joined_truth(join: Joined, values: Sequence[Scalar], others: Sequence[Scalar], missing: Missing) -> Truth:
    """The truth of a comparison between the values of an event and those of a document."""
    is_negative = join.operator == "!="
    if not values or not others:
        return None if missing == "unknown" else is_negative
    is_hit = any(satisfies(join.operator, value, other) for value in values for other in others)
    return is_hit != is_negative


def satisfies(comparison: str, value: Scalar, other: Scalar) -> bool:
    """Whether two values compare; for `!=`, whether they are equal. Kinds never mix, and bools have no order."""
    if comparison in ("=", "!="):
        return identity(value) == identity(other)
    return kind_of(value) is kind_of(other) and not isinstance(value, bool) and _COMPARE[comparison](value, other)
