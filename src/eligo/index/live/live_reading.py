"""How does a reader know that nobody changes what it reads? It says so on the tail, and then looks once more.

Writers change a copy of a tail that no one has said to read, and that is not of the last state. A reader that has said
so while the state was still the last one is therefore safe, for as long as it likes. Nobody waits for anybody.
"""

from __future__ import annotations

import threading
from typing import Protocol

from eligo.index.live.live_state import State
from eligo.index.live.live_tail import Tail


class HasState(Protocol):
    """Whatever has states."""

    @property
    def state(self) -> State:
        """The last one."""


class Reading:
    """Reads the last state; its tail is not changed until it ends. Nobody waits for anybody."""

    _tail: Tail | None = None
    """What is read; none before it has begun, not even when that was broken off."""

    def __init__(self, live: HasState) -> None:
        self._live = live

    def __enter__(self) -> State:
        while True:
            state = self._live.state
            self._tail = state.tail
            if state.tail is None:
                return state
            state.tail.readers[id(self)] = threading.get_ident()
            # While it is still the last, no writer takes its tail for a spare, and then they see who reads.
            if self._live.state is state:
                return state
            self._leave()

    def __exit__(self, *_: object) -> None:
        self._leave()

    def __del__(self) -> None:
        self._leave()  # when something was raised before it had begun

    def _leave(self) -> None:
        if self._tail is not None:
            self._tail.readers.pop(id(self), None)
        self._tail = None
