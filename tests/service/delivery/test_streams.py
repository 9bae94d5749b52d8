"""Do readers of a stream get everything behind the last event that they had, and hear of what they missed?"""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from delivering_service import DEADLINE, Running, eventually, running
from eligo.service.delivery.deliverer import DeliveryOptions
from eligo.service.delivery.streams import StreamPosition
from eligo.service.http.app import create_app
from eligo.service.http.entrance.tokens import create_token, revoke_token
from eligo.service.http.server import StoppableServer
from eligo.service.http.settings import HttpSettings
from eligo.service.records import DeleteSubscription, Publish, PutSubscription, StreamDelivery
from eligo.service.service import Service


@dataclass
class Event:
    """An event as a browser would read it."""

    id: str = ""
    kind: str = "message"
    data: str = ""
    comment: str = ""

    @property
    def json(self) -> Any:
        return json.loads(self.data)


class Reader:
    """Reads a stream, one event after another, as the specification of server-sent events has it."""

    def __init__(
        self, service: Running, name: str, last: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=DEADLINE)
        given = {**(headers or {}), **({} if last is None else {"Last-Event-ID": last})}
        self._connection.request("GET", f"/subscriptions/{name}/stream", headers=given)
        self.response = self._connection.getresponse()

    def next(self) -> Event:
        event = Event()
        while True:
            line = self.response.readline().decode().removesuffix("\n")
            if not line:
                return event
            field, _, value = line.partition(": ")
            if field == "id":
                event.id = value
            elif field == "event":
                event.kind = value
            elif field == "data":
                event.data += value
            else:
                event.comment += value

    def message(self) -> Event:
        """The next event that is no comment."""
        event = self.next()
        while event.comment:
            event = self.next()
        return event

    def close(self) -> None:
        self._connection.close()


@contextmanager
def reading(
    service: Running, name: str, last: str | None = None, headers: Mapping[str, str] | None = None
) -> Iterator[Reader]:
    reader = Reader(service, name, last, headers)
    assert reader.response.status == 200, reader.response.read()
    assert reader.response.getheader("content-type", "").startswith("text/event-stream")
    try:
        yield reader
    finally:
        reader.close()


def test_a_reader_gets_what_waits_and_what_comes_and_resumes_behind_what_it_had() -> None:
    with running() as service:
        service.subscribe("s", delivery={"kind": "stream"})
        given = [service.publish({"x": x})["seq"] for x in range(2)]
        with reading(service, "s") as reader:
            events = [reader.message() for _ in range(2)]
            given.append(service.publish({"x": 2, "text": "zwei\nZeilen"})["seq"])
            events.append(reader.message())
        assert [each.json["seq"] for each in events] == given
        assert [each.id for each in events] == [f"{seq}.{number}" for number, seq in enumerate(given, 1)]
        assert events[2].json["document"] == {"x": 2, "text": "zwei\nZeilen"}
        assert service.status("s")["pending"] == 3  # nothing is acknowledged yet
        with reading(service, "s", events[1].id) as reader:
            assert reader.message().json["seq"] == given[2]
            assert service.status("s")["pending"] == 1
        with reading(service, "s", str(given[2])) as reader:
            given.append(service.publish({"x": 3})["seq"])
            assert reader.message().json["seq"] == given[3]


def test_a_document_over_several_lines_is_one_event() -> None:
    with running() as service:
        service.subscribe("s", delivery={"kind": "stream"})
        service.ask("POST", "/publish", b'{\n  "x":\r\n 1\n}')
        with reading(service, "s") as reader:
            assert reader.message().json["document"] == {"x": 1}


def test_what_was_dropped_is_said() -> None:
    with running() as service:
        service.subscribe("s", delivery={"kind": "stream"}, max_pending=3)
        with reading(service, "s") as reader:
            first = service.publish({"x": 0})["seq"]
            had = reader.message()
            assert had.json["seq"] == first
        given = [service.publish({"x": x})["seq"] for x in range(1, 8)]
        with reading(service, "s", had.id) as reader:
            gap = reader.message()
            assert (gap.kind, gap.json) == ("gap", {"missed": 4})
            assert [reader.message().json["seq"] for _ in range(3)] == given[4:]


def test_who_says_nothing_of_what_it_had_hears_of_all_that_was_dropped() -> None:
    with running() as service:
        service.subscribe("s", delivery={"kind": "stream"}, max_pending=3)
        given = [service.publish({"x": x})["seq"] for x in range(8)]
        with reading(service, "s") as reader:
            gap = reader.message()
            assert (gap.kind, gap.json["missed"]) == ("gap", 5)
            assert reader.message().json["seq"] == given[5]


def test_what_a_quick_reader_had_is_not_dropped_but_let_go() -> None:
    with running() as service:
        service.subscribe("s", delivery={"kind": "stream"}, max_pending=20)
        with reading(service, "s") as reader:
            for x in range(100):
                seq = service.publish({"x": x})["seq"]
                assert reader.message().json["seq"] == seq
            status = service.status("s")
        assert status["dropped"] == 0
        assert status["pending"] <= 20


