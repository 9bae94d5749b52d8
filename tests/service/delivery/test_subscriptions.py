"""Does each subscription get what it asked for, in order, whole or with its losses counted, whoever replays it?"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.errors import EligoError, EventError, InputError, UnknownIdError
from eligo.joins.document_base import DocumentBase
from eligo.service.delivery.bodies import HeldBodies
from eligo.service.delivery.queue import Queue
from eligo.service.delivery.subscription import MOST_DEAD
from eligo.service.delivery.subscriptions import Matched, Subscriptions
from eligo.service.records import (
    Acknowledge,
    DeleteSubscription,
    Publish,
    PullDelivery,
    PutSubscription,
    Ranking,
    Refuse,
    Release,
    Resend,
    StreamDelivery,
    WebhookDelivery,
)
from eligo.service.state.outcome import ConditionError, ForeignTenantError

START = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = ("low", "middle", "ranked")


def publication(document: dict[str, Any], seconds: float = 0, **fields: Any) -> Publish:
    time = START + timedelta(seconds=seconds)
    return Publish(document=msgspec.Raw(msgspec.json.encode(document)), time=time, **fields)


def subscribed(**expressions: str) -> Subscriptions:
    made = Subscriptions()
    for seq, (name, expression) in enumerate(expressions.items(), 1):
        made.put(seq, PutSubscription(name=name, expression=expression))
    return made


def publish(subscriptions: Subscriptions, seq: int, record: Publish, documents: Any = ()) -> list[str]:
    matched = subscriptions.match(record, list(documents) if isinstance(documents, tuple) else documents)
    subscriptions.published(seq, record, matched)
    return [each.name for each in matched]


def seqs(subscriptions: Subscriptions, name: str) -> list[int]:
    return [message.seq for message in subscriptions.messages(name, 1_000_000)]


@dataclass
class Plain:
    """A subscription as one would keep it with lists."""

    least: int
    max_pending: int
    best: int | None
    waiting: list[int] = field(default_factory=list)
    refusals: dict[int, int] = field(default_factory=dict)
    dead: list[int] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    window: list[tuple[int, int]] = field(default_factory=list)
    """Score and seq of what came in the window that is open."""
    number: int = -1
    all: list[int] = field(default_factory=list)
    """Everything that was ever to be delivered, in that order; what was sent again stands there twice."""

    def number_of(self, seq: int) -> int:
        return len(self.all) - self.all[::-1].index(seq)

    def deliver(self, seq: int) -> None:
        self.all.append(seq)
        self.waiting.append(seq)
        while len(self.waiting) > self.max_pending:
            self.dropped.append(self.waiting.pop(0))

    def close(self) -> None:
        for _, seq in sorted(self.window, key=lambda each: (-each[0], each[1]))[: self.best]:
            self.deliver(seq)
        self.window = []


def put(name: str, plain: Plain) -> PutSubscription:
    expression = f"x >= {plain.least}" if plain.best is None else f"x in (1^1, 2^2, 3^3) and x >= {plain.least}^0"
    ranking = None if plain.best is None else Ranking(best=plain.best, window=10.0)
    delivery = PullDelivery(max_deliveries=2)
    return PutSubscription(
        name=name, expression=expression, delivery=delivery, ranking=ranking, max_pending=plain.max_pending
    )


seq_lists = st.lists(st.integers(1, 40), max_size=4)
operations = st.one_of(
    st.tuples(st.just("publish"), st.integers(0, 3), st.integers(0, 40)),
    st.tuples(st.just("ack"), st.sampled_from(NAMES), seq_lists),
    st.tuples(st.just("refuse"), st.sampled_from(NAMES), seq_lists),
    st.tuples(st.just("resend"), st.sampled_from(NAMES), seq_lists),
    st.tuples(st.just("release"), st.just("ranked"), st.integers(0, 5)),
    st.tuples(st.just("checkpoint"), st.just(""), st.just(0)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(operations, max_size=40))
def test_queues_are_those_of_a_plain_model(steps: list[tuple[str, Any, Any]]) -> None:
    plain = {"low": Plain(1, 5, None), "middle": Plain(2, 3, None), "ranked": Plain(1, 4, 2)}
    live, log, documents = Subscriptions(), [], DocumentBase()
    for name, each in plain.items():
        log.append(put(name, each))
    for seq, record in enumerate(log, 1):
        live.put(seq, record)
    for what, first, second in steps:
        seq = len(log) + 1
        if what == "checkpoint":
            live = Subscriptions.from_json(live.to_json())
            continue
        record = record_of(what, first, second)
        log.append(record)
        apply(live, seq, record, documents)
        follow(plain, seq, record, first, second)
        for name, each in plain.items():
            assert seqs(live, name) == each.waiting
            counts = live.counts(name)
            assert (counts.dropped, counts.in_window) == (len(each.dropped), min(len(each.window), each.best or 0))
            assert [letter[0].seq for letter in live.dead_letters(name, 0, 100)] == sorted(each.dead)
            assert [m.number for m in live.messages(name, 100)] == [each.number_of(s) for s in each.waiting]
    replayed = Subscriptions()
    for seq, record in enumerate(log, 1):
        apply(replayed, seq, record, documents)
    assert replayed.to_json() == live.to_json()
    held = {seq for each in plain.values() for seq in (*each.waiting, *each.dead)}
    best = sorted(plain["ranked"].window, key=lambda each: (-each[0], each[1]))[:2]
    assert live.bodies.saved().keys() == held | {seq for _, seq in best}


def record_of(what: str, first: Any, second: Any) -> Any:
    if what == "publish":
        return publication({"x": first}, second)
    if what == "ack":
        return Acknowledge(subscription=first, seqs=second)
    if what == "refuse":
        return Refuse(subscription=first, seqs=second, time=START, reason="no")
    if what == "resend":
        return Resend(subscription=first, seqs=second)
    return Release(subscription=first, window=int(START.timestamp()) // 10 + second)


def apply(subscriptions: Subscriptions, seq: int, record: Any, documents: DocumentBase) -> None:
    if isinstance(record, PutSubscription):
        subscriptions.put(seq, record)
    elif isinstance(record, Publish):
        publish(subscriptions, seq, record, documents)
    elif isinstance(record, Acknowledge):
        subscriptions.acknowledge(record)
    elif isinstance(record, Refuse):
        subscriptions.refuse(record)
    elif isinstance(record, Release):
        subscriptions.release(record)
    else:
        try:
            subscriptions.resend(record)
        except ConditionError:
            assert isinstance(record, Resend)


def follow(plain: dict[str, Plain], seq: int, record: Any, first: Any, second: Any) -> None:
    """The same in the model."""
    if isinstance(record, Publish):
        for each in plain.values():
            if first < each.least:
                continue
            if each.best is None:
                each.deliver(seq)
                continue
            number = each.number if second // 10 == each.number - 1 else second // 10
            if number != each.number and each.window:
                each.close()
            each.number = number
            each.window.append((first, seq))
        return
    each = plain[first]
    if isinstance(record, Acknowledge):
        each.dead = [s for s in each.dead if s not in record.seqs]
        each.waiting = [s for s in each.waiting if s not in record.seqs]
    elif isinstance(record, Refuse):
        for s in dict.fromkeys(record.seqs):
            if s in each.waiting:
                each.refusals[s] = each.refusals.get(s, 0) + 1
                if each.refusals[s] >= 2:
                    each.waiting.remove(s)
                    each.dead.append(s)
    elif isinstance(record, Release):
        if each.window and second == each.number:
            each.close()
            each.number += 1
    else:
        again = [s for s in dict.fromkeys(record.seqs) if s in each.dead]
        if len(again) + len(each.waiting) <= each.max_pending:
            each.refusals.update(dict.fromkeys(again, 0))
            each.dead = [s for s in each.dead if s not in again]
            for s in sorted(again, key=each.number_of):
                each.all.append(s)
                each.waiting.append(s)


def test_joins_are_decided_with_the_documents_before() -> None:
    """Example 5 of Tatbul 2001."""
    base = DocumentBase()
    base.add_batch([{"price": 10, "year": 2000, "author": "Smith"}, {"price": 25, "year": 1999}])
    subscriptions = subscribed(
        P1="exists d (price < d.price)", P2="forall d (year > d.year)", P3="exists d (author = d.author)"
    )
    offer = publication({"price": 30, "year": 2001, "author": "Smith"})
    assert publish(subscriptions, 9, offer, base) == ["P2", "P3"]
    assert seqs(subscriptions, "P1") == []
    assert seqs(subscriptions, "P2") == seqs(subscriptions, "P3") == [9]
    assert len(subscriptions.bodies) == 1


def test_what_is_dropped_is_said_by_the_message_behind_it() -> None:
    subscriptions = Subscriptions()
    subscriptions.put(1, PutSubscription(name="few", expression="x exists", max_pending=2))
    for seq in range(2, 8):
        publish(subscriptions, seq, publication({"x": seq}))
    assert [(each.seq, each.number, each.dropped) for each in subscriptions.messages("few", 9)] == [
        (6, 5, 4),
        (7, 6, 0),
    ]
    assert subscriptions.counts("few").dropped == 4
    subscriptions.put(8, PutSubscription(name="few", expression="x exists", max_pending=1))
    assert [(each.seq, each.dropped) for each in subscriptions.messages("few", 9)] == [(7, 5)]


def test_a_tenant_gets_its_own_and_no_document_can_claim_to_be_anothers() -> None:
    subscriptions = subscribed(all="x = 1")
    for seq, tenant in ((2, "acme"), (3, "other")):
        subscriptions.put(seq, PutSubscription(name=tenant, expression="x = 1", tenant=tenant))
    assert publish(subscriptions, 4, publication({"x": 1}, tenant="acme")) == ["all", "acme"]
    assert publish(subscriptions, 5, publication({"x": 1, "@tenant": "other"}, tenant="acme")) == ["all", "acme"]
    assert publish(subscriptions, 6, publication({"x": 1, "@tenant": "other"})) == ["all"]
    escaped = Publish(document=msgspec.Raw(b'{"x": 1, "\\u0040tenant": "other"}'), time=START)
    assert publish(subscriptions, 7, escaped) == ["all"]


def test_context_attributes_can_be_asked_for_and_hide_the_documents_own() -> None:
    subscriptions = subscribed(
        offers="ce.type = 'offer' and price < 10", later="ce.time > timestamp '2026-06-01 00:00:00Z'"
    )
    context = msgspec.Raw(msgspec.json.encode({"type": "offer", "time": "2026-07-01T00:00:00Z"}))
    document = {"price": 5, "ce.type": "other", "ce": {"type": "other"}}
    assert publish(subscriptions, 3, publication(document, envelope=context)) == ["offers", "later"]
    assert publish(subscriptions, 4, publication({"price": 5, "ce": {"type": "other"}})) == []


def test_a_subscribers_expression_does_not_change_what_anothers_means() -> None:
    subscriptions = subscribed(
        day="day > date '2026-01-01'", text="day = '2026-05-05'", moment="a.day >= timestamp '2026-05-05 00:00:00Z'"
    )
    assert publish(subscriptions, 4, publication({"day": "2026-05-05"})) == ["day", "text"]
    assert publish(subscriptions, 5, publication({"a": {"day": ["x", "2026-05-05"]}})) == ["moment"]
    assert publish(subscriptions, 6, publication({"day": "2026-02-30"})) == []
    subscriptions.delete(7, DeleteSubscription(name="text"))
    assert publish(subscriptions, 8, publication({"day": "2026-05-05"})) == ["day"]


def test_the_best_of_a_window_come_best_first() -> None:
    subscriptions = Subscriptions()
    ranked = PutSubscription(name="r", expression="x in (1^1, 2^5, 3^3)", ranking=Ranking(best=2, window=10.0))
    subscriptions.put(1, ranked)
    for seq, x, seconds in ((2, 1, 1), (3, 2, 2), (4, 3, 9), (5, 3, 9)):
        publish(subscriptions, seq, publication({"x": x}, seconds))
    assert seqs(subscriptions, "r") == []
    [(of, window, _, end)] = subscriptions.open_windows()
    assert (of, end) == (("r", 1), START + timedelta(seconds=10))
    assert subscriptions.release(Release(subscription="r", window=window - 1)) == 0
    assert subscriptions.release(Release(subscription="r", window=window)) == 2
    assert [(each.seq, each.score) for each in subscriptions.messages("r", 9)] == [(3, 5.0), (4, 3.0)]
    publish(subscriptions, 6, publication({"x": 1}, 5))  # the clock went back: the next window takes it
    assert subscriptions.open_windows()[0][1::2] == (window + 1, START + timedelta(seconds=20))
    publish(subscriptions, 7, publication({"x": 2}, 30))  # a later window closes this one
    assert seqs(subscriptions, "r") == [3, 4, 6]
    subscriptions.put(8, PutSubscription(name="r", expression="x exists"))
    assert seqs(subscriptions, "r") == [3, 4, 6, 7]
    assert subscriptions.counts("r").outranked == 2


def test_conditions_are_looked_at_and_change_nothing_when_they_fail() -> None:
    subscriptions = subscribed(a="x = 1")
    etag = subscriptions.get("a").etag
    before = subscriptions.to_json()
    with pytest.raises(ConditionError, match="already"):
        subscriptions.put(2, PutSubscription(name="a", expression="x = 2", if_match=""))
    with pytest.raises(ConditionError, match="not the one"):
        subscriptions.put(2, PutSubscription(name="a", expression="x = 2", if_match="other"))
    with pytest.raises(ForeignTenantError):
        subscriptions.put(2, PutSubscription(name="a", expression="x = 2", only_tenant="acme"))
    with pytest.raises(ForeignTenantError):
        subscriptions.delete(2, DeleteSubscription(name="a", only_tenant="acme"))
    with pytest.raises(UnknownIdError):
        subscriptions.delete(2, DeleteSubscription(name="b"))
    with pytest.raises(UnknownIdError):
        subscriptions.acknowledge(Acknowledge(subscription="b", seqs=[1]))
    assert subscriptions.to_json() == before
    assert subscriptions.put(2, PutSubscription(name="a", expression="x = 1", if_match=etag)) == etag
    assert subscriptions.put(2, PutSubscription(name="a", expression="x = 2", if_match="*")) != etag


@pytest.mark.parametrize(
    "odd",
    [
        {"name": ""},
        {"name": "a/b"},
        {"name": "x" * 201},
        {"expression": "x ="},
        {"max_pending": 0},
        {"max_pending": 10**9},
        {"metadata": msgspec.Raw(b"[1]")},
        {"ranking": Ranking(best=0, window=1.0)},
        {"ranking": Ranking(best=1, window=float("nan"))},
        {"ranking": Ranking(best=11, window=1.0), "max_pending": 10},
        {"delivery": PullDelivery(ack_wait=0)},
        {"delivery": PullDelivery(max_deliveries=0)},
        {"delivery": WebhookDelivery(url="ftp://example.org", secret="whsec_" + "A" * 32)},
        {"delivery": WebhookDelivery(url="http://user@example.org/", secret="whsec_" + "A" * 32)},
        {"delivery": WebhookDelivery(url="http://example.org:99999/", secret="whsec_" + "A" * 32)},
        {"delivery": WebhookDelivery(url="http://example.org/", secret="whsec_" + "A" * 8)},
        {"delivery": WebhookDelivery(url="http://example.org/", secret="A" * 32)},
    ],
)
def test_what_cannot_be_a_subscription_is_refused(odd: dict[str, Any]) -> None:
    subscriptions = Subscriptions()
    with pytest.raises(EligoError) as refused:
        subscriptions.put(1, PutSubscription(**{"name": "a", "expression": "x = 1", **odd}))
    assert "AAAAAA" not in str(refused.value)
    assert len(subscriptions) == 0


def test_a_document_that_is_no_event_is_refused_and_changes_nothing() -> None:
    subscriptions = subscribed(a="x = 1")
    for text in (b"[1]", b'{"x": 1, "x": 2}', b"{"):
        with pytest.raises(EventError):
            subscriptions.match(Publish(document=msgspec.Raw(text), time=START), [])


def test_a_deleted_subscription_leaves_nothing() -> None:
    subscriptions = subscribed(a="x = 1", b="x = 1")
    publish(subscriptions, 3, publication({"x": 1}))
    subscriptions.refuse(Refuse(subscription="a", seqs=[3], time=START, dead=True))
    subscriptions.delete(4, DeleteSubscription(name="a"))
    assert len(subscriptions.bodies) == 1
    subscriptions.delete(5, DeleteSubscription(name="b"))
    assert (len(subscriptions.bodies), subscriptions.bodies.num_bytes, len(subscriptions.index)) == (0, 0, 0)
    assert publish(subscriptions, 6, publication({"x": 1})) == []


def test_dead_letters_are_bounded_and_resending_too() -> None:
    subscriptions = Subscriptions()
    subscriptions.put(1, PutSubscription(name="a", expression="x exists", max_pending=MOST_DEAD + 5))
    for seq in range(2, MOST_DEAD + 5):
        publish(subscriptions, seq, publication({"x": 1}))
    everything = seqs(subscriptions, "a")
    dead = subscriptions.refuse(Refuse(subscription="a", seqs=everything, time=START, reason="no", dead=True))
    assert dead == everything
    counts = subscriptions.counts("a")
    assert (counts.dead, counts.dead_dropped, counts.pending) == (MOST_DEAD, 3, 0)
    [(message, time, reason)] = subscriptions.dead_letters("a", 100, 1)
    assert (message.seq, message.refusals, time, reason) == (101, 1, START, "no")
    subscriptions.put(2000, PutSubscription(name="a", expression="x exists", max_pending=2))
    with pytest.raises(ConditionError, match="room for 2"):
        subscriptions.resend(Resend(subscription="a", seqs=[100, 101, 102]))
    assert subscriptions.resend(Resend(subscription="a", seqs=[101, 100, 100, 1])) == 2
    assert [(each.seq, each.refusals) for each in subscriptions.messages("a", 9)] == [(100, 0), (101, 0)]


def test_readers_behind_a_number_are_the_same_from_either_end() -> None:
    subscriptions = subscribed(a="x exists")
    for seq in range(2, 102):
        publish(subscriptions, seq, publication({"x": 1}))
    for number in (0, 10, 49, 50, 51, 99, 100):
        found = subscriptions.messages_after("a", number, 7)
        assert [each.number for each in found] == list(range(number + 1, 101))[:7]


def test_readers_see_records_whole_while_another_thread_applies() -> None:
    subscriptions = Subscriptions()
    subscriptions.put(1, PutSubscription(name="a", expression="x exists", max_pending=50))
    is_over, errors = threading.Event(), []

    def read() -> None:
        while not is_over.is_set():
            found = subscriptions.messages("a", 100)
            numbers = [each.number for each in found]
            if numbers and numbers != list(range(numbers[0], numbers[0] + len(numbers))):
                errors.append(numbers)
            if found and found[0].dropped != found[0].number - 1:
                errors.append([found[0].dropped, found[0].number])

    reader = threading.Thread(target=read)
    reader.start()
    try:
        record = publication({"x": 1})
        for seq in range(2, 3_000):
            subscriptions.published(seq, record, [Matched("a")])
    finally:
        is_over.set()
        reader.join()
    assert errors == []


def test_listeners_hear_of_changes() -> None:
    subscriptions, heard = Subscriptions(), []
    end = subscriptions.listen(heard.extend)
    subscriptions.put(1, PutSubscription(name="a", expression="x = 1", delivery=StreamDelivery()))
    publish(subscriptions, 2, publication({"x": 1}))
    publish(subscriptions, 3, publication({"x": 2}))
    end()
    subscriptions.acknowledge(Acknowledge(subscription="a", seqs=[2]))
    assert heard == ["a", "a"]


def test_a_queue_without_bound_is_impossible() -> None:
    with pytest.raises(InputError):
        subscribed().put(1, PutSubscription(name="a", expression="x = 1", max_pending=-1))
    assert Queue(HeldBodies(subscribed().bodies)).num_dropped == 0


def test_one_delivery_that_failed_counts_once_however_often_it_is_named() -> None:
    subscriptions = Subscriptions()
    subscriptions.put(1, PutSubscription(name="a", expression="x exists", delivery=PullDelivery(max_deliveries=3)))
    publish(subscriptions, 2, publication({"x": 1}))
    assert subscriptions.refuse(Refuse(subscription="a", seqs=[2] * 10, time=START)) == []
    assert subscriptions.refusals("a", [2]) == {2: 1}


def test_what_is_meant_for_one_subscription_does_nothing_to_a_later_one_of_its_name() -> None:
    subscriptions = subscribed(a="x exists")
    publish(subscriptions, 2, publication({"x": 1}))
    of = subscriptions.incarnation("a")
    subscriptions.delete(3, DeleteSubscription(name="a"))
    subscriptions.put(4, PutSubscription(name="a", expression="x exists"))
    publish(subscriptions, 5, publication({"x": 1}))
    before = subscriptions.to_json()
    for record in (
        Acknowledge(subscription="a", since=of.since, seqs=[5]),
        Refuse(subscription="a", since=of.since, seqs=[5], time=START, dead=True),
        Release(subscription="a", since=of.since, window=0),
        Resend(subscription="a", since=of.since, seqs=[5]),
    ):
        with pytest.raises(UnknownIdError):
            apply(subscriptions, 6, record, DocumentBase())
    assert subscriptions.to_json() == before
    for ask in (subscriptions.get, subscriptions.counts, lambda of: subscriptions.messages_after(of, 0, 9)):
        with pytest.raises(UnknownIdError):
            ask(of)
    assert seqs(subscriptions, "a") == [5]


def test_with_another_tenant_it_is_another_subscription() -> None:
    subscriptions = Subscriptions()
    subscriptions.put(1, PutSubscription(name="a", expression="x exists", tenant="acme"))
    publish(subscriptions, 2, publication({"x": 1}, tenant="acme"))
    of = subscriptions.incarnation("a")
    subscriptions.put(3, PutSubscription(name="a", expression="x > 0", tenant="acme"))
    assert (subscriptions.incarnation("a"), seqs(subscriptions, "a")) == (of, [2])
    subscriptions.put(4, PutSubscription(name="a", expression="x > 0", tenant="other"))
    assert (subscriptions.incarnation("a"), seqs(subscriptions, "a")) == (("a", 4), [])
    assert len(subscriptions.bodies) == 0


def test_a_position_is_that_of_the_subscription_that_gave_it() -> None:
    subscriptions = subscribed(a="x exists")
    for seq in (2, 3, 4):
        publish(subscriptions, seq, publication({"x": 1}))
    of = subscriptions.incarnation("a")
    assert [subscriptions.position(of, *each) for each in ((3, 2), (3, None), (1, 2), (9, 4), (9, None))] == [
        2,
        2,
        None,
        None,
        None,
    ]


def test_what_is_sent_again_comes_behind_who_had_what_was_after_it() -> None:
    subscriptions = subscribed(a="x exists")
    for seq in (2, 3):
        publish(subscriptions, seq, publication({"x": 1}))
    subscriptions.refuse(Refuse(subscription="a", seqs=[2], time=START, dead=True))
    subscriptions.resend(Resend(subscription="a", seqs=[2]))
    assert subscriptions.seqs_up_to("a", 2) == [3]
    assert [(each.seq, each.number, each.refusals) for each in subscriptions.messages_after("a", 2, 9)] == [(2, 3, 0)]


def test_a_clock_that_jumps_and_comes_back_ends_no_window_in_a_year() -> None:
    subscriptions = Subscriptions()
    ranked = PutSubscription(name="r", expression="x exists", ranking=Ranking(best=2, window=60.0))
    subscriptions.put(1, ranked)
    year = 365 * 86_400
    for seq, seconds in ((2, 1), (3, year), (4, 30), (5, 90), (6, 150)):
        publish(subscriptions, seq, publication({"x": 1}, seconds))
    assert seqs(subscriptions, "r") == [2, 3, 4, 5]
    [window] = subscriptions.open_windows()
    assert window.end == START + timedelta(seconds=180)
    assert not window.is_over(START + timedelta(seconds=179))
    assert window.is_over(START + timedelta(seconds=180))
    assert window.is_over(START - timedelta(days=1))  # it was opened by a clock that was wrong


def test_what_a_subscription_holds_is_bounded_in_bytes_and_drops_are_told() -> None:
    subscriptions = Subscriptions()
    subscriptions.put(1, PutSubscription(name="a", expression="x exists", max_bytes=2 << 20))
    big = "x" * 900_000
    for seq in (2, 3, 4, 5):
        publish(subscriptions, seq, publication({"x": big}))
    assert [(each.seq, each.dropped) for each in subscriptions.messages("a", 9)] == [(4, 2), (5, 0)]
    subscriptions.refuse(Refuse(subscription="a", seqs=[4], time=START, dead=True))
    publish(subscriptions, 6, publication({"x": big}))
    counts = subscriptions.counts("a")
    assert (counts.pending, counts.dead, counts.dead_dropped, counts.dropped) == (2, 0, 1, 2)
    assert counts.num_bytes <= 2 << 20
    again = Subscriptions.from_json(subscriptions.to_json())
    assert (again.to_json(), again.counts("a")) == (subscriptions.to_json(), counts)
    assert (again.bodies.num_bytes, again.bodies.num_messages) == (subscriptions.bodies.num_bytes, 2)


def test_a_window_is_bounded_in_bytes() -> None:
    subscriptions = Subscriptions()
    ranking = Ranking(best=10, window=60.0)
    subscriptions.put(1, PutSubscription(name="r", expression="x exists", ranking=ranking, max_bytes=2 << 20))
    for seq in (2, 3, 4):
        publish(subscriptions, seq, publication({"x": "x" * 900_000}))
    counts = subscriptions.counts("r")
    assert (counts.in_window, counts.outranked) == (2, 1)


def test_what_is_held_for_all_is_bounded_and_those_that_hold_the_most_let_go() -> None:
    subscriptions = Subscriptions(most_bytes=100_000)
    for seq, name in enumerate(("large", "small"), 1):
        subscriptions.put(seq, PutSubscription(name=name, expression=f"{name} exists"))
    publish(subscriptions, 3, publication({"small": "x" * 10_000}))
    for seq in range(4, 20):
        publish(subscriptions, seq, publication({"large": "x" * 10_000}))
        assert subscriptions.bodies.num_bytes <= 100_000
    assert (seqs(subscriptions, "small"), subscriptions.counts("small").dropped) == ([3], 0)
    [first, *_] = subscriptions.messages("large", 9)
    assert first.dropped == subscriptions.counts("large").dropped > 0


def test_what_was_dropped_last_is_said_by_the_next_that_comes() -> None:
    subscriptions = Subscriptions(most_bytes=1_000)
    subscriptions.put(1, PutSubscription(name="a", expression="x exists"))
    publish(subscriptions, 2, publication({"x": "x" * 2_000}))
    assert seqs(subscriptions, "a") == []
    again = Subscriptions.from_json(subscriptions.to_json())
    publish(again, 3, publication({"x": 1}))
    assert [(each.seq, each.dropped) for each in again.messages("a", 9)] == [(3, 1)]
