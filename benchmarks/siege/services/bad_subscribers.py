"""Whom does a subscriber that does not answer hold up? Nobody: beside it, others get everything, and it is told.

mute      pulls and never acknowledges: after so many deliveries its messages are dead letters, which can be resent
slow      may have few waiting: the oldest are dropped, counted, and it is told how many
stuck     a webhook that does not answer
closed    a webhook to which no one listens
quick     gets everything, in order, meanwhile
"""

from __future__ import annotations

import os
import random
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.siege.services.kill_services import free_port
from benchmarks.siege.services.line import BrokenError, Line, Scene
from benchmarks.siege.services.nursery import Nursery
from benchmarks.siege.tally import Tally

PATIENCE = 60.0
MAX_PENDING = 10


def bad_subscribers(seed: int, number: int) -> Tally:
    """So many services with such subscribers, one after another."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as directory, Nursery(Path(directory) / "errors") as nursery:
        for place in range(number):
            tally.tried()
            problems: list[str] = []
            with served(nursery, Path(directory) / str(place)) as line, silent() as stuck:
                _run(line, stuck, random.Random(f"subscribers {seed} {place}"), problems, tally)
            if problems:
                tally.fail(f"seed {seed}, {place}: {problems[0]}")
    return tally


@contextmanager
def served(nursery: Nursery, directory: Path) -> Iterator[Line]:
    """A line to a new service."""
    scene = Scene(free_port())
    scene.is_up.set()
    process = nursery.start(directory, scene.port)
    line = Line(scene)
    ends = time.monotonic() + PATIENCE
    while True:
        try:
            line.ask("GET", "/readyz")
            break
        except BrokenError:
            if time.monotonic() > ends:
                raise RuntimeError("the service does not come up") from None
            time.sleep(0.01)
    try:
        yield line
    finally:
        line.close()
        os.kill(process, signal.SIGKILL)
        nursery.reap(process)


@contextmanager
def silent() -> Iterator[str]:
    """The address of one who takes connections and says nothing."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(50)
        held: list[socket.socket] = []

        def hold() -> None:
            try:
                while True:
                    held.append(listening.accept()[0])
            except OSError:
                return

        threading.Thread(target=hold, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        listening.shutdown(socket.SHUT_RDWR)
        for each in held:
            each.close()


def _run(line: Line, stuck: str, rng: random.Random, problems: list[str], tally: Tally) -> None:
    pull: dict[str, Any] = {"kind": "pull"}
    mute = {"kind": "pull", "ack_wait": 0.1, "max_deliveries": 3, "backoff": 0.01}
    hook = {"kind": "webhook", "timeout": 0.3, "backoff": 0.02, "max_deliveries": 3}
    wanted: dict[str, dict[str, Any]] = {
        "quick": {"delivery": pull},
        "mute": {"delivery": mute},
        "slow": {"delivery": pull, "max_pending": MAX_PENDING},
        "stuck": {"delivery": {**hook, "url": stuck}},
        "closed": {"delivery": {**hook, "url": f"http://127.0.0.1:{free_port()}/"}},
    }
    for name, definition in wanted.items():
        reply = line.ask("PUT", f"/subscriptions/{name}", {"expression": "k exists", **definition})
        if reply.status not in (200, 201):
            raise RuntimeError(f"cannot subscribe {name}: {reply.body!r}")
    count = rng.randrange(15, 30)
    seqs = [line.ask("POST", "/publish", {"k": each}).json["seq"] for each in range(count)]
    if _quick(line, count) != seqs:
        problems.append("the quick one did not get everything in order")
    told = line.ask("POST", "/subscriptions/slow/pull", {"max": 1000}).json
    found = [message["seq"] for message in told["messages"]]
    if found != seqs[-MAX_PENDING:] or told["dropped"] != count - MAX_PENDING:
        problems.append(f"the slow one got {found} and was told of {told['dropped']}")
    tally.counts["messages dropped, and told"] += told["dropped"]
    ends = time.monotonic() + PATIENCE
    dead: dict[str, list[int]] = {}
    while time.monotonic() < ends and any(len(dead.get(name, [])) < count for name in ("mute", "closed")):
        line.ask("POST", "/subscriptions/mute/pull", {"max": 1000, "wait": 0.05})
        for name in ("mute", "closed"):
            letters = line.ask("GET", f"/subscriptions/{name}/dead?limit=1000").json["messages"]
            dead[name] = [letter["seq"] for letter in letters]
    for name, letters in dead.items():
        if sorted(letters) != seqs:
            problems.append(f"{len(letters)} of {count} messages to {name} are dead letters")
    tally.counts["dead letters"] += sum(map(len, dead.values()))
    line.ask("POST", "/subscriptions/mute/dead/resend", {"seqs": seqs})
    again = line.ask("POST", "/subscriptions/mute/pull", {"max": 1000, "wait": 5}).json["messages"]
    if [message["seq"] for message in again] != seqs:
        problems.append(f"{len(again)} of {count} dead letters were resent")


def _quick(line: Line, count: int) -> list[int]:
    """What one gets who takes everything at once."""
    found: list[int] = []
    ends = time.monotonic() + PATIENCE
    while len(found) < count and time.monotonic() < ends:
        messages = line.ask("POST", "/subscriptions/quick/pull", {"max": 1000, "wait": 1}).json["messages"]
        found += [message["seq"] for message in messages]
        line.ask("POST", "/subscriptions/quick/ack", {"seqs": [message["seq"] for message in messages]})
    return found
