"""Who brings a log to the disk when no one waits for it? A thread, at least once in an interval while records come."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from eligo.errors import StorageError

logger = logging.getLogger("eligo")


class Flusher:
    """Calls a function so many seconds after something became due, once for all that became due meanwhile."""

    def __init__(self, flush: Callable[[], None], seconds: float) -> None:
        self._flush = flush
        self._seconds = seconds
        self._is_due = threading.Event()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="eligo-log-flusher", daemon=True)
        self._thread.start()

    def due(self) -> None:
        """Something waits to be flushed."""
        self._is_due.set()

    def stop(self) -> None:
        """End the thread; what is due is flushed by whoever stops it."""
        self._is_over.set()
        self._is_due.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._is_due.wait()
            # Before the wait: cleared behind it, what `stop` sets would be missed, and the thread would wait for ever.
            self._is_due.clear()
            if self._is_over.wait(self._seconds):
                return
            try:
                self._flush()
            except StorageError as error:
                logger.error("a log could not be brought to the disk: %s", error.message)
                return
