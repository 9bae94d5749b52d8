"""How far is the build of an engine? It says so after each step, to whoever listens in the same thread.

with listening(tell):            tell(0.25) … tell(1.0)
    engine.build(table, vocabulary)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_listener: ContextVar[Callable[[float], None] | None] = ContextVar("listener", default=None)


@contextmanager
def listening(tell: Callable[[float], None]) -> Iterator[None]:
    """Let `tell` know what share of a build is done, while this lasts."""
    token = _listener.set(tell)
    try:
        yield
    finally:
        _listener.reset(token)


def step_done(share: float) -> None:
    """Say that a share of the build is done, from 0 to 1."""
    tell = _listener.get()
    if tell is not None:
        tell(share)
