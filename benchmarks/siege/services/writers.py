"""Who changes a service while it is killed? Writers of expressions, and publishers; each knows what it was told.

A writer whose request broke does not know whether it was done: it looks, and either is right. A publisher sends the
same again until it is told that the service has it; the service recognises it.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

from benchmarks.siege.services.ledger import Ledger, Published, tenant_of
from benchmarks.siege.services.line import BrokenError, Line, Scene

NUM_IDS = 30
REPEATED_SHARE = 0.05
"""Of publications that are sent once more although they were acknowledged."""


class Writer(threading.Thread):
    """Puts and deletes expressions of its own, one after another."""

    def __init__(self, number: int, seed: int, scene: Scene, ledger: Ledger, fail: Callable[[str], None]) -> None:
        super().__init__(name=f"writer {number}", daemon=True)
        self.known: dict[str, int] = {}
        """By id, the number of the last write; what is not here is not there."""
        self._number = number
        self._rng = random.Random(f"writer {seed} {number}")
        self._scene, self._ledger, self._fail = scene, ledger, fail
        self._line = Line(scene)
        self._count = 0

    def run(self) -> None:
        while not self._scene.is_over.is_set():
            id = f"w{self._number}-{self._rng.randrange(NUM_IDS)}"
            self._count += 1
            wanted = None if id in self.known and self._rng.random() < 0.2 else self._count
            try:
                self._change(id, wanted)
            except BrokenError:
                self._settle(id, wanted)
        self._line.close()

    def _change(self, id: str, wanted: int | None) -> None:
        if wanted is None:
            reply = self._line.ask("DELETE", f"/expressions/{id}")
        else:
            reply = self._line.ask(
                "PUT", f"/expressions/{id}", {"expression": f"k = {wanted % 6}", "metadata": {"n": wanted}}
            )
        if reply.status not in (200, 201):
            self._fail(f"writer {self._number}: {id} ← {wanted} was answered with {reply.status} {reply.body[:200]!r}")
            return
        self._ledger.acknowledged(reply.json["seq"])
        self._note(id, wanted)

    def _note(self, id: str, number: int | None) -> None:
        if number is None:
            self.known.pop(id, None)
        else:
            self.known[id] = number

    def _settle(self, id: str, wanted: int | None) -> None:
        """See what became of a change, and of one that was acknowledged."""
        while not self._scene.is_over.is_set():
            try:
                found = self.found(self._line, id)
                if found not in (wanted, self.known.get(id)):
                    self._fail(f"{id} is {found}; it was {self.known.get(id)}, and {wanted} was on its way")
                self._note(id, found)
                other = f"w{self._number}-{self._rng.randrange(NUM_IDS)}"
                there = self.found(self._line, other)
                if there != self.known.get(other):
                    self._fail(f"{other} is {there}, and {self.known.get(other)} was acknowledged")
                return
            except BrokenError:
                continue
        self.in_doubt = (id, wanted)

    in_doubt: tuple[str, int | None] | None = None
    """The change of which it is not known what became, at the end."""

    def found(self, line: Line, id: str) -> int | None:
        """The number of the write that the service has."""
        reply = line.ask("GET", f"/expressions/{id}")
        if reply.status == 404:
            return None
        return int(reply.json["metadata"]["n"])

    def judge(self, line: Line) -> None:
        """At the end: all that was acknowledged is there, and nothing else."""
        for each in range(NUM_IDS):
            id = f"w{self._number}-{each}"
            found = self.found(line, id)
            right = {self.known.get(id)}
            if self.in_doubt is not None and self.in_doubt[0] == id:
                right.add(self.in_doubt[1])
            if found not in right:
                self._fail(f"{id} is {found} at the end, and {self.known.get(id)} was acknowledged")


class Publisher(threading.Thread):
    """Publishes documents, one after another, each until it is acknowledged."""

    def __init__(self, number: int, seed: int, scene: Scene, ledger: Ledger, fail: Callable[[str], None]) -> None:
        super().__init__(name=f"publisher {number}", daemon=True)
        self._number = number
        self._rng = random.Random(f"publisher {seed} {number}")
        self._scene, self._ledger, self._fail = scene, ledger, fail
        self._line = Line(scene)
        self.num_recognised = 0

    def run(self) -> None:
        n = 0
        while not self._scene.is_over.is_set():
            document = {"k": self._rng.randrange(6), "publisher": self._number, "n": n}
            # What was begun is brought to its end, so that it is known what the service has.
            while not self._scene.is_finished.is_set():
                try:
                    if self._publish(n, document):
                        break
                except BrokenError:
                    continue
            if self._rng.random() < REPEATED_SHARE:
                self._again(n, document)
            n += 1
        self._line.close()

    def _sent(self, n: int, document: dict[str, int]) -> tuple[int, dict[str, int]]:
        headers = {"ce-specversion": "1.0", "ce-type": "t", "ce-source": f"/p{self._number}", "ce-id": str(n)}
        tenant = tenant_of(self._number)
        reply = self._line.ask("POST", f"/publish{'' if tenant is None else '?tenant=' + tenant}", document, headers)
        return reply.status, reply.json

    def _publish(self, n: int, document: dict[str, int]) -> bool:
        status, told = self._sent(n, document)
        if status != 200:
            self._fail(f"publisher {self._number}: {n} was answered with {status} {str(told)[:200]}")
            return True
        self.num_recognised += bool(told["duplicate"])
        self._ledger.publish((self._number, n), Published(told["seq"], document, tenant_of(self._number)))
        return True

    def _again(self, n: int, document: dict[str, int]) -> None:
        """What was acknowledged is recognised, also by a service that was started since."""
        try:
            _, told = self._sent(n, document)
        except BrokenError:
            return
        before = self._ledger.published.get((self._number, n))
        if before is not None and (told.get("seq"), told.get("duplicate")) != (before.seq, True):
            self._fail(f"publication {n} of {self._number} was {before.seq}, and came again as {told}")
