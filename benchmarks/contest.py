"""Who is quicker, and how does it change? Engines that take turns on the same events, at several points of a curve.

An experiment declares points and contenders, and which figures it reads from them: matching, construction, memory.
`holding` says how they are measured. Every contender says which way through its engine is meant; one that refuses the
expressions by a bound stands there as refused, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np

from benchmarks.bench import Bench
from benchmarks.experiment import Bar, Measurement, Outcome, RefusedError
from benchmarks.holding import hold
from benchmarks.results import Paper
from benchmarks.tables import Spread
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.language.evaluate import Missing

Reading = Literal["matching", "construction", "memory"]

READINGS: Mapping[Reading, tuple[str, str, str | None]] = {
    "matching": ("ms_per_event", "ms an event", "ms_quartiles"),
    "construction": ("build_s", "s", "build_s_range"),
    "memory": ("megabytes", "MB", None),
}
"""For each: where a held point has it, its unit, and where its spread is."""


@dataclass(frozen=True)
class Contender:
    """An engine, and the way through it."""

    label: str
    engine: str
    way: str = "match"
    """A method of the engine."""
    options: Mapping[str, Any] = field(default_factory=dict)
    num_events: int = 32
    """Events a round at scale `full`."""
    only_up_to: int | None = None
    """Expressions beyond which it is not built, because that would take too long or too much."""
    form: Callable[[ExpressionTable], ExpressionTable] | None = None
    """What becomes of the table before the engine is built from it; the same expressions in another form."""

    @property
    def key(self) -> str:
        """The engine with its options, which several contenders may share."""
        return f"{self.engine} {dict(self.options)}" + (f" {self.form.__name__}" if self.form else "")

    @property
    def is_batch(self) -> bool:
        """Whether all events are one call."""
        return self.way == "match_batch"

    @property
    def is_ranking(self) -> bool:
        return self.way.startswith("top")


@dataclass(frozen=True)
class Point:
    """A place on the curve."""

    at: float
    workload: str
    share: float = 1.0
    """Only this share of the workload's expressions, from the first on."""
    missing: Missing = "unknown"


