"""Who subscribed to what, and what waits for whom? The part of a service's state that is about delivery.

    publication 42 ──▶ index of expressions ──▶ "adults", "golfers" ──▶ 42 waits in the queues of both

It changes by records alone, as all of the state does: what a record does depends on the records before it, and on no
clock. What is in flight, who is connected and when to try again is not state; see `deliverer`.

One thread applies records. Readers of other threads see a record's changes whole or not at all: they take a lock that
is held for as long as queues are changed, which is never while something is matched.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterable, Iterator
from datetime import datetime
from heapq import heapify, heappop, heapreplace
from typing import NamedTuple, Self

import msgspec

from eligo.errors import UnknownIdError, shown
from eligo.index.build_open import build
from eligo.index.index import Index
from eligo.joins.asking.given_documents import GivenDocuments
from eligo.language.evaluate import Missing
from eligo.service.delivery.bodies import Bodies, Body
from eligo.service.delivery.definition_check import check_definition
from eligo.service.delivery.event import Moments, event_of, has_joins
from eligo.service.delivery.queue import SavedQueue
from eligo.service.delivery.ranking_window import OpenWindow, SavedWindow
from eligo.service.delivery.subscriber import Counts, Message, Subscriber
from eligo.service.delivery.subscription import MOST_BYTES, Incarnation, Subscription, detached
from eligo.service.records import (
    Acknowledge,
    DeleteSubscription,
    Publish,
    PutSubscription,
    Refuse,
    Release,
    Resend,
)
from eligo.service.state.outcome import ConditionError, ForeignTenantError


class Matched(NamedTuple):
    """A subscription that a publication satisfies."""

    name: str
    score: float | None = None
    """Where the subscription ranks."""


class SavedSubscriber(msgspec.Struct, omit_defaults=True):
    """A subscription in a checkpoint."""

    subscription: Subscription
    queue: SavedQueue
    window: SavedWindow
    since: int


class SavedSubscriptions(msgspec.Struct):
    """All of them, with what messages say."""

    subscriptions: list[SavedSubscriber]
    bodies: dict[int, Body]


class Subscriptions:
    """The subscriptions of a service and their queues; changed by one thread, read by any."""

    def __init__(self, missing: Missing = "unknown", index: Index | None = None, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        """That are held for all subscriptions together."""
        self.index: Index = build({}, missing=missing) if index is None else index
        """Of the subscriptions' expressions, by name, each with the guard of its tenant in front."""
        self.bodies = Bodies()
        self._subscribers: dict[str, Subscriber] = {}
        self._moments = Moments()
        self._has_joins = index is not None and index.stats().joins.num_joins > 0
        """Whether documents are asked for; stays so when the last subscription that does has gone."""
        self._ranking: set[str] = set()
        self._listeners: list[Callable[[list[str]], None]] = []
        self._lock = threading.Lock()

    def put(self, seq: int, record: PutSubscription) -> str:
        """A subscription comes, or changes and keeps what waits for it; its etag.

        With another tenant it is another subscription: what waited for the one before is not its business.
        """
        tree = check_definition(record, self.index.limits)
        self._check(record.name, record.if_match, record.only_tenant)
        before, now = self._subscribers.get(record.name), Subscription.of(record)
        if before is None or before.subscription.guarded_text != now.guarded_text:
            self.index.replace(now.name, now.guarded_text)
        if before is not None:
            self._moments.remove(before.subscription.expression)
        self._moments.add(now.expression)
        self._has_joins = self._has_joins or has_joins(tree)
        with self._lock:
            if before is not None and before.subscription.tenant == now.tenant:
                before.change(now)
            else:
                self._subscribers[now.name] = Subscriber(now, self.bodies, since=seq)
                if before is not None:
                    before.clear()
        (self._ranking.discard if now.ranking is None else self._ranking.add)(now.name)
        self._tell([now.name])
        return now.etag

    def delete(self, seq: int, record: DeleteSubscription) -> None:
        """A subscription goes, with what waits for it."""
        gone = self._subscriber(record.name)
        self._check(record.name, record.if_match, record.only_tenant)
        self.index.delete(record.name)
        self._moments.remove(gone.subscription.expression)
        self._ranking.discard(record.name)
        with self._lock:
            del self._subscribers[record.name]
            gone.clear()
        self._tell([record.name])

    def _check(self, name: str, if_match: str | None, only_tenant: str | None) -> None:
        known = self._subscribers.get(name)
        if known is not None and only_tenant is not None and known.subscription.tenant != only_tenant:
            raise ForeignTenantError(f"the subscription {name!r} belongs to another tenant", help="use another name")
        if if_match is None:
            return
        if if_match == "":
            if known is not None:
                raise ConditionError(f"there is a subscription {name!r} already")
        elif known is None or if_match not in {"*", known.subscription.etag}:
            raise ConditionError(
                f"the subscription {name!r} is not the one that was expected", help="read it again, then change that"
            )

    def match(self, record: Publish, documents: GivenDocuments) -> list[Matched]:
        """The subscriptions that a publication satisfies, compared with the documents that came before it."""
        if not self._subscribers:
            return []
        event = self._moments.read(event_of(record, self.index.limits), self.index.limits)
        if self._has_joins:
            names = [str(name) for name in self.index.match(event, documents=documents, at=record.time)]
        else:
            names = [str(name) for name in self.index.match(event)]
        scores: dict[object, float] = {}
        if not self._ranking.isdisjoint(names):
            given = documents if self._has_joins else None
            scores = dict(self.index.top(event, len(names), documents=given, at=record.time))
        return [Matched(name, scores[name] if name in self._ranking else None) for name in names]

    def published(self, seq: int, record: Publish, matched: list[Matched]) -> int:
        """A publication waits for those that it satisfies; how many they are."""
        if not matched:
            return 0
        with self._lock:
            self.bodies.add(seq, record)
            self.bodies.refer(seq)
            for name, score in matched:
                self._subscribers[name].publish(seq, record.time, score)
            self.bodies.let_go(seq)
            self._fit()
        self._tell([each.name for each in matched])
        return len(matched)

    def _fit(self) -> None:
        """Where more is held than may, those that hold the most let go, until an eighth is free."""
        if self.bodies.num_bytes <= self.most_bytes:
            return
        most = [(-each.num_bytes, name) for name, each in self._subscribers.items()]
        heapify(most)
        while most and self.bodies.num_bytes > self.most_bytes - self.most_bytes // 8:
            _, name = most[0]
            if self._subscribers[name].drop():
                heapreplace(most, (-self._subscribers[name].num_bytes, name))
            else:
                heappop(most)

    def acknowledge(self, record: Acknowledge) -> int:
        """Messages were taken; how many of them were there."""
        queue = self._meant(record).queue
        with self._lock:
            count = queue.acknowledge(record.seqs)
        self._tell([record.subscription])
        return count

    def refuse(self, record: Refuse) -> list[int]:
        """Messages could not be taken; those that are dead letters now."""
        subscriber = self._meant(record)
        most = subscriber.subscription.max_deliveries
        with self._lock:
            dead = [
                seq
                for seq in dict.fromkeys(record.seqs)  # one delivery fails once, however often it is named
                if subscriber.queue.refuse(seq, most, record.time, record.reason, record.dead)
            ]
        self._tell([record.subscription])
        return dead

    def release(self, record: Release) -> int:
        """A window is over, if it was not; how many messages of it wait now."""
        subscriber = self._meant(record)
        with self._lock:
            count = subscriber.release(record.window)
        self._tell([record.subscription])
        return count

    def resend(self, record: Resend) -> int:
        """Dead letters wait again; how many."""
        subscriber = self._meant(record)
        seqs = [seq for seq in dict.fromkeys(record.seqs) if seq in subscriber.queue.dead]
        room = subscriber.subscription.max_pending - len(subscriber.queue.waiting)
        if len(seqs) > room:
            raise ConditionError(
                f"{len(seqs)} dead letters would wait, and there is room for {max(room, 0)}",
                help="send fewer at once, or raise max_pending",
            )
        with self._lock:
            subscriber.queue.resend(seqs)
            subscriber.fit()
        self._tell([record.subscription])
        return len(seqs)

    def listen(self, listener: Callable[[list[str]], None]) -> Callable[[], None]:
        """Hear the names of subscriptions that have changed, in the thread that applies; returns what ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell(self, names: list[str]) -> None:
        for listener in list(self._listeners):
            listener(names)

    def _subscriber(self, of: str | Incarnation) -> Subscriber:
        """The subscription of a name, or the one that is meant and no later one of its name."""
        name = of if isinstance(of, str) else of.name
        found = self._subscribers.get(name)
        if found is None or (isinstance(of, Incarnation) and found.since != of.since):
            raise UnknownIdError(f"there is no subscription {shown(name)}")
        return found

    def _meant(self, record: Acknowledge | Refuse | Release | Resend) -> Subscriber:
        """The subscription that a record speaks of."""
        name, since = record.subscription, record.since
        return self._subscriber(name if since is None else Incarnation(name, since))

    def __len__(self) -> int:
        return len(self._subscribers)

    def __contains__(self, name: object) -> bool:
        return name in self._subscribers

    def __iter__(self) -> Iterator[str]:
        """The names, in order."""
        return iter(sorted(list(self._subscribers)))  # the list is made at once, whatever comes meanwhile

    def incarnation(self, name: str) -> Incarnation:
        """The subscription that has a name now; an `UnknownIdError` where there is none.

        Who asks by it later gets nothing of another one that has the name then, and that may be another tenant's.
        """
        return self._subscriber(name).incarnation

    def get(self, of: str | Incarnation) -> Subscription:
        """A subscription as it was put; an `UnknownIdError` where there is none."""
        return self._subscriber(of).subscription

    def counts(self, of: str | Incarnation) -> Counts:
        """How a subscription fares."""
        with self._lock:
            return self._subscriber(of).counts()

    def waiting(
        self, of: str | Incarnation, most: int, skip: Container[int] = ()
    ) -> tuple[Subscription, list[Message]]:
        """A subscription and the first messages that wait for it, without those of some seqs: read together."""
        with self._lock:
            found = self._subscriber(of)
            return found.subscription, found.messages(most, skip)

    def messages(self, of: str | Incarnation, most: int, skip: Container[int] = ()) -> list[Message]:
        """The first messages that wait, without those of some seqs."""
        return self.waiting(of, most, skip)[1]

    def refusals(self, of: str | Incarnation, seqs: Iterable[int]) -> dict[int, int]:
        """How often deliveries failed, of those of some messages that wait."""
        with self._lock:
            waiting = self._subscriber(of).queue.waiting
            return {seq: waiting[seq].refusals for seq in seqs if seq in waiting}

    def position(self, of: Incarnation, seq: int, number: int | None) -> int | None:
        """The number up to which a reader had everything whose last message is named by its seq, and by its number.

        None where that is not known: it is a message of an earlier subscription, or one that nobody had yet.
        """
        with self._lock:
            queue = self._subscriber(of).queue
            if seq <= of.since:
                return None
            if number is None:
                return queue.waiting[seq].number if seq in queue.waiting else None
            return number if number <= queue.num_numbered else None

    def seqs_up_to(self, of: str | Incarnation, number: int) -> list[int]:
        """The seqs of messages that wait up to a number."""
        with self._lock:
            return [each.seq for each in self._subscriber(of).queue.waiting.values() if each.number <= number]

    def messages_after(self, of: str | Incarnation, number: int, most: int) -> list[Message]:
        """The first messages that wait behind a number."""
        with self._lock:
            return self._subscriber(of).messages_after(number, most)

    def dead_letters(self, of: str | Incarnation, after: int, most: int) -> list[tuple[Message, datetime, str]]:
        """Dead letters behind a seq, with the time and the reason of the last refusal."""
        with self._lock:
            return self._subscriber(of).dead_letters(after, most)

    def open_windows(self) -> list[OpenWindow]:
        """The windows that are open."""
        with self._lock:
            ranking = [self._subscribers[name] for name in sorted(self._ranking) if name in self._subscribers]
            return [
                OpenWindow.of_ranking(each.incarnation, each.window.number, each.subscription.ranking)
                for each in ranking
                if each.window.number is not None and each.subscription.ranking is not None
            ]

    def to_json(self) -> bytes:
        """All of it but the index, for a checkpoint."""
        with self._lock:
            saved = [
                SavedSubscriber(each.subscription, each.queue.saved(), each.window.saved(), each.since)
                for each in self._subscribers.values()
            ]
            return msgspec.json.encode(SavedSubscriptions(saved, self.bodies.saved()))

    @classmethod
    def from_json(cls, data: bytes, missing: Missing = "unknown", index: Index | None = None) -> Self:
        """What a checkpoint has; the index is built anew where it is not given."""
        saved = msgspec.json.decode(data, type=SavedSubscriptions)
        texts = {each.subscription.name: each.subscription.guarded_text for each in saved.subscriptions}
        made = cls(missing, build(texts, missing=missing) if index is None else index)
        made.bodies.restore(saved.bodies)
        for each in saved.subscriptions:
            definition = msgspec.structs.replace(each.subscription, metadata=detached(each.subscription.metadata))
            known = Subscriber(definition, made.bodies, each.since, each.queue, each.window)
            made._subscribers[definition.name] = known
            made._moments.add(definition.expression)
            if definition.ranking is not None:
                made._ranking.add(definition.name)
        return made
