"""How far is a step, how fast is it, and how long will it still take? From what is done after so many seconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from eligo.cli.shared.console import counted, rate

Tasks = Callable[[], tuple[int, int]]
"""Gives how many parts of the running step are done, and how many there are (0 when that is not known)."""


class Status(NamedTuple):
    """A moment of a step."""

    done: int
    total: int | None
    """None when it is not known."""
    text: str
    """For people: `250,000 of 500,000 rows, 50,000 rows/s, 5 s left`."""


@dataclass
class Gauge:
    """What can be asked about a step: rows if they are counted, else tasks.

    What is done may move in large strides. So rate and time left are those of the last stride, not of the moment: the
    time left goes down between two strides instead of up.
    """

    tasks: Tasks | None = None
    num_rows: int | None = None
    """How many rows the tasks have together."""
    rows_done: Callable[[], int] | None = None
    _done: int = 0
    _moved: float = 0.0
    """After how many seconds it was so much."""

    def status(self, seconds: float) -> Status:
        """How far the step is after so many seconds."""
        rows = self.rows_done() if self.rows_done is not None else 0
        if rows or (self.rows_done is not None and self.num_rows):
            return self._of_rows(rows, seconds)
        done, total = self.tasks() if self.tasks is not None else (0, 0)
        if not total:
            return Status(0, None, "")
        self._move(done, seconds)
        rate = self._rate(self.num_rows * done / total) if self.num_rows else ""
        told = f"{done:,} of {counted(total, 'task')}", rate, self._left(done / total, seconds)
        return Status(done, total, _joined(*told))

    def _of_rows(self, rows: int, seconds: float) -> Status:
        if self.num_rows:
            rows = min(rows, self.num_rows)  # an attempt that was repeated may have told of more
        self._move(rows, seconds)
        if not self.num_rows:
            return Status(rows, None, _joined(counted(rows, "row"), self._rate(rows)))
        done = f"{rows:,} of {counted(self.num_rows, 'row')}"
        left = self._left(rows / self.num_rows, seconds)
        return Status(rows, self.num_rows, _joined(done, self._rate(rows), left))

    def _move(self, done: int, seconds: float) -> None:
        if done != self._done:
            self._done, self._moved = done, seconds

    def _rate(self, rows: float) -> str:
        return f"{rate(rows, self._moved)} rows/s" if rows else ""

    def _left(self, share: float, seconds: float) -> str:
        """The time left if the rest goes as fast as what is done; nothing while nothing is done."""
        if not share:
            return ""
        left = round(self._moved / share - seconds)
        if left < 60:
            return f"{left} s left" if left > 0 else ""
        return f"{left // 60} min left" if left < 3600 else f"{left // 3600} h {left // 60 % 60} min left"


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)
