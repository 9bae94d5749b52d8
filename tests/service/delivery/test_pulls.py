"""Are messages handed out in order, once while they are in flight, and again when they are not acknowledged?"""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from delivering_service import DEADLINE, Running, eventually, running
from eligo.service.delivery.deliverer import Deliverer
from eligo.service.delivery.subscriber import Message
from eligo.service.records import DeleteSubscription, Publish, PutSubscription
from eligo.service.service import Service

PUBLISHED = Publish(document=msgspec.Raw(b'{"x": 1}'), time=datetime(2026, 1, 1, tzinfo=UTC), tenant="other")


def seqs(messages: list[Any]) -> list[int]:
    return [message["seq"] for message in messages]


def acknowledge(service: Running, name: str, *seqs: int) -> int:
    count: int = service.ask("POST", f"/subscriptions/{name}/ack", {"seqs": seqs}).json["count"]
    return count


def refuse(service: Running, name: str, *seqs: int, **fields: Any) -> Any:
    return service.ask("POST", f"/subscriptions/{name}/nack", {"seqs": seqs, **fields}).json


def test_messages_are_pulled_in_order_and_acknowledged() -> None:
    with running() as service:
        service.subscribe("a", "x > 0", metadata={"team": 7})
        given = [service.publish({"x": x})["seq"] for x in (1, 0, 2, 3, 4)]
        wanted = [given[0], *given[2:]]
        first = service.pull("a", 2)
        assert seqs(first) == wanted[:2]
        assert (first[0]["document"], first[0]["deliveries"]) == ({"x": 1}, 1)
        assert seqs(service.pull("a")) == wanted[2:]
        assert service.pull("a") == []
        status = service.status("a")
        assert (status["pending"], status["in_flight"], status["metadata"]) == (4, 4, {"team": 7})
        assert status["lag"] > 0
        assert acknowledge(service, "a", *wanted[:3], 10**9) == 3
        assert service.ask("POST", "/subscriptions/a/ack", {"up_to": wanted[3]}).json["count"] == 1
        status = service.status("a")
        assert (status["pending"], status["in_flight"], status["lag"]) == (0, 0, 0.0)


def test_what_is_refused_comes_again_before_what_is_behind_it() -> None:
    with running() as service:
        service.subscribe("a", delivery={"kind": "pull", "backoff": 0.3})
        first, second, third = (service.publish({"x": x})["seq"] for x in (1, 2, 3))
        assert seqs(service.pull("a", 2)) == [first, second]
        refuse(service, "a", first, reason="not now")
        assert service.pull("a") == []  # the third is behind the first
        [again, behind] = service.pull("a", wait=10)
        assert (again["seq"], again["deliveries"], behind["seq"]) == (first, 2, third)


def test_what_is_refused_too_often_is_a_dead_letter() -> None:
    with running() as service:
        service.subscribe("a", delivery={"kind": "pull", "max_deliveries": 2, "backoff": 0})
        seq, other = (service.publish({"x": x})["seq"] for x in (1, 2))
        for _ in range(2):
            assert seq in seqs(service.pull("a", wait=10))
            count = refuse(service, "a", seq, reason="broken")["count"]
        assert count == 1
        assert refuse(service, "a", other, dead=True)["count"] == 1
        found = service.ask("GET", "/subscriptions/a/dead?limit=1").json
        assert (seqs(found["messages"]), found["messages"][0]["reason"], found["next"]) == ([seq], "broken", seq)
        assert seqs(service.ask("GET", f"/subscriptions/a/dead?after={seq}").json["messages"]) == [other]
        assert service.pull("a") == []
        assert service.ask("POST", "/subscriptions/a/dead/resend", {"seqs": [seq, other]}).json["count"] == 2
        assert seqs(service.pull("a", wait=10)) == [seq, other]


def test_what_is_not_acknowledged_in_time_comes_again_and_then_is_a_dead_letter() -> None:
    with running() as service:
        service.subscribe("a", delivery={"kind": "pull", "ack_wait": 0.2, "max_deliveries": 2})
        seq = service.publish({"x": 1})["seq"]
        assert [each["deliveries"] for each in service.pull("a")] == [1]
        assert [each["deliveries"] for each in service.pull("a", wait=10)] == [2]
        eventually(lambda: service.status("a")["dead"] == 1)
        [letter] = service.ask("GET", "/subscriptions/a/dead").json["messages"]
        assert (letter["seq"], letter["reason"]) == (seq, "not acknowledged in time")


def test_a_late_acknowledgement_counts() -> None:
    with running() as service:
        service.subscribe("a", delivery={"kind": "pull", "ack_wait": 0.1, "max_deliveries": 5})
        seq = service.publish({"x": 1})["seq"]
        service.pull("a")
        eventually(lambda: service.service.subscriptions.refusals("a", [seq]) == {seq: 1})
        assert acknowledge(service, "a", seq) == 1
        assert service.status("a")["pending"] == 0


def test_a_pull_waits_for_what_is_published_meanwhile() -> None:
    with running() as service:
        service.subscribe("a")
        found: list[Any] = []
        waiting = threading.Thread(target=lambda: found.extend(service.pull("a", wait=20)))
        waiting.start()
        seq = service.publish({"x": 1})["seq"]
        waiting.join()
        assert seqs(found) == [seq]


