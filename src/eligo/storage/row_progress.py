"""How many rows is a stage of a build done with? Each task says so in a small file beside its work; the driver adds up.

    task 0 ─▶ INDEX/shards/.eligo-<run>d0000000.tmp   250000
    task 1 ─▶ INDEX/shards/.eligo-<run>d0000001.tmp   500000        750,000 rows

What Spark tells of tasks does not move while the only task of a small build runs, and is not told over Spark Connect.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from eligo.storage.work_files import WorkFile, WorkFiles, WorkKind

ROWS_BETWEEN = 50_000
"""A task that reads says so every so many rows."""


def tell_rows(work: WorkFiles, file: WorkFile, num_rows: int) -> None:
    """Say in a task's file how many rows it is done with so far; nothing fails if that cannot be written."""
    path = work.path(file)
    if isinstance(path, Path):  # in a store each of these would be a request
        with suppress(OSError):
            path.write_text(str(num_rows), encoding="ascii")


class RowsDone:
    """Gives how many rows all tasks of a stage are done with, as often as it is asked."""

    def __init__(self, work: WorkFiles, kind: WorkKind) -> None:
        self._work, self._kind = work, kind
        self._told: dict[Path, int] = {}
        """The rows that each file told last."""

    def __call__(self) -> int:
        for path in self._work.paths(self._kind):
            if not isinstance(path, Path):
                continue
            with suppress(OSError, ValueError):  # it is gone, or being written
                self._told[path] = int(path.read_text(encoding="ascii"))
        return sum(self._told.values())
