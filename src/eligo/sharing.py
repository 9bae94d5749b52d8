"""How do threads, signal handlers and forked processes share what is kept? Without locks, so that none waits for ever.

A signal handler runs in the middle of whatever its thread does, and a forked process has the locks of threads that it
does not have. Whoever waited there would never go on. So what is kept between calls is taken and given back by single
steps of the interpreter, and what is computed at first use may be computed twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

MOST_KEPT = 32
"""Scratch that a pool keeps; more is made when more are at work at once, and let go again."""

T = TypeVar("T")


class once(Generic[T]):
    """A property that is computed at first use and kept; `functools.cached_property` has a lock in Python 3.11."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> Self | T:
        if instance is None:
            return self
        # The first value stays, so that all who ask share one.
        value: T = instance.__dict__.setdefault(self._name, self._compute(instance))
        return value


class ScratchPool(Generic[T]):
    """Scratch that nobody uses at the moment.

    Whoever takes scratch owns it: a signal handler that asks the same in the middle of a call takes other scratch, and
    does not write over what the call has found. What is not given back, for something was raised, is not used again.
    """

    def __init__(self) -> None:
        self._free: list[T] = []

    def take(self) -> T | None:
        """Scratch that was given back before; None when there is none."""
        try:
            return self._free.pop()
        except IndexError:
            return None

    def give(self, scratch: T) -> None:
        """Keep scratch for the next call."""
        if len(self._free) < MOST_KEPT:
            self._free.append(scratch)
