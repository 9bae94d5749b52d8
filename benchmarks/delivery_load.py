"""What is published and delivered under load? To one who pulls, one who reads a stream, and one who is posted to."""

from __future__ import annotations

import json
import time
from typing import Self

from benchmarks.http_load import Connection, Paced, Server
from benchmarks.siege.services.ledger import Deliveries, Ledger, Published
from benchmarks.siege.services.line import Scene
from benchmarks.siege.services.readers import Hook, Puller, StreamReader

DEADLINE = 60.0
"""Seconds after the last publication in which all has to be delivered."""


class DeliveryLoad:
    """Publishes so many documents a second to three subscribers, and counts what comes."""

    def __init__(self, server: Server, times_a_second: float, seed: int) -> None:
        self.errors: list[str] = []
        self._server = server
        self._scene = Scene(server.port)
        self._scene.is_up.set()
        self._ledger = Ledger(self.errors.append)
        pulled = Deliveries("load-pulled", lambda document, _: document["k"] <= 2, self.errors.append)
        streamed = Deliveries("load-streamed", lambda document, _: document["k"] in (1, 3), self.errors.append)
        posted = Deliveries("load-posted", lambda document, _: document["k"] == 4, self.errors.append)
        self.deliveries = (pulled, streamed, posted)
        self._hook = Hook(posted, seed)
        self._readers = (Puller(pulled, seed, self._scene), StreamReader(streamed, self._scene))
        self._publishing = Connection(server)
        self._paced = Paced(times_a_second, self._publish)

    @property
    def num_published(self) -> int:
        """Publications that were acknowledged."""
        return len(self._ledger.published)

    @property
    def num_delivered(self) -> int:
        """Messages that came, each counted once a subscriber."""
        return sum(len(each.keys) for each in self.deliveries)

    def _publish(self, number: int) -> None:
        document = {"publisher": 0, "n": number, "k": number % 5}
        answer = json.loads(self._publishing.ask("POST", "/publish", json.dumps(document).encode()))
        self._ledger.publish((0, number), Published(answer["seq"], document, None))

    def __enter__(self) -> Self:
        asked = Connection(self._server)
        webhook = {"kind": "webhook", "url": self._hook.url, "backoff": 0.1, "max_deliveries": 100}
        for deliveries, expression, delivery in zip(
            self.deliveries,
            ("k <= 2", "k in (1, 3)", "k = 4 and exists d (n > d.n)"),
            ({"kind": "pull", "backoff": 0.1, "max_deliveries": 100}, {"kind": "stream"}, webhook),
            strict=True,
        ):
            body = json.dumps({"expression": expression, "delivery": delivery}).encode()
            asked.ask("PUT", f"/subscriptions/{deliveries.name}", body)
        for reader in self._readers:
            reader.start()
        self._paced.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._paced.__exit__(*error)
        end = time.monotonic() + DEADLINE
        while any(map(self._ledger.missing, self.deliveries)) and time.monotonic() < end:
            time.sleep(0.1)
        for deliveries in self.deliveries:
            self._ledger.judge(deliveries)
        self._scene.is_finished.set()
        for reader in self._readers:
            reader.join()
        self._hook.close()
        self.errors += self._paced.errors