def test_a_slow_reader_holds_up_nobody() -> None:
    with running() as service:
        service.subscribe("slow", delivery={"kind": "stream"}, max_pending=10)
        service.subscribe("quick", delivery={"kind": "stream"}, max_pending=1_000)
        big = "x" * 200_000
        with reading(service, "slow") as slow, reading(service, "quick") as quick:
            given = [service.publish({"x": x, "text": big})["seq"] for x in range(60)]
            assert [quick.message().json["seq"] for _ in given] == given
            eventually(lambda: service.status("slow")["dropped"] > 0)
            got, missed = [], 0
            while not got or got[-1] != given[-1]:
                event = slow.message()
                if event.kind == "gap":
                    missed += event.json["missed"]
                else:
                    got.append(event.json["seq"])
        assert got == sorted(got)
        assert missed > 0
        assert len(got) + missed == len(given)


def test_a_heartbeat_comes_when_nothing_does() -> None:
    with running(DeliveryOptions(heartbeat=0.05)) as service:
        service.subscribe("s", delivery={"kind": "stream"})
        with reading(service, "s") as reader:
            assert [reader.next().comment for _ in range(3)] == ["connected", "still there", "still there"]


def test_streams_end_with_the_subscription_or_the_service() -> None:
    with running() as service:
        service.subscribe("s", delivery={"kind": "stream"})
        with reading(service, "s") as reader:
            reader.next()
            service.ask("DELETE", "/subscriptions/s")
            assert reader.message().kind == "end"
            assert reader.response.read() == b""
        service.subscribe("s", delivery={"kind": "stream"})
        with reading(service, "s") as reader:
            reader.next()
            service.app.end_streams()
            assert reader.message().kind == "end"


def test_what_is_no_stream_or_no_position_is_refused() -> None:
    with running() as service:
        service.subscribe("p")
        assert service.ask("GET", "/subscriptions/p/stream").status == 412
        assert service.ask("GET", "/subscriptions/none/stream").status == 404
        service.subscribe("s", delivery={"kind": "stream"})
        assert service.ask("GET", "/subscriptions/s/stream", headers={"Last-Event-ID": "x"}).status == 422


@pytest.mark.parametrize(("text", "position"), [("42.7", (42, 7)), (" 42 ", (42, None))])
def test_positions_are_read(text: str, position: tuple[int, int | None]) -> None:
    assert StreamPosition.read(text) == position


def test_a_stream_ends_with_its_subscription_although_there_is_another_of_its_name() -> None:
    with running() as service:
        service.subscribe("s", delivery={"kind": "stream"}, tenant="acme")
        with reading(service, "s") as reader:
            assert reader.next().comment == "connected"
            put = PutSubscription(name="s", expression="x exists", tenant="other", delivery=StreamDelivery())
            time = datetime(2026, 1, 1, tzinfo=UTC)
            publish = Publish(document=msgspec.Raw(b'{"x": 1}'), time=time, tenant="other")
            service.service.submit_many([DeleteSubscription(name="s"), put, publish]).result()
            assert reader.message().kind == "end"
        assert service.status("s")["pending"] == 1


def test_an_event_of_an_earlier_subscription_of_the_name_acknowledges_nothing() -> None:
    with running() as service:
        service.subscribe("s", delivery={"kind": "stream"})
        for x in range(3):
            service.publish({"x": x})
        with reading(service, "s") as reader:
            last = [reader.message().id for _ in range(3)][-1]
        service.ask("DELETE", "/subscriptions/s")
        service.subscribe("s", delivery={"kind": "stream"})
        given = [service.publish({"x": x})["seq"] for x in range(3)]
        for had in (last, last.partition(".")[0], "999999"):
            with reading(service, "s", had) as reader:
                assert [reader.message().json["seq"] for _ in given] == given
        assert service.status("s")["pending"] == 3


def test_a_reader_that_is_stuck_ends_no_stop_with_an_error(caplog: pytest.LogCaptureFixture) -> None:
    with Service.open(None) as service, socket.create_server(("127.0.0.1", 0)) as listening:
        server = StoppableServer(create_app(service))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        eventually(lambda: server.started)
        service.write(PutSubscription(name="s", expression="x exists", delivery=StreamDelivery()))
        with socket.socket() as reader:
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.connect(listening.getsockname())
            reader.sendall(b"GET /subscriptions/s/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            big = msgspec.Raw(b'{"x": "%b"}' % (b"x" * 500_000))
            for _ in range(30):
                service.write(Publish(document=big, time=datetime(2026, 1, 1, tzinfo=UTC)))
            eventually(lambda: any(each.flow.write_paused for each in server.server_state.connections))  # type: ignore[union-attr]
            server.should_exit = True
            thread.join(DEADLINE)
        assert not thread.is_alive()
        assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


def test_a_stream_ends_when_its_token_is_revoked(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    admin, reader = (create_token(file, scope, [scope]) for scope in ("admin", "consume"))
    own = {"authorization": f"Bearer {admin}"}
    settings = HttpSettings(tokens=file)
    with running(DeliveryOptions(heartbeat=0.05), settings=settings) as service:
        definition = {"expression": "x > 0", "delivery": {"kind": "stream"}}
        assert service.ask("PUT", "/subscriptions/s", definition, own).status == 201
        with reading(service, "s", headers={"authorization": f"Bearer {reader}"}) as stream:
            service.publish({"x": 1}, own)
            assert next(event for event in iter(stream.next, None) if event.data).json["document"] == {"x": 1}
            revoke_token(file, "consume")
            last = next(event for event in iter(stream.next, None) if event.kind == "end")
            service.publish({"x": 2}, own)
            assert (last.data, stream.response.read()) == ("{}", b"")
