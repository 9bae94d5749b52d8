"""What should a service know after some records? Dictionaries and loops that say so, for what tests write."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from eligo.service.records import (
    Acknowledge,
    AddDocuments,
    AnyRecord,
    DeleteExpression,
    DeleteSubscription,
    Publish,
    PutExpression,
    PutSubscription,
    RemoveDocuments,
)
from eligo.service.service import Service
from eligo.service.state.guarded_text import Guarded, with_guards
from eligo.service.state.stored_expression import etag_of

Event = dict[str, Any]
Truth = Callable[[Event, Sequence[Event]], bool]

START = datetime(2026, 1, 1, tzinfo=UTC)
KEEP_LAST = 4
REMEMBER = timedelta(hours=1)

EXPRESSIONS: dict[str, Truth] = {
    "a = 1": lambda event, documents: event.get("a") == 1,
    "a > 1 and b = 'x'": lambda event, documents: event.get("a", 0) > 1 and event.get("b") == "x",
    "b in ('x', 'y') or a = 3": lambda event, documents: event.get("b") in ("x", "y") or event.get("a") == 3,
    "not a = 2": lambda event, documents: "a" in event and event["a"] != 2,
}
SUBSCRIPTIONS: dict[str, Truth] = {
    **EXPRESSIONS,
    "exists d (a < d.a)": lambda event, documents: any("a" in event and event["a"] < d.get("a", 0) for d in documents),
}
EVENTS: list[Event] = [{"a": 1}, {"a": 2, "b": "x"}, {"a": 3, "b": "z"}, {"b": "y"}, {"c": 0}]


@dataclass
class Known:
    """An expression of the model."""

    text: str
    tenant: str | None
    valid_to: datetime | None
    metadata: bytes | None

    @property
    def etag(self) -> str:
        return etag_of(with_guards(Guarded(self.text, self.tenant, None, self.valid_to)), self.metadata)


@dataclass
class PlainModel:
    """A service without a disk, an index or a thread."""

    seq: int = 0
    expressions: dict[str | int, Known] = field(default_factory=dict)
    id_type: type | None = None
    documents: dict[int, Event] = field(default_factory=dict)
    next_document: int = 0
    subscriptions: dict[str, tuple[str, list[int]]] = field(default_factory=dict)
    remembered: dict[tuple[str | None, str], tuple[timedelta, tuple[int, int | None, int]]] = field(
        default_factory=dict
    )
    latest: datetime | None = None
    counted: timedelta = timedelta()

    def apply(self, record: AnyRecord) -> object:
        """What the writer should hear; "refused" for an error."""
        self.seq += 1
        if isinstance(record, PutExpression):
            return self._put(record)
        if isinstance(record, DeleteExpression):
            known = self.expressions.get(record.id)
            if known is None or not self._holds(known, record.if_match, record.only_tenant):
                return "refused"
            del self.expressions[record.id]
            return None
        if isinstance(record, AddDocuments):
            numbers = [self._add(json.loads(bytes(text))) for text in record.documents]
            return range(numbers[0], numbers[-1] + 1)
        if isinstance(record, RemoveDocuments):
            if not set(record.numbers) <= self.documents.keys():
                return "refused"
            for number in set(record.numbers):
                del self.documents[number]
            return len(set(record.numbers))
        if isinstance(record, Publish):
            return self._publish(record)
        if isinstance(record, PutSubscription):
            before = self.subscriptions.get(record.name, ("", []))
            self.subscriptions[record.name] = (record.expression, before[1])
            return "etag"
        if isinstance(record, DeleteSubscription):
            return None if self.subscriptions.pop(record.name, None) else "refused"
        assert isinstance(record, Acknowledge)
        if record.subscription not in self.subscriptions:
            return "refused"
        queue = self.subscriptions[record.subscription][1]
        taken = [seq for seq in queue if seq in record.seqs]
        queue[:] = [seq for seq in queue if seq not in record.seqs]
        return len(taken)

    def _put(self, record: PutExpression) -> object:
        known = self.expressions.get(record.id)
        if (self.id_type is not None and not isinstance(record.id, self.id_type)) or not self._holds(
            known, record.if_match, record.only_tenant
        ):
            return "refused"
        if record.expression not in EXPRESSIONS:
            return "refused"
        self.id_type = type(record.id)
        metadata = bytes(record.metadata)
        put = Known(record.expression, record.tenant, record.valid_to, None if metadata == b"null" else metadata)
        self.expressions.pop(record.id, None)
        self.expressions[record.id] = put
        return put.etag

    @staticmethod
    def _holds(known: Known | None, if_match: str | None, only_tenant: str | None) -> bool:
        if known is not None and only_tenant is not None and known.tenant != only_tenant:
            return False
        if if_match is None:
            return True
        return known is None if if_match == "" else known is not None and if_match in ("*", known.etag)

    def _add(self, document: Event) -> int:
        number = self.next_document
        self.next_document += 1
        self.documents[number] = document
        while len(self.documents) > KEEP_LAST:
            del self.documents[min(self.documents)]
        return number

    def _publish(self, record: Publish) -> object:
        self.counted += min(max(record.time - (self.latest or record.time), timedelta()), REMEMBER / 24)
        self.latest = record.time
        self.remembered = {key: it for key, it in self.remembered.items() if it[0] >= self.counted - REMEMBER}
        key = (record.source, record.id or "")
        if record.id is not None and key in self.remembered:
            return (*self.remembered[key][1], True)
        event = json.loads(bytes(record.document))
        names = [
            name
            for name, (text, _) in self.subscriptions.items()
            if SUBSCRIPTIONS[text](event, list(self.documents.values()))
        ]
        number = self._add(event)
        for name in names:
            self.subscriptions[name][1].append(self.seq)
        found = (self.seq, number, len(names))
        if record.id is not None:
            self.remembered[key] = (self.counted, found)
        return (*found, False)

    def compare(self, service: Service) -> None:
        """Is a service what it should be, and does it answer so?"""
        assert service.seq == self.seq
        stored = {each.id: each for each in service.expressions}
        assert list(stored) == list(self.expressions)
        for id, known in self.expressions.items():
            found = stored[id]
            metadata = bytes(found.metadata)
            assert (found.expression, found.tenant, found.valid_to) == (known.text, known.tenant, known.valid_to)
            assert (None if metadata == b"null" else metadata) == known.metadata
            assert found.etag == service.expressions.etag(id) == known.etag
        for tenant in (None, "acme"):
            for event in EVENTS:
                guards = service.expressions.guards(tenant, START)
                expected = [
                    id
                    for id, known in self.expressions.items()
                    if known.tenant in (None, tenant)
                    and (known.valid_to is None or known.valid_to > START)
                    and EXPRESSIONS[known.text](event, [])
                ]
                assert service.expressions.index.match({**event, **guards}) == expected
        documents = {number: service.documents.document(number) for number in service.documents}
        plain = {number: {name: (value,) for name, value in given.items()} for number, given in self.documents.items()}
        assert documents == plain
        assert service.documents.stats().next_number == self.next_document
        assert set(service.subscriptions) == self.subscriptions.keys()
        for name, (_, queue) in self.subscriptions.items():
            assert [message.seq for message in service.subscriptions.messages(name, 1_000)] == queue
