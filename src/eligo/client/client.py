"""How does a program ask a service, and wait for each answer? With an `eligo.Client`, which has the verbs of `Index`.

    client = eligo.Client("http://127.0.0.1:8080")
    client.insert("ad-7", "age > 18 and state in ('CA', 'NY')")
    client.match({"age": 30, "state": "CA"})                       # ["ad-7"]

A client sees what it has written: its questions name the last change that was acknowledged to it (`min_seq`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Self, TypeVar

from eligo.client import calls
from eligo.client.answers import (
    Bulk,
    ExpressionId,
    Found,
    Message,
    Published,
    Pulled,
    StoredDocument,
    StoredExpression,
    Written,
)
from eligo.client.calls import Call, Received
from eligo.client.sending import (
    Settings,
    answer,
    httpx,
    may_repeat,
    not_reached,
    not_sent,
    own_pause,
    pause_after,
    request_of,
)

Answer = TypeVar("Answer")


class Client:
    """A service by its address; may be used by many threads, and closed at the end or by `with`.

    `token` is one that `eligo token` made. `timeout` bounds each request in seconds; `retries` is how often one is
    repeated when the service is busy or, where that does no harm, when the connection breaks.
    """

    def __init__(self, url: str, *, token: str | None = None, timeout: float = 30.0, retries: int = 4) -> None:
        self.settings = Settings.checked(url, token, timeout, retries)
        self.seq = 0
        """The number of the last change that was acknowledged to this client."""
        self._http = httpx().Client(
            base_url=self.settings.url, timeout=self.settings.timeout, headers=self.settings.headers()
        )

    def close(self) -> None:
        """Let the connections go."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<eligo.Client of {self.settings.url}>"

    def _send(self, call: Call[Answer]) -> Answer:
        attempt = 0
        while True:
            try:
                reply = self._http.request(**request_of(call, self.seq))
            except httpx().TransportError as error:
                if not may_repeat(call, attempt, self.settings):
                    raise not_reached(self.settings, error) from error
                pause: float | None = own_pause(attempt)
            except (TypeError, ValueError, httpx().InvalidURL) as error:
                raise not_sent(error) from error
            else:
                received = Received(reply.status_code, reply.headers, reply.content)
                pause = pause_after(call, received, attempt, self.settings)
                if pause is None:
                    return self._noted(answer(call, received))
            time.sleep(pause or 0.0)
            attempt += 1

    def _noted(self, found: Answer) -> Answer:
        if isinstance(found, Written | Bulk | Published):
            self.seq = max(self.seq, found.seq)
        return found

    def match(
        self, event: Mapping[str, Any], *, tenant: str | None = None, at: datetime | None = None
    ) -> list[ExpressionId]:
        """The ids of the expressions that the event satisfies."""
        return self._send(calls.match(event, tenant=tenant, at=at))

    def match_json(
        self, text: str | bytes, *, tenant: str | None = None, at: datetime | None = None
    ) -> list[ExpressionId]:
        """The same for an event as JSON."""
        return self._send(calls.match(text, tenant=tenant, at=at))

    def match_batch(self, events: Any, *, tenant: str | None = None, at: datetime | None = None) -> Any:
        """The matches of many events: a list for each, or for a table an Arrow table of (event, expression_id)."""
        return self._send(calls.match_batch(events, tenant=tenant, at=at))

    def top(
        self,
        event: Mapping[str, Any],
        n: int = 10,
        *,
        weights: Mapping[str, Any] | None = None,
        tenant: str | None = None,
        at: datetime | None = None,
    ) -> list[tuple[ExpressionId, float]]:
        """The n best matches with their scores, best first."""
        return self._send(calls.top(event, n, weights=weights, tenant=tenant, at=at))

    def top_batch(self, events: Any, n: int = 10, *, tenant: str | None = None, at: datetime | None = None) -> Any:
        """The n best matches of many events: lists of pairs, or for a table one of (event, expression_id, score)."""
        return self._send(calls.top_batch(events, n, tenant=tenant, at=at))

    def count_batch(self, events: Any, *, tenant: str | None = None) -> dict[ExpressionId, int]:
        """How many of the events, a table's too, each expression matches; those that none does are left out."""
        return self._send(calls.count(events, tenant=tenant))

    def explanations(self, id: ExpressionId, events: Any, *, at: datetime | None = None) -> list[dict[str, Any]]:
        """As `explanation` for many events, a table's too."""
        return self._send(calls.explain_batch(id, events, at=at))

    def explanation(self, id: ExpressionId, event: Mapping[str, Any], *, at: datetime | None = None) -> dict[str, Any]:
        """Why the event does or does not satisfy the expression, as JSON."""
        return self._send(calls.explain(id, event, at=at))

    def check(self, expression: Any) -> dict[str, Any]:
        """What an expression says, without storing it; an `ExpressionError` where it says nothing."""
        return self._send(calls.check(expression))

    def check_batch(self, expressions: Iterable[Any]) -> list[dict[str, Any]]:
        """What each of many expressions says; of one that says nothing, its `error`."""
        return self._send(calls.check_batch(expressions))

    def insert(self, id: ExpressionId, expression: Any, **more: Any) -> Written:
        """Add an expression, whose id must be new; `more` is as for `replace`."""
        return self._send(calls.put_expression(id, expression, if_absent=True, **more))

    def replace(
        self,
        id: ExpressionId,
        expression: Any,
        *,
        tenant: str | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        if_match: str | None = None,
    ) -> Written:
        """Give an id another expression, or add it. `if_match` is the etag that the one which is there must have."""
        return self._send(
            calls.put_expression(
                id,
                expression,
                tenant=tenant,
                valid_from=valid_from,
                valid_to=valid_to,
                metadata=metadata,
                if_match=if_match,
            )
        )

    def delete(self, id: ExpressionId, *, if_match: str | None = None) -> Written:
        """Give up an expression."""
        return self._send(calls.delete_expression(id, if_match=if_match))

    def change(self, puts: Any = (), deletes: Iterable[ExpressionId] = ()) -> Bulk:
        """Many changes at once: `puts` by id, or pairs; each is made or refused by itself, as the answer says."""
        return self._send(calls.change(puts, deletes))

    def get(self, id: ExpressionId) -> StoredExpression:
        """One expression with its tenant, validity and metadata."""
        return self._send(calls.get_expression(id))

    def text(self, id: ExpressionId) -> str:
        """One expression as it was given."""
        return self._send(calls.get_expression(id)).expression

    def add_documents(self, documents: Iterable[Mapping[str, Any]]) -> list[int]:
        """Put documents into the base without publishing them; their numbers."""
        return self._send(calls.add_documents(documents))

    def document(self, number: int) -> StoredDocument:
        """One document of the base."""
        return self._send(calls.document(number))

    def find_documents(self, expression: Any) -> Found:
        """The documents that satisfy an expression over their own attributes."""
        return self._send(calls.find_documents(expression))

    def publish(
        self,
        document: Mapping[str, Any],
        *,
        id: str | None = None,
        source: str | None = None,
        tenant: str | None = None,
    ) -> Published:
        """Publish a document to whom it concerns; with an id, it is published once however often this is called."""
        return self._send(calls.publish(document, id=id, source=source, tenant=tenant))

    def subscribe(
        self,
        name: str,
        expression: Any,
        *,
        delivery: Mapping[str, Any] | None = None,
        tenant: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        ranking: Mapping[str, Any] | None = None,
        max_pending: int | None = None,
    ) -> Written:
        """Subscribe to documents that satisfy an expression, or change a subscription; see docs/service.md."""
        return self._send(
            calls.put_subscription(
                name,
                expression,
                delivery=delivery,
                tenant=tenant,
                metadata=metadata,
                ranking=ranking,
                max_pending=max_pending,
            )
        )

    def subscription(self, name: str) -> dict[str, Any]:
        """A subscription, and how far its subscriber is."""
        return self._send(calls.get_subscription(name))

    def unsubscribe(self, name: str) -> Written:
        """Give up a subscription, with what waits for it."""
        return self._send(calls.delete_subscription(name))

    def pull(self, name: str, most: int = 100, *, wait: float = 0.0) -> Pulled:
        """What waits for a subscription, at most so many; `wait` seconds may pass until something does."""
        return self._send(calls.pull(name, most, wait))

    def ack(self, name: str, messages: Iterable[Message | int]) -> Written:
        """Say that messages were taken; they do not come again."""
        return self._send(calls.settle(name, "ack", messages))

    def nack(self, name: str, messages: Iterable[Message | int], *, reason: str = "") -> Written:
        """Say that messages could not be taken; they come again after a while, or become dead letters."""
        return self._send(calls.settle(name, "nack", messages, reason=reason))

    def messages(self, name: str, *, most: int = 100, wait: float = 20.0) -> Iterator[Message]:
        """Messages of a subscription one after another, for ever; each is acknowledged when the next is asked for."""
        while True:
            for message in self._send(calls.pull(name, most, wait)).messages:
                yield message
                self._send(calls.settle(name, "ack", [message]))

    def status(self) -> dict[str, Any]:
        """How the service is: version, seq, counts, lag."""
        return self._send(calls.status())
