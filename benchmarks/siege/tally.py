"""What came of an attack? How often it was tried, what happened, and the first things that should not have happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

SHOWN = 5
"""So many failures are told in full; the rest are only counted."""


@dataclass
class Tally:
    """Counts of one attack."""

    num_tried: int = 0
    """In the unit of the attack: kills, files, texts, pairs."""
    counts: Counter[str] = field(default_factory=Counter)
    """What happened otherwise, by name."""
    num_failed: int = 0
    """Tries after which something was lost, wrong, stuck or not ours."""
    failures: list[str] = field(default_factory=list)

    def tried(self, number: int = 1) -> None:
        """So many more tries."""
        self.num_tried += number

    def fail(self, what: str, number: int = 1) -> None:
        """So many tries went wrong; `what` says how to see it again."""
        self.num_failed += number
        if len(self.failures) < SHOWN:
            self.failures.append(what)

    def add(self, other: Tally) -> None:
        """Take up what another process counted."""
        self.num_tried += other.num_tried
        self.counts += other.counts
        self.num_failed += other.num_failed
        self.failures = [*self.failures, *other.failures][:SHOWN]

    @property
    def num_survived(self) -> int:
        return self.num_tried - self.num_failed

    def to_json(self) -> Mapping[str, Any]:
        """For a result's details."""
        return {
            "tried": self.num_tried,
            "failed": self.num_failed,
            "failures": self.failures,
            **dict(sorted(self.counts.items())),
        }


Attack = Callable[..., Tally]


def in_processes(attack: Attack, calls: Iterable[Sequence[Any]], num_processes: int) -> Tally:
    """The sum of an attack over several calls, each in one of some new processes; one that dies is a failure."""
    total = Tally()
    given = list(calls)
    with ProcessPoolExecutor(num_processes, get_context("spawn")) as pool:
        running = [(arguments, pool.submit(attack, *arguments)) for arguments in given]
        for arguments, future in running:
            try:
                total.add(future.result())
            except Exception as error:  # what an attack did not foresee must not be lost
                total.tried()
                total.fail(f"{attack.__module__}{tuple(arguments)}: {type(error).__name__}: {error}")
    return total