def test_two_who_pull_share_the_messages() -> None:
    with running() as service:
        service.subscribe("a")
        given = [service.publish({"x": x})["seq"] for x in range(40)]
        found: list[int] = []

        def take() -> None:
            while messages := service.pull("a", 3):
                found.extend(seqs(messages))
                acknowledge(service, "a", *seqs(messages))

        threads = [threading.Thread(target=take) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(found) == given


def test_drops_are_told() -> None:
    with running() as service:
        service.subscribe("a", max_pending=2)
        given = [service.publish({"x": x})["seq"] for x in range(5)]
        answer = service.ask("POST", "/subscriptions/a/pull", {}).json
        assert (seqs(answer["messages"]), answer["dropped"], answer["messages"][0]["dropped"]) == (given[3:], 3, 3)
        assert service.status("a")["dropped"] == 3


def test_the_best_of_a_window_are_delivered_when_it_is_over() -> None:
    with running() as service:
        service.subscribe("best", "x in (1^1, 2^2, 3^3)", ranking={"best": 2, "window": 3600.0})
        given = [service.publish({"x": x})["seq"] for x in (1, 3, 2)]
        assert service.status("best")["in_window"] == 2
        assert service.pull("best") == []
        service.subscribe("soon", "x in (1^1, 2^2, 3^3)", ranking={"best": 1, "window": 0.5})
        seq = service.publish({"x": 2})["seq"]
        [message] = service.pull("soon", wait=10)
        assert (message["seq"], message["score"]) == (seq, 2.0)
        service.subscribe("best", "x in (1^1, 2^2, 3^3)")
        assert [(each["seq"], each["score"]) for each in service.pull("best")] == [(given[1], 3.0), (given[2], 2.0)]


def test_a_subscription_that_goes_ends_what_waits_for_it() -> None:
    with running() as service:
        service.subscribe("a")
        service.publish({"x": 1})
        service.pull("a")
        assert service.ask("DELETE", "/subscriptions/a").status == 200
        assert service.ask("POST", "/subscriptions/a/pull", {}).status == 404
        service.subscribe("a")
        assert service.status("a")["in_flight"] == 0


@pytest.mark.parametrize("body", [{"max": 0}, {"max": 10**6}, {"wait": -1}, {"wait": 10**6}, {"odd": 1}, [1]])
def test_odd_pulls_are_refused(body: Any) -> None:
    with running() as service:
        service.subscribe("a")
        assert service.ask("POST", "/subscriptions/a/pull", body).status == 422
        service.subscribe("s", delivery={"kind": "stream"})
        assert service.ask("POST", "/subscriptions/s/pull", {}).status == 412


def test_up_to_is_what_was_handed_out_in_the_order_in_which_it_was() -> None:
    with running() as service:
        service.subscribe("best", "x in (1^1, 2^2, 3^3)", ranking={"best": 3, "window": 3600.0})
        low, high, middle = (service.publish({"x": x})["seq"] for x in (1, 3, 2))
        service.subscribe("best", "x in (1^1, 2^2, 3^3)")  # ranks no more: the window is delivered
        assert seqs(service.pull("best", 2)) == [high, middle]
        up_to = {"up_to": high}
        assert service.ask("POST", "/subscriptions/best/ack", up_to).json["count"] == 1
        assert seqs(service.pull("best")) == [low]
        assert service.ask("POST", "/subscriptions/best/ack", {"up_to": middle}).json["count"] == 1
        assert service.ask("POST", "/subscriptions/best/ack", {"up_to": 10**9}).json["count"] == 0
        status = service.status("best")
        assert (status["pending"], status["in_flight"]) == (1, 1)


def test_a_dead_letter_that_was_sent_again_is_not_acknowledged_with_what_was_pulled_before() -> None:
    with running() as service:
        service.subscribe("a")
        first, second = (service.publish({"x": x})["seq"] for x in (1, 2))
        assert seqs(service.pull("a")) == [first, second]
        refuse(service, "a", first, dead=True)
        assert service.ask("POST", "/subscriptions/a/dead/resend", {"seqs": [first]}).json["count"] == 1
        assert service.ask("POST", "/subscriptions/a/ack", {"up_to": second}).json["count"] == 1
        assert seqs(service.pull("a")) == [first]


def test_a_pull_that_waits_is_not_given_what_is_anothers() -> None:
    """The name goes to another tenant while a pull waits: the pull is told that its subscription has gone."""
    with running() as service:
        service.subscribe("a", tenant="acme")
        answers: list[int] = []
        body = {"max": 10, "wait": 20}
        waiting = threading.Thread(
            target=lambda: answers.append(service.ask("POST", "/subscriptions/a/pull", body).status)
        )
        waiting.start()
        eventually(lambda: service.app.admission.num_lasting == 1)
        records = [DeleteSubscription(name="a"), PutSubscription(name="a", expression="x exists", tenant="other")]
        service.service.submit_many([*records, PUBLISHED]).result()  # all of them before the loop hears of any
        waiting.join()
        assert answers == [404]
        assert len(service.pull("a")) == 1


def test_pulls_that_wait_are_answered_when_the_service_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eligo.service.delivery.pulls.LONGEST_WAIT", 10 * DEADLINE)

    async def stopped() -> list[Message]:
        with Service.open(None) as service:
            service.write(PutSubscription(name="a", expression="x = 1"))
            async with Deliverer(service) as deliverer, asyncio.timeout(DEADLINE):
                pull = asyncio.create_task(deliverer.pulls.pull(service.subscriptions.incarnation("a"), 1, 1e9))
                await asyncio.sleep(0)
                deliverer.end_streams()
                return await pull

    assert asyncio.run(stopped()) == []
