"""Which stage is a job in, how far is it, and how long did each one take?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum


class StageName(StrEnum):
    """What jobs over tables do, one after the other."""

    READ = "read"
    CHECK = "check"
    VOCABULARY = "vocabulary"
    BUILD = "build"
    PUBLISH = "publish"
    MATCH = "match"
    TOP = "top"
    COUNT = "count"
    DIFF = "diff"
    REJECTS = "rejects"


@dataclass(frozen=True)
class Stage:
    """A stage that begins."""

    name: StageName
    num_rows: int | None = None
    """How many rows its tasks have together, where that is known."""
    rows_done: Callable[[], int] | None = None
    """Gives how many of them are done, where they are counted."""

    def __str__(self) -> str:
        return str(self.name)


OnStage = Callable[[Stage], None]
"""Told each stage when it begins."""


def silent(stage: Stage) -> None:
    """Report nothing."""


@dataclass
class Clock:
    """Seconds by stage."""

    on_stage: OnStage
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(
        self, name: StageName, num_rows: int | None = None, rows_done: Callable[[], int] | None = None
    ) -> Iterator[None]:
        """Tells that a stage begins, and counts its time."""
        self.on_stage(Stage(name, num_rows, rows_done))
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
