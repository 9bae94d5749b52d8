"""How is something raised at every step of an operation? By a profiler that raises at the n-th boundary of a call.

SQLite fails every allocation in turn; here every call and every return of Eligo's functions, and of what they call in
C, fails in turn. What an operation leaves behind is for the test to judge.

    for fault in every_fault(lambda: index.insert(1, "a"), raising=MemoryError):
        check(index)                       # after the operation broke off at its first boundary, its second, …
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import eligo

SOURCE = str(Path(eligo.__file__).parent)


class Broken(Exception):
    """What an application might raise from a signal handler."""


FAULTS: tuple[type[BaseException], ...] = (MemoryError, KeyboardInterrupt, Broken)


class Injector:
    """Counts the boundaries of calls in the code of a package, and raises at one of them."""

    def __init__(self, at: int | None, raising: type[BaseException] = MemoryError, source: str = SOURCE) -> None:
        self._at = at
        self._raising = raising
        self._source = source
        self.count = 0
        """The boundaries so far."""
        self.where = ""
        """The place at which it has raised."""

    def _meet(self, frame: FrameType, event: str, argument: Any) -> None:
        if not frame.f_code.co_filename.startswith(self._source):
            return
        if _is_finaliser(frame):
            return  # what is raised there is only printed
        self.count += 1
        if self.count == self._at:
            sys.setprofile(None)
            what = getattr(argument, "__qualname__", "") if event.startswith("c_") else frame.f_code.co_qualname
            self.where = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {event} {what}"
            raise self._raising(f"injected at {self.where}")

    def run(self, operation: Callable[[], object]) -> BaseException | None:
        """Do the operation; returns what came out of it if that was injected, and lets all else out."""
        before = sys.getprofile()
        sys.setprofile(self._meet)
        try:
            operation()
        except self._raising as error:
            if "injected at" not in str(error):
                raise
            return error
        finally:
            sys.setprofile(before)
        return None


def boundaries(operation: Callable[[], object]) -> int:
    """How many boundaries an operation has."""
    injector = Injector(None)
    injector.run(operation)
    return injector.count


def _is_finaliser(frame: FrameType | None) -> bool:
    for _ in range(4):
        if frame is None or frame.f_code.co_name == "__del__":
            return frame is not None
        frame = frame.f_back
    return False
