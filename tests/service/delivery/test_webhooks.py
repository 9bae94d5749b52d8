"""Do webhooks get their messages: signed, in order, again when they failed, and nowhere that was not meant?"""

from __future__ import annotations

import base64
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from delivering_service import DEADLINE, eventually, running
from eligo.service.delivery import deliverer
from eligo.service.delivery.deliverer import DeliveryOptions
from eligo.service.delivery.webhooks.target import Resolve
from eligo.service.service import Service
from webhook_receiver import Received, is_signed, receiving

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()


def webhook(url: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "webhook", "url": url, "secret": SECRET, "backoff": 0.01, **fields}


def test_messages_come_signed_and_in_order_and_are_acknowledged() -> None:
    with receiving() as receiver, running(DeliveryOptions(allow_webhooks=(receiver.host,))) as service:
        service.subscribe("hook", "x > 1", delivery=webhook(receiver.url))
        seqs = [service.publish({"x": x})["seq"] for x in (2, 1, 3, 4, 5)]
        eventually(lambda: len(receiver.received) >= 4)
        eventually(lambda: service.status("hook")["pending"] == 0)
        assert receiver.seqs == [seqs[0], *seqs[2:]]
        for request in receiver.received:
            assert is_signed(request, SECRET)
            assert request.headers["webhook-id"] == f"hook.{request.seq}"
            assert abs(int(request.headers["webhook-timestamp"]) - time.time()) < 300
            assert (request.path, request.headers["host"]) == ("/hook?a=1", receiver.host)
        first = receiver.received[0].json
        assert first["type"] == "document.published"
        assert first["subscription"] == "hook"
        assert (first["data"]["document"], first["data"]["deliveries"]) == ({"x": 2}, 1)
        changed = Received("", receiver.received[0].headers, receiver.received[0].body + b" ")
        assert not is_signed(changed, SECRET)


def test_a_secret_that_is_not_given_is_made_and_shown_once() -> None:
    with receiving() as receiver, running(DeliveryOptions(allow_webhooks=("127.0.0.1",))) as service:
        delivery = {"kind": "webhook", "url": receiver.url}
        secret = service.subscribe("hook", delivery=delivery).json["secret"]
        assert secret.startswith("whsec_")
        assert "secret" not in service.subscribe("hook", "x > 0", delivery=delivery).json
        assert secret.encode() not in service.ask("GET", "/subscriptions/hook").body
        assert secret.encode() not in service.ask("GET", "/subscriptions").body
        service.publish({"x": 1})
        eventually(lambda: len(receiver.received) == 1)
        assert is_signed(receiver.received[0], secret)


def test_what_fails_is_sent_again_before_what_is_behind_it() -> None:
    failures = iter([500, (503, {"retry-after": "0"}), 404])
    with receiving() as receiver, running(DeliveryOptions(allow_webhooks=(receiver.host,))) as service:
        receiver.answer = lambda request: next(failures, 200)
        service.subscribe("hook", delivery=webhook(receiver.url))
        first, second = (service.publish({"x": x})["seq"] for x in (1, 2))
        eventually(lambda: service.status("hook")["pending"] == 0)
        assert receiver.seqs == [first, first, first, first, second]
        assert [each.json["data"]["deliveries"] for each in receiver.received] == [1, 2, 3, 4, 1]
        assert len({each.headers["webhook-id"] for each in receiver.received}) == 2


def test_what_fails_too_often_is_a_dead_letter_that_can_be_sent_again() -> None:
    with receiving() as receiver, running(DeliveryOptions(allow_webhooks=(receiver.host,))) as service:
        receiver.answer = lambda request: 500 if request.json["data"]["document"]["x"] == 1 else 200
        service.subscribe("hook", delivery=webhook(receiver.url, max_deliveries=2))
        bad, good = (service.publish({"x": x})["seq"] for x in (1, 2))
        eventually(lambda: receiver.seqs == [bad, bad, good])
        eventually(lambda: service.status("hook")["pending"] == 0)
        [letter] = service.ask("GET", "/subscriptions/hook/dead").json["messages"]
        assert (letter["seq"], letter["deliveries"], letter["reason"]) == (bad, 2, "answered 500")
        assert letter["document"] == {"x": 1}
        receiver.answer = lambda request: 200
        assert service.ask("POST", "/subscriptions/hook/dead/resend", {"seqs": [bad]}).json["count"] == 1
        eventually(lambda: receiver.seqs == [bad, bad, good, bad])
        eventually(lambda: service.status("hook")["pending"] == 0)
        assert service.status("hook")["dead"] == 0


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/",
        "http://localhost:{port}/",
        "http://127.1:{port}/",
        "http://2130706433:{port}/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://0.0.0.0:{port}/",
    ],
)
def test_nothing_is_sent_to_where_it_may_not(url: str) -> None:
    with receiving() as receiver, running() as service:
        service.subscribe("hook", delivery=webhook(url.format(port=receiver.port), max_deliveries=1))
        service.publish({"x": 1})
        eventually(lambda: service.status("hook")["dead"] == 1)
        [letter] = service.ask("GET", "/subscriptions/hook/dead").json["messages"]
        assert "not public" in letter["reason"] or "gaierror" in letter["reason"]
        assert receiver.received == []


