"""What of a publication is matched? Its document, with what the service knows of it.

    {"price": 30}, CloudEvents type "offer"        {"price": 30, "ce": {"type": "offer", …}}
    {"@tenant": "other"}, published by "acme"      {"@tenant": "acme"}

The tenant is that of the publication, never what a document says. Of a CloudEvent, ce.type, ce.source and the other
context attributes can be asked for, and hide what the document has under such names.

JSON has no dates. So a text that is written like a day or a moment is that as well, where some subscription compares
the attribute with such: one subscriber's expression never changes what another's means.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from eligo.data.events.event_json import parsed_event
from eligo.data.schema.attribute import parse_moment
from eligo.data.schema.guards import GUARDS, TENANT
from eligo.errors import ExpressionValueError
from eligo.language.event_size import too_deep
from eligo.language.limits import UNBOUNDED, Limits
from eligo.language.paths import date_node_range
from eligo.language.quantified import Quantified
from eligo.language.text.parse import parse
from eligo.language.tree import Expression, Literal, Predicate, Under, distinct_nodes
from eligo.language.value import Kind, kind_of
from eligo.service.records import Publish

CONTEXT = "ce"
"""Before the dot of CloudEvents' context attributes."""
MAY_BE_TEMPORAL = re.compile("date|timestamp|under", re.IGNORECASE)
"""Without any of these words, no expression has a day or a moment."""
KIND_NAMES: Mapping[Kind, str] = {Kind.DATE: "date", Kind.TIMESTAMP: "timestamp"}


def event_of(record: Publish, limits: Limits) -> dict[str, Any]:
    """The event that a publication is; an `EventError` for a document that is none."""
    event = parsed_event(bytes(record.document), limits)
    for name in GUARDS:
        event.pop(name, None)
    if record.tenant is not None:
        event[TENANT] = record.tenant
    envelope = msgspec.json.decode(record.envelope)
    if isinstance(envelope, dict):
        event = {name: value for name, value in event.items() if name.partition(".")[0] != CONTEXT}
        event[CONTEXT] = envelope
    return event


class Moments:
    """Which attributes are compared with days and moments, by how many subscriptions."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, Kind]] = Counter()
        self._kinds: dict[str, tuple[str, ...]] = {}

    def add(self, expression: str) -> None:
        """A subscription comes."""
        for pair in _temporal_kinds(expression):
            self._counts[pair] += 1
            if self._counts[pair] == 1:
                self._settle()

    def remove(self, expression: str) -> None:
        """A subscription goes."""
        for pair in _temporal_kinds(expression):
            self._counts[pair] -= 1
            if not self._counts[pair]:
                del self._counts[pair]
                self._settle()

    def _settle(self) -> None:
        kinds: dict[str, tuple[str, ...]] = {}
        for name, kind in sorted(self._counts):
            kinds[name] = (*kinds.get(name, ()), KIND_NAMES[kind])
        self._kinds = kinds

    def read(self, event: dict[str, Any], limits: Limits) -> dict[str, Any]:
        """The event, with days and moments beside the texts that write them."""
        if not self._kinds:
            return event
        made: dict[str, Any] = {}
        pending = [("", event, made, 0)]
        while pending:
            prefix, given, target, depth = pending.pop()
            if depth > limits.event_depth:
                raise too_deep(limits)
            for name, raw in given.items():
                if isinstance(raw, dict):
                    target[name] = {}
                    pending.append((f"{prefix}{name}.", raw, target[name], depth + 1))
                else:
                    target[name] = _with_moments(raw, self._kinds.get(prefix + name, ()))
        return made


def _with_moments(raw: Any, kinds: tuple[str, ...]) -> Any:
    values = raw if isinstance(raw, list) else [raw]
    found = [moment for kind in kinds for value in values for moment in _moments(value, kind)]
    return [*values, *found] if found else raw


def _moments(value: Any, kind: str) -> Iterator[Any]:
    if isinstance(value, str):
        try:
            yield parse_moment(value, kind)
        except ExpressionValueError:
            return


def _temporal_kinds(expression: str) -> set[tuple[str, Kind]]:
    """The attributes that an expression compares with days or moments, and which of the two."""
    found: set[tuple[str, Kind]] = set()
    pending = [parse(expression, limits=UNBOUNDED)] if MAY_BE_TEMPORAL.search(expression) else []
    while pending:
        for node in distinct_nodes(pending.pop()):
            leaf = node.predicate if isinstance(node, Literal) else node
            if isinstance(leaf, Quantified):
                pending.append(leaf.body)
            elif isinstance(leaf, Under):
                if any(date_node_range(each) is not None for each in leaf.nodes):
                    found.add((leaf.attribute, Kind.DATE))
            elif isinstance(leaf, Predicate):
                found |= {(leaf.attribute, kind) for kind in map(kind_of, leaf.values()) if kind in KIND_NAMES}
    return found


def has_joins(tree: Expression) -> bool:
    """Whether a tree speaks of documents that came before."""
    return any(isinstance(node, Quantified) for node in distinct_nodes(tree))
