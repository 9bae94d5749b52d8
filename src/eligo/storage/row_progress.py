"""How many rows is a stage of a build done with? Each task says so in a small file beside its work; the driver adds up.

    task 0 ─▶ INDEX/shards/.eligo-<run>d0000000.tmp   250000
    task 1 ─▶ INDEX/shards/.eligo-<run>d0000001.tmp   500000        750,000 rows

What Spark tells of tasks does not move while the only task of a small build runs, and is not told over Spark Connect.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from eligo.storage.file_entries import ShardEntry
from eligo.storage.work_files import WorkFiles

READ, CHECK, BUILD = 0xC0000000, 0xD0000000, 0xE0000000
"""Of a stage, the file of task n is the work file of this number and n."""
ROWS_BETWEEN = 50_000
"""A task that reads says so every so many rows."""


def tell_rows(work: WorkFiles, stage: int, task: int, num_rows: int) -> None:
    """Say how many rows a task is done with so far; nothing fails if that cannot be written."""
    with suppress(OSError):
        work.path(stage + task).write_text(str(num_rows), encoding="ascii")


class RowsDone:
    """Gives how many rows all tasks of a stage are done with, as often as it is asked."""

    def __init__(self, work: WorkFiles, stage: int) -> None:
        self._folder = Path(work.index) / ShardEntry.FOLDER
        self._prefix = work.path(stage).name.removesuffix("0000000.tmp")
        self._told: dict[str, int] = {}
        """The rows that each file told last."""

    def __call__(self) -> int:
        with suppress(OSError):
            for entry in os.scandir(self._folder):
                if entry.name.startswith(self._prefix):
                    with suppress(ValueError):  # it is being written
                        self._told[entry.name] = int(Path(entry.path).read_text(encoding="ascii"))
        return sum(self._told.values())
