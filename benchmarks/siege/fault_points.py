"""How is something raised at every step of an operation? By a profiler that raises at the n-th boundary of a call.

SQLite fails every allocation in turn; here every call and every return of Eligo's functions, and of what they call in
C, fails in turn. What an operation leaves behind is for the test to judge.

    injector = Injector(at=7, raising=MemoryError)
    injector.run(lambda: index.insert(1, "a"))        # is broken off at its seventh boundary
    Interrupter(at=7, act=lambda: index.match({})).run(lambda: index.insert(1, "a"))    # as a signal handler would be
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import eligo

T = TypeVar("T")

SOURCE = str(Path(eligo.__file__).parent)
STATELESS = (f"{SOURCE}/kernels/", f"{SOURCE}/language/")
"""Code that is given values and returns values: nothing of an index can be half done in it."""
ASIDE = (*STATELESS, f"{SOURCE}/data/", f"{SOURCE}/engines/")
"""And the code that freezes expressions into a part, which no one knows before it is whole."""


class Broken(Exception):
    """What an application might raise from a signal handler."""


FAULTS: tuple[type[BaseException], ...] = (MemoryError, KeyboardInterrupt, Broken)


class Interrupter:
    """Counts the boundaries of calls in Eligo's code, but for some of it, and does something at one of them."""

    def __init__(self, at: int | None, act: Callable[[], object], apart: tuple[str, ...] = ()) -> None:
        self._at = at
        self._act = act
        self._apart = apart
        self.count = 0
        """The boundaries so far."""
        self.where = ""
        """The place at which it has acted."""

    def _meet(self, frame: FrameType, event: str, argument: Any) -> None:
        file = frame.f_code.co_filename
        if not file.startswith(SOURCE) or file.startswith(self._apart):
            return
        if _is_finaliser(frame):
            return  # what is raised there is only printed
        if event == "c_call" and getattr(argument, "__name__", "") == "__exit__":
            return  # no signal is looked for between the end of a block and the call that gives its lock back
        self.count += 1
        if self.count == self._at:
            sys.setprofile(None)
            what = getattr(argument, "__qualname__", "") if event.startswith("c_") else frame.f_code.co_qualname
            self.where = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {event} {what}"
            self._act()

    def run(self, operation: Callable[[], T]) -> T:
        """Do the operation, and return what it returns."""
        before = sys.getprofile()
        sys.setprofile(self._meet)
        try:
            return operation()
        finally:
            sys.setprofile(before)


class Injector:
    """Breaks an operation off at one of its boundaries."""

    def __init__(self, at: int | None, raising: type[BaseException] = MemoryError, apart: tuple[str, ...] = ()) -> None:
        self._raising = raising
        self._interrupter = Interrupter(at, self._raise, apart)

    def _raise(self) -> None:
        raise self._raising(f"injected at {self.where}")

    @property
    def where(self) -> str:
        """The place at which it has raised."""
        return self._interrupter.where

    def run(self, operation: Callable[[], object]) -> BaseException | None:
        """Do the operation; returns what came out of it if that was injected, and lets all else out."""
        try:
            self._interrupter.run(operation)
        except self._raising as error:
            if "injected at" not in str(error):
                raise
            return error
        return None


def boundaries(operation: Callable[[], object], apart: tuple[str, ...] = ()) -> int:
    """How many boundaries an operation has, but for those in some of the code."""
    interrupter = Interrupter(None, lambda: None, apart)
    interrupter.run(operation)
    return interrupter.count


def spread(end: int, points: int) -> range:
    """Some of the boundaries from 1 to `end`."""
    step = max(1, end // points)
    return range(1 + end % step, end + 1, step)


def _is_finaliser(frame: FrameType | None) -> bool:
    for _ in range(4):
        if frame is None or frame.f_code.co_name == "__del__":
            return frame is not None
        frame = frame.f_back
    return False
