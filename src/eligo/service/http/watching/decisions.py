"""What did `/match` and `/top` answer, and by what? A line an event: version, seq, matches, and what of it mattered.

{"time": "…", "request_id": "5f0c-2a", "version": 7, "seq": 42, "tenant": null, "event": {"age": 30}, "matches": ["a"]}

Attributes that no expression names are left out: they decided nothing, and may be nobody's business. Lines are written
by a thread of their own; when it cannot keep up, some are dropped, and how many is counted and written down.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from eligo.data.events.event_json import parsed_event
from eligo.data.schema.guards import GUARDS
from eligo.errors import EligoError
from eligo.language.limits import DEFAULT_LIMITS
from eligo.service.records import ExpressionId
from eligo.service.service import Service

logger = logging.getLogger("eligo.service")

MOST_WAITING = 10_000
LAST_WRITE = 5.0
"""Seconds for what waits to be written when the service stops."""
NAMES_FOR = 1.0
"""Seconds for which the names of attributes are taken as they were."""


class Decision(NamedTuple):
    """An event that was answered."""

    request_id: str
    version: int
    seq: int
    tenant: str | None
    event: bytes | Mapping[str, Any]
    matches: list[ExpressionId]
    time: datetime


class Decisions:
    """Writes down what was answered."""

    def __init__(self, path: Path, service: Service) -> None:
        self._service = service
        # For its owner alone: events stand in it.
        self._file = open(path, "ab", opener=lambda name, flags: os.open(name, flags, 0o600))  # noqa: SIM115
        self._waiting: queue.Queue[Decision | None] = queue.Queue(MOST_WAITING)
        self.num_dropped = 0
        self._names: frozenset[str] = frozenset()
        self._names_at = -NAMES_FOR
        self._thread = threading.Thread(target=self._write, name="eligo-decisions", daemon=True)
        self._thread.start()

    def note(
        self,
        request_id: str,
        seq: int,
        tenant: str | None,
        event: bytes | Mapping[str, Any],
        matches: list[ExpressionId],
    ) -> None:
        """Have an answer written down."""
        try:
            decision = Decision(request_id, self._service.version, seq, tenant, event, matches, datetime.now(UTC))
            self._waiting.put_nowait(decision)
        except queue.Full:
            self.num_dropped += 1

    def _write(self) -> None:
        num_told = 0
        while (decision := self._waiting.get()) is not None:
            try:
                lines = [self._line(decision)]
                if self.num_dropped > num_told:
                    lines.append(msgspec.json.encode({"time": decision.time, "dropped": self.num_dropped - num_told}))
                    num_told = self.num_dropped
                self._file.write(b"\n".join([*lines, b""]))
                if self._waiting.empty():
                    self._file.flush()
            except Exception as error:  # one that cannot be written is no reason to write none any more
                logger.error("a decision cannot be written down: %s", error)

    def _line(self, decision: Decision) -> bytes:
        fields = {
            "time": decision.time,
            "request_id": decision.request_id,
            "version": decision.version,
            "seq": decision.seq,
            "tenant": decision.tenant,
            "event": self._event(decision.event),
            "matches": decision.matches,
        }
        return msgspec.json.encode(fields, enc_hook=str)

    def _event(self, given: bytes | Mapping[str, Any]) -> dict[str, Any]:
        try:
            event = parsed_event(given, DEFAULT_LIMITS) if isinstance(given, bytes) else given
        except EligoError:
            return {}
        return named_only(event, self._named())

    def _named(self) -> frozenset[str]:
        now = time.monotonic()
        if now - self._names_at > NAMES_FOR:
            self._names = frozenset(self._service.expressions.index.attribute_names) - set(GUARDS)
            self._names_at = now
        return self._names

    def close(self) -> None:
        """Write what waits, then no more; a disk that hangs is not waited for."""
        ends = time.monotonic() + LAST_WRITE
        while self._thread.is_alive() and time.monotonic() < ends:
            with suppress(queue.Full):
                self._waiting.put(None, timeout=0.1)
                break
        self._thread.join(max(ends - time.monotonic(), 0.0))
        if self._thread.is_alive():
            logger.warning("some decisions were not written down: that took longer than %g s", LAST_WRITE)
            return
        with suppress(OSError):
            self._file.close()


def named_only(event: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """What an event says of some attributes; those inside of objects by their dotted names."""
    found: dict[str, Any] = {}
    pending = [("", event)]
    while pending:
        prefix, given = pending.pop()
        for name, value in given.items():
            if isinstance(value, Mapping):
                pending.append((f"{prefix}{name}.", value))
            elif prefix + name in names:
                found[prefix + name] = value
    return found
