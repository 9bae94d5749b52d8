"""Is anything lost when a service is killed? At random moments, while many write, publish and read.

Two writers change expressions, three publishers publish, four subscribers get what they want: by pulling (one of them
for a tenant), by a webhook, by a stream. Each notes what it was told. A kill comes at any moment, some while the
service recovers from the one before. After the last one everything that is on its way arrives, and then it is
compared: what was acknowledged is there, and came to those who want it, to nobody else, in order, at least once.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import statistics
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.siege.services.ledger import Deliveries, Ledger
from benchmarks.siege.services.line import BrokenError, Line, Scene
from benchmarks.siege.services.nursery import Nursery
from benchmarks.siege.services.readers import Hook, Puller, StreamReader
from benchmarks.siege.services.writers import Publisher, Writer
from benchmarks.siege.tally import Tally

PATIENCE = 90.0
"""Seconds after which a service that does not come up, or a message that does not come, is a failure."""
EARLY_SHARE = 0.15
"""Of kills that do not wait until the service has recovered."""
SUBSCRIPTIONS = {
    "pulled": ("k in (0, 2, 4)", None, lambda document, tenant: document["k"] in (0, 2, 4)),
    "acme": ("k < 3", "acme", lambda document, tenant: document["k"] < 3 and tenant == "acme"),
    "posted": ("k in (1, 2)", None, lambda document, tenant: document["k"] in (1, 2)),
    "streamed": ("k >= 3", None, lambda document, tenant: document["k"] >= 3),
}
"""By name: expression, tenant, and what it means."""


class Siege:
    """One service with all its clients."""

    def __init__(self, directory: Path, seed: int, tally: Tally) -> None:
        self._tally = tally
        self._lock = threading.Lock()
        self._data = directory / "data"
        self._errors = directory / "errors"
        self._rng = random.Random(f"killed services {seed}")
        self._scene = Scene(free_port())
        self._ledger = Ledger(self.fail)
        self._deliveries = {name: Deliveries(name, wants, self.fail) for name, (_, _, wants) in SUBSCRIPTIONS.items()}
        self._hook = Hook(self._deliveries["posted"], seed)
        self._writers = [Writer(number, seed, self._scene, self._ledger, self.fail) for number in range(2)]
        self._publishers = [Publisher(number, seed, self._scene, self._ledger, self.fail) for number in range(3)]
        self._readers = [
            Puller(self._deliveries["pulled"], seed, self._scene),
            Puller(self._deliveries["acme"], seed, self._scene),
            StreamReader(self._deliveries["streamed"], self._scene),
        ]
        self._recoveries: list[float] = []

    def fail(self, what: str) -> None:
        """Something is not as it must be."""
        with self._lock:
            self._tally.fail(f"after {self._scene.generation} starts: {what}")

    def run(self, num_kills: int) -> None:
        """Kill it so often, then judge."""
        with Nursery(self._errors) as nursery:
            try:
                process = self._started(nursery)
                self._subscribe()
                for thread in (*self._writers, *self._publishers, *self._readers):
                    thread.start()
                for _ in range(num_kills):
                    time.sleep(self._rng.uniform(0.005, 0.3))
                    self._kill(nursery, process)
                    self._tally.tried()
                    while self._rng.random() < EARLY_SHARE and self._tally.num_tried < num_kills:
                        early = nursery.start(self._data, self._scene.port)
                        time.sleep(self._rng.uniform(0, 0.3))
                        self._kill(nursery, early)
                        self._tally.tried()
                        self._tally.counts["of these while it recovered, or just after"] += 1
                    process = self._started(nursery)
                    if self._tally.num_tried >= num_kills:
                        break
                self._judge()
                os.kill(process, signal.SIGTERM)
                if nursery.reap(process) != 0:
                    self.fail("it did not stop as it should")
            finally:
                self._scene.is_over.set()
                self._scene.is_finished.set()
                self._hook.close()
        self._count()

    def _kill(self, nursery: Nursery, process: int) -> None:
        os.kill(process, signal.SIGKILL)
        self._scene.is_up.clear()
        nursery.reap(process)

    def _started(self, nursery: Nursery) -> int:
        """A service that has recovered and answers."""
        began = time.perf_counter()
        process = nursery.start(self._data, self._scene.port)
        probe = Scene(self._scene.port)
        probe.is_up.set()
        line = Line(probe)
        while True:
            try:
                reply = line.ask("GET", "/readyz")
                break
            except BrokenError:
                if time.perf_counter() - began > PATIENCE:
                    raise RuntimeError(f"the service does not come up: {_end_of(self._errors)}") from None
                time.sleep(0.005)
        line.close()
        self._recoveries.append(time.perf_counter() - began)
        if reply.status != 200 or reply.json["seq"] < self._ledger.highest_seq:
            self.fail(f"it answers {reply.body[:200]!r}, and {self._ledger.highest_seq} was acknowledged")
        self._scene.generation += 1
        self._scene.is_up.set()
        return process

    def _subscribe(self) -> None:
        line = Line(self._scene)
        for name, (expression, tenant, _) in SUBSCRIPTIONS.items():
            delivery: dict[str, object] = {"kind": "pull", "ack_wait": 0.5, "backoff": 0.02, "max_deliveries": 1000}
            if name == "posted":
                delivery = {"kind": "webhook", "url": self._hook.url, "backoff": 0.02, "max_deliveries": 1000}
            elif name == "streamed":
                delivery = {"kind": "stream"}
            body = {"expression": expression, "tenant": tenant, "delivery": delivery, "max_pending": 1_000_000}
            reply = line.ask("PUT", f"/subscriptions/{name}", body)
            if reply.status not in (200, 201):
                raise RuntimeError(f"cannot subscribe: {reply.body!r}")
        line.close()

    def _judge(self) -> None:
        """Let everything arrive, and compare."""
        self._scene.is_over.set()
        for thread in (*self._writers, *self._publishers):
            thread.join(PATIENCE)
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends and any(map(self._ledger.missing, self._deliveries.values())):
            time.sleep(0.2)
        line = Line(self._scene)
        for writer in self._writers:
            writer.judge(line)
        known = {id for writer in self._writers for id in writer.known}
        doubt = {writer.in_doubt[0] for writer in self._writers if writer.in_doubt is not None}
        listed = {each["id"] for each in line.ask("GET", "/expressions?limit=1000").json["expressions"]}
        if (listed ^ known) - doubt:
            self.fail(f"the list of expressions differs by {sorted((listed ^ known) - doubt)[:5]}")
        self._scene.is_finished.set()
        for reader in self._readers:
            reader.join(PATIENCE)
        for deliveries in self._deliveries.values():
            self._ledger.judge(deliveries)
        line.close()

    def _count(self) -> None:
        counts = self._tally.counts
        counts["records acknowledged"] = self._ledger.num_acknowledged
        counts["publications acknowledged"] = len(self._ledger.published)
        counts["publications that came again, recognised"] = sum(each.num_recognised for each in self._publishers)
        for name, deliveries in self._deliveries.items():
            counts[f"messages to {name}"] = len(deliveries.keys)
            counts[f"of these more than once, to {name}"] = deliveries.num_repeated
        milliseconds = sorted(round(1000 * seconds) for seconds in self._recoveries)
        counts["recoveries"] = len(milliseconds)
        counts["recovery, milliseconds: median"] = round(statistics.median(milliseconds))
        counts["recovery, milliseconds: 99 of 100 within"] = milliseconds[int(0.99 * (len(milliseconds) - 1))]
        counts["recovery, milliseconds: longest"] = milliseconds[-1]


def kill_services(seed: int, num_kills: int) -> Tally:
    """Kill one service so often."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as directory:
        Siege(Path(directory), seed, tally).run(num_kills)
    return tally


def free_port() -> int:
    """A port of the loopback at which no one listens."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


def _end_of(file: Path) -> str:
    return file.read_text(errors="replace")[-2000:] if file.exists() else "nothing was said"