@dataclass(frozen=True)
class Contest:
    """Contenders, and the points at which they meet."""

    unit: str
    """What `Point.at` counts."""
    contenders: tuple[Contender, ...]
    points: tuple[Point, ...]

    one_at_a_time: bool = False
    """One engine is held after the other, because they have no room together; then rounds are no turns."""
    most_seconds: float | None = None
    """A contender whose rounds would take longer is asked fewer events."""

    def rows(self, of: Reading = "matching") -> tuple[Measurement, ...]:
        """A row for each point: the figure of the first contender, and all figures of all in the details."""
        return tuple(self.row(self.contenders[0].label, point.at, of) for point in self.points)

    def row(
        self,
        label: str,
        at: float,
        of: Reading = "matching",
        *,
        bar: Bar | None = None,
        paper: Paper | None = None,
    ) -> Measurement:
        """One figure of one contender at a point."""
        point = self._point(at)
        is_first = label == self.contenders[0].label and of == "matching"
        return Measurement(
            f"{_word(self.unit)}_{at:g}" + ("" if is_first else f"_{of}_{_word(label)}"),
            f"{self.unit} {at:g}: {label}" + ("" if of == "matching" else f", {of}"),
            READINGS[of][1],
            partial(self._figure, label=label, point=point, of=of, with_details=label == self.contenders[0].label),
            bar,
            paper,
            workloads=(point.workload,),
            engines=tuple(dict.fromkeys(contender.engine for contender in self.contenders)),
        )

    def ratio(
        self,
        slower: str,
        quicker: str,
        at: float,
        of: Reading = "matching",
        *,
        bar: float | None = None,
        paper: Paper | None = None,
    ) -> Measurement:
        """How many times longer, or larger, one contender is than another at a point."""
        point = self._point(at)

        def run(bench: Bench) -> Outcome:
            found = self.held(bench, point)
            value = _figure_of(found, slower, of) / _figure_of(found, quicker, of)
            return Outcome(value, spread=_spread_of_ratio(found, slower, quicker, value) if of == "matching" else None)

        return Measurement(
            f"{_word(slower)}_over_{_word(quicker)}_at_{at:g}" + ("" if of == "matching" else f"_{of}"),
            f"{self.unit} {at:g}: {slower} / {quicker}" + ("" if of == "matching" else f", {of}"),
            "times",
            run,
            Bar(bar) if bar is not None else None,
            paper,
            workloads=(point.workload,),
            engines=tuple(item.engine for item in self.contenders if item.label in (slower, quicker)),
        )

    def growth(self, label: str, of: Reading = "matching", *, paper: Paper | None = None) -> Measurement:
        """How many times longer a contender takes at the last point than at the first."""
        first, last = self.points[0], self.points[-1]

        def run(bench: Bench) -> Outcome:
            before, after = self.held(bench, first), self.held(bench, last)
            value = _figure_of(after, label, of) / _figure_of(before, label, of)
            earlier, later = _spread_of(before, label, of), _spread_of(after, label, of)
            spread = (later[0] / earlier[1], later[1] / earlier[0]) if earlier and later else None
            return Outcome(value, spread=spread)

        return Measurement(
            f"growth_of_{_word(label)}" + ("" if of == "matching" else f"_{of}"),
            f"{self.unit} {first.at:g} to {last.at:g}: growth of {label}" + ("" if of == "matching" else f", {of}"),
            "times",
            run,
            paper=paper,
            workloads=(first.workload, last.workload),
            engines=tuple(item.engine for item in self.contenders if item.label == label),
        )

    def _point(self, at: float) -> Point:
        return next(point for point in self.points if point.at == at)

    def _figure(self, bench: Bench, label: str, point: Point, of: Reading, with_details: bool) -> Outcome:
        found = self.held(bench, point)
        details = {"at": point.at, "unit": self.unit, **found} if with_details else {}
        return Outcome(_figure_of(found, label, of, details), details, _spread_of(found, label, of))

    def held(self, bench: Bench, point: Point) -> dict[str, Any]:
        """What came of a point; whatever it is called, the contest is held once in a run."""
        about_point = (point.workload, point.share, point.missing)
        key = repr((self.contenders, about_point, self.one_at_a_time, self.most_seconds))
        if key not in bench.contests:
            bench.contests[key] = hold(
                bench, point, self.contenders, one_at_a_time=self.one_at_a_time, most_seconds=self.most_seconds
            )
        found: dict[str, Any] = bench.contests[key]
        return found


def _figure_of(found: Mapping[str, Any], label: str, of: Reading, details: Mapping[str, Any] | None = None) -> float:
    if label in found["refused"]:
        raise RefusedError(f"{label} refuses: {found['refused'][label]}", details)
    value: float = found[READINGS[of][0]][label]
    return value


def _spread_of(found: Mapping[str, Any], label: str, of: Reading) -> Spread | None:
    """From the lower to the upper quartile of an event's rounds, or of the quickest and the slowest build."""
    place = READINGS[of][2]
    if place is None:
        return None
    low, high = found[place][label]
    return (low, high) if low < high else None


def _spread_of_ratio(found: Mapping[str, Any], slower: str, quicker: str, value: float) -> Spread:
    """The quartiles of the ratios of rounds, in which both had a turn; the value itself is within."""
    one, other = found["ms_of_rounds"][slower], found["ms_of_rounds"][quicker]
    low, high = np.quantile(np.array(one) / np.array(other), (0.25, 0.75)).tolist()
    return min(low, value), max(high, value)


def _word(label: str) -> str:
    return "_".join("".join(letter if letter.isalnum() else " " for letter in label).split())
