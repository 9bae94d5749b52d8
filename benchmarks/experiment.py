"""What is an experiment? Measurements that say what they need, what they measure and which bar they have to reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.results import Paper

if TYPE_CHECKING:
    from benchmarks.bench import Bench


@dataclass(frozen=True)
class IndexNeed:
    """An index that a measurement runs on."""

    workload: str
    engine: str
    num_expressions: int | None = None
    """Only the first so many expressions; None for all."""


@dataclass(frozen=True)
class Bar:
    """What a measured value has to reach at scale `full`."""

    limit: float
    at_least: bool = True

    def is_reached(self, value: float) -> bool:
        return value >= self.limit if self.at_least else value <= self.limit


@dataclass(frozen=True)
class Outcome:
    """What a measurement found: one figure, and the details that it comes from."""

    value: float
    details: Mapping[str, Any] = field(default_factory=dict)
    spread: tuple[float, float] | None = None
    """Between which values half of the rounds lie, or all where they are few."""


class RefusedError(Exception):
    """What was to be measured refuses the workload; the row is skipped, with the reason and what else was found."""

    def __init__(self, reason: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(reason)
        self.details = dict(details or {})


@dataclass(frozen=True)
class Measurement:
    """One row of an experiment's table."""

    name: str
    title: str
    unit: str
    run: Callable[[Bench], Outcome]
    bar: Bar | None = None
    paper: Paper | None = None
    """What the paper prints for it."""
    indexes: tuple[IndexNeed, ...] = ()
    """Built, and compared with the oracle, before `run`."""
    workloads: tuple[str, ...] = ()
    """Workloads that it takes beside those of its indexes."""
    engines: tuple[str, ...] = ()
    """Engines that it builds itself."""
    methods: tuple[str, ...] = ()
    """Methods that `eligo.Index` must have."""

    def all_engines(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.engines, *(need.engine for need in self.indexes))))

    def all_workloads(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.workloads, *(need.workload for need in self.indexes))))


@dataclass(frozen=True)
class Experiment:
    """A question, and the measurements that answer it, in the order in which they run."""

    name: str
    question: str
    measurements: tuple[Measurement, ...]


def missing_piece(measurement: Measurement) -> str | None:
    """Why the measurement cannot run on this Eligo, or None if it can."""
    import eligo
    from eligo.engines import registry

    for engine in measurement.all_engines():
        if engine not in (registry.AUTO, *registry.names()):
            return f"there is no engine {engine!r}"
    for method in measurement.methods:
        if not hasattr(eligo.Index, method):
            return f"an index has no {method!r}"
    return None
