"""How far behind its source is a follower? By so many records or versions, as of when it last heard of it."""

from __future__ import annotations

import threading
import time

from eligo.errors import EligoError


class Following:
    """What a follower knows of its source; written by one thread, read by any."""

    def __init__(self, source: str, *, by_version: bool = False) -> None:
        self.source = source
        """Its address, without anything secret."""
        self._by_version = by_version
        self._lock = threading.Lock()
        self._newest = 0
        self._heard = time.monotonic()
        self._error: str | None = None
        self._has_caught_up = False
        self.num_checkpoints = 0
        """How often all of it was taken up anew."""

    def heard(self, newest: int, own: int) -> None:
        """The source has answered: this is the last record, or version, that it has, and that we have."""
        with self._lock:
            self._newest, self._heard, self._error = newest, time.monotonic(), None
            self._has_caught_up = self._has_caught_up or own >= newest

    def failed(self, error: Exception) -> None:
        """The source could not be asked, or what it said could not be used."""
        said = error.message if isinstance(error, EligoError) else f"{type(error).__name__}: {error}"
        with self._lock:
            self._error = said

    def to_json(self, seq: int, version: int) -> dict[str, object]:
        """For `/status`."""
        with self._lock:
            own = version if self._by_version else seq
            return {
                "source": self.source,
                "versions_behind" if self._by_version else "records_behind": max(0, self._newest - own),
                "seconds_since_heard": round(time.monotonic() - self._heard, 3),
                "has_caught_up": self._has_caught_up,
                "checkpoints_taken_up": self.num_checkpoints,
                "error": self._error,
            }