@pytest.mark.parametrize("host", [f"{'a' * 64}.example", "a..example"])
def test_a_host_that_cannot_be_looked_up_makes_dead_letters(host: str) -> None:
    with running() as service:
        service.subscribe("hook", delivery=webhook(f"http://{host}/", max_deliveries=2))
        service.publish({"x": 1})
        eventually(lambda: service.status("hook")["dead"] == 1)
        [letter] = service.ask("GET", "/subscriptions/hook/dead").json["messages"]
        assert (letter["deliveries"], f"{host} is no name of a host" in letter["reason"]) == (2, True)


def failing(tries: list[str], number: int) -> Resolve:
    """A name server that fails in a way that nobody foresaw, so often."""

    async def resolve(host: str, port: int) -> list[str]:
        tries.append(host)
        if host == "odd.example" and tries.count(host) <= number:
            raise RuntimeError("unforeseen")
        return ["127.0.0.1"]

    return resolve


def test_a_sender_that_fails_in_an_unforeseen_way_rests_whatever_is_published(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[str] = []
    monkeypatch.setattr(deliverer, "AFTER_FAILURE", 3_600.0)
    options = DeliveryOptions(allow_webhooks=("odd.example", "good.example"), resolve=failing(tries, 1))
    with receiving() as receiver, running(options) as service:
        for name in ("odd", "good"):
            service.subscribe(name, delivery=webhook(f"http://{name}.example:{receiver.port}/"))
        seqs = [service.publish({"x": x})["seq"] for x in range(5)]
        eventually(lambda: receiver.seqs == seqs)
        assert tries.count("odd.example") == 1


def test_a_sender_that_has_rested_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliverer, "AFTER_FAILURE", 0.01)
    options = DeliveryOptions(allow_webhooks=("odd.example",), resolve=failing([], 2))
    with receiving() as receiver, running(options) as service:
        service.subscribe("odd", delivery=webhook(f"http://odd.example:{receiver.port}/"))
        seq = service.publish({"x": 1})["seq"]
        eventually(lambda: receiver.seqs == [seq])


def test_a_name_server_that_changes_its_answer_is_asked_once_and_the_first_answer_holds() -> None:
    """DNS rebinding: the address that was looked at is the one that is connected to."""
    answers: list[str] = []

    async def resolve(host: str, port: int) -> list[str]:
        answers.append("93.184.216.34" if not answers else "127.0.0.1")
        return [answers[-1]]

    with receiving() as receiver, running(DeliveryOptions(resolve=resolve)) as service:
        url = f"http://rebinding.example:{receiver.port}/"
        service.subscribe("hook", delivery=webhook(url, max_deliveries=3, timeout=0.2))
        service.publish({"x": 1})
        eventually(lambda: service.status("hook")["dead"] == 1)
        assert len(answers) == 3  # one for each attempt
        assert receiver.received == []  # the first went to the address that was looked at, the others nowhere


def test_the_connection_goes_to_the_address_that_was_resolved_with_the_name_that_was_given() -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    with receiving() as receiver:
        options = DeliveryOptions(allow_webhooks=("internal.example",), resolve=resolve)
        with running(options) as service:
            service.subscribe("hook", delivery=webhook(f"http://internal.example:{receiver.port}/x"))
            service.publish({"x": 1})
            eventually(lambda: len(receiver.received) == 1)
            assert receiver.received[0].headers["host"] == f"internal.example:{receiver.port}"


