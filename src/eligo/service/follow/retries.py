"""How long does a follower wait before it asks again? Longer after each failure, never longer than half a minute."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from eligo.service.delivery.backoff import jittered, pause
from eligo.service.follow.following import Following

logger = logging.getLogger("eligo.service")

FIRST_PAUSE = 0.2
LONGEST_PAUSE = 30.0


class Repeated:
    """A step that a thread takes again and again, with a pause after those that fail."""

    def __init__(self, step: Callable[[], None], following: Following, *, every: float) -> None:
        self._step = step
        self._following = following
        self._every = every
        """Seconds between two that went well."""
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="eligo-follower", daemon=True)

    @property
    def is_over(self) -> bool:
        return self._is_over.is_set()

    def begin(self) -> None:
        """Start."""
        self._thread.start()

    def close(self) -> None:
        """Take no more steps, and wait for the one that is being taken."""
        self._is_over.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        num_failed = 0
        while not self._is_over.is_set():
            try:
                self._step()
            except Exception as error:  # whatever it is: the state of before is answered from, and said to be old
                if num_failed == 0:
                    logger.warning("%s cannot be followed for now: %s", self._following.source, error)
                num_failed += 1
                self._following.failed(error)
                self._is_over.wait(jittered(min(LONGEST_PAUSE, pause(FIRST_PAUSE, num_failed))))
                continue
            if num_failed:
                logger.info("%s is followed again", self._following.source)
            num_failed = 0
            self._is_over.wait(self._every)