def test_an_address_that_takes_no_connection_is_passed_over_for_the_next() -> None:
    """As where a name has an address of IPv6, and its server listens on IPv4 only."""

    async def resolve(host: str, port: int) -> list[str]:
        return ["::1", "127.0.0.2", "127.0.0.1"]

    with receiving() as receiver:
        options = DeliveryOptions(allow_webhooks=("internal.example",), resolve=resolve)
        with running(options) as service:
            url = f"http://internal.example:{receiver.port}/"
            service.subscribe("hook", delivery=webhook(url, max_deliveries=1))
            seqs = [service.publish({"x": x})["seq"] for x in (1, 2)]
            eventually(lambda: receiver.seqs == seqs)
            assert service.status("hook")["dead"] == 0


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["93.184.216.34", "10.0.0.1"]

    with running(DeliveryOptions(resolve=resolve)) as service:
        service.subscribe("hook", delivery=webhook("https://mixed.example/", max_deliveries=1))
        service.publish({"x": 1})
        eventually(lambda: service.status("hook")["dead"] == 1)
        assert "not public" in service.ask("GET", "/subscriptions/hook/dead").json["messages"][0]["reason"]


def test_redirects_are_not_followed() -> None:
    options = DeliveryOptions(allow_webhooks=("127.0.0.1",))
    with receiving() as inner, receiving() as receiver, running(options) as service:
        receiver.answer = lambda request: (307, {"location": inner.url})
        service.subscribe("hook", delivery=webhook(receiver.url, max_deliveries=1))
        service.publish({"x": 1})
        eventually(lambda: service.status("hook")["dead"] == 1)
        reason = service.ask("GET", "/subscriptions/hook/dead").json["messages"][0]["reason"]
        assert "redirects are not followed" in reason
        assert inner.received == []


def test_a_receiver_that_hangs_or_never_ends_its_answer_holds_up_nobody() -> None:
    def drip(listening: socket.socket) -> None:
        """Take a connection and answer a byte now and then, for ever."""
        with listening:
            connection, _ = listening.accept()
            with connection:
                try:
                    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n")
                    for _ in range(1_000):
                        connection.sendall(b"x")
                        time.sleep(0.02)
                except OSError:
                    return

    listening = socket.create_server(("127.0.0.1", 0))
    slow = threading.Thread(target=drip, args=(listening,), daemon=True)
    port = listening.getsockname()[1]
    with receiving() as receiver, running(DeliveryOptions(allow_webhooks=("127.0.0.1",))) as service:
        slow.start()
        hanging = webhook(f"http://127.0.0.1:{port}/", timeout=0.3, max_deliveries=1)
        service.subscribe("slow", delivery=hanging)
        service.subscribe("quick", delivery=webhook(receiver.url))
        for x in range(5):
            service.publish({"x": x})
        eventually(lambda: len(receiver.received) == 5)
        eventually(lambda: service.status("slow")["dead"] >= 1)
        reason = service.ask("GET", "/subscriptions/slow/dead").json["messages"][0]["reason"]
        assert reason == "no answer within 0.3 s"
    slow.join()


def test_a_change_of_the_address_ends_the_wait_for_the_old_one() -> None:
    with receiving() as receiver, running(DeliveryOptions(allow_webhooks=("127.0.0.1",))) as service:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            gone = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        service.subscribe("hook", delivery=webhook(gone, backoff=3_000.0))
        seq = service.publish({"x": 1})["seq"]
        eventually(lambda: service.service.subscriptions.refusals("hook", [seq]) == {seq: 1})
        service.subscribe("hook", delivery=webhook(receiver.url))
        eventually(lambda: receiver.seqs == [seq])


def test_what_was_taken_is_written_down_when_the_service_stops(tmp_path: Path) -> None:
    """The second message hangs in its receiver, so that the first would be written down with later ones only."""
    is_over, are_published = threading.Event(), threading.Event()

    def answer(request: Received) -> int:
        are_published.wait(DEADLINE)
        if request.json["data"]["document"]["x"] == 2:
            is_over.wait(DEADLINE)
        return 200

    with receiving() as receiver:
        receiver.answer = answer
        options = DeliveryOptions(allow_webhooks=(receiver.host,))
        with running(options, Service.open(tmp_path / "data")) as service:
            service.subscribe("hook", delivery=webhook(receiver.url, timeout=30.0))
            _, second = (service.publish({"x": x})["seq"] for x in (1, 2))
            are_published.set()
            eventually(lambda: len(receiver.received) == 2)
            assert service.status("hook")["pending"] == 2
        is_over.set()
    with Service.open(tmp_path / "data") as again:
        assert [message.seq for message in again.subscriptions.messages("hook", 9)] == [second]
