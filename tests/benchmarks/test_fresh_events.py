"""Is no event timed that an engine was asked before, and has every experiment as many events as it needs?"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import pyarrow as pa
import pytest

from benchmarks import correctness, runner, timing
from benchmarks.bench import Bench
from benchmarks.contest import Contender, Contest, Point
from benchmarks.experiment import Experiment, IndexNeed
from benchmarks.experiments import catalogue as experiments
from benchmarks.experiments import default_engine, fontoura_steps
from benchmarks.fresh_events import FreshEvents
from benchmarks.holding import NUM_SAMPLE, events_needed
from benchmarks.timing import interleave_fresh
from benchmarks.workloads import catalogue
from eligo.engines import registry
from eligo.engines.scan.engine import Scan

SCAN = "eligo.engines.scan.engine:Scan"


class Asked:
    """Events that engines were asked while something was timed, and those of them that they had been asked before."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.timed: Counter[int] = Counter()
        self.repeated: Counter[int] = Counter()
        self._known: set[tuple[int, bytes, bytes]] = set()
        self._engines: list[Scan] = []
        self._is_timed = False
        match_part, seconds = Scan.match_part, timing.seconds

        def noted(engine: Scan, events: Any) -> Any:
            self.note(engine, events)
            return match_part(engine, events)

        def timed(action: Any) -> float:
            self._is_timed = True
            try:
                return seconds(action)
            finally:
                self._is_timed = False

        patch.setattr(Scan, "match_part", noted)
        patch.setattr(timing, "seconds", timed)

    def note(self, engine: Scan, events: Any) -> None:
        self._engines.append(engine)  # so that none gets the number of another that is gone
        for row in range(events.num_events):
            keys = slice(int(events.key_offsets[row]), int(events.key_offsets[row + 1]))
            cells = slice(int(events.cell_offsets[row]), int(events.cell_offsets[row + 1]))
            event = (id(engine), events.keys[keys].tobytes(), events.cells[cells].tobytes())
            if self._is_timed:
                self.timed[id(engine)] += 1
                self.repeated[id(engine)] += event in self._known
            self._known.add(event)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    monkeypatch.setattr(catalogue, "SMALL", 400)
    monkeypatch.setattr(catalogue, "NUM_EVENTS", 300)
    monkeypatch.setattr(catalogue, "SMALL_EVENTS", 1_100)
    monkeypatch.setattr(correctness, "NUM_EVENTS", 5)
    return Asked(monkeypatch)


def test_events_are_handed_out_once() -> None:
    events = FreshEvents(pa.table({"a": range(10)}))
    assert events.take(3)["a"].to_pylist() == [0, 1, 2]
    assert events.take(6)["a"].to_pylist() == [3, 4, 5, 6, 7, 8]
    with pytest.raises(ValueError, match="2 more events are asked for, and only 1 of 10 were not handed out yet"):
        events.take(2)
    assert events.take(1)["a"].to_pylist() == [9]


def test_a_bench_hands_out_no_event_that_is_compared_with_the_oracle(asked: Asked) -> None:
    bench = Bench("small", 1)
    rows = bench.workload("conjunctions").events
    assert bench.fresh("conjunctions", rows.num_rows - 5).equals(rows.slice(0, rows.num_rows - 5))
    assert correctness.compared(rows).equals(rows.slice(rows.num_rows - 5))
    with pytest.raises(ValueError, match="num_events"):
        bench.events(IndexNeed("conjunctions", "scan"), 1)


def test_rounds_are_made_before_they_are_timed_and_never_twice() -> None:
    numbers = iter(range(100))
    called: list[int] = []
    samples = interleave_fresh(lambda: {name: partial(called.append, next(numbers)) for name in "ab"}, 3)
    assert called == list(range(8))
    assert all(len(times.rounds) == 3 for times in samples.values())


@pytest.mark.parametrize("name", ["single_against_scan", "latency", "latency_targeting", "block_conjunctions"])
def test_the_default_engine_is_asked_fresh_events(name: str, asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._ENGINES, default_engine.ENGINE, SCAN)
    result = runner.run(experiments.get("default_engine"), "small", only=[name], say=lambda line: None)
    assert result.rows[0].value
    assert min(asked.timed.values()) >= (1 + default_engine.NUM_ROUNDS) * 2
    assert sum(asked.repeated.values()) == 0


@pytest.mark.parametrize("one_at_a_time", [False, True])
def test_ways_through_one_engine_have_events_of_their_own(one_at_a_time: bool, asked: Asked) -> None:
    contenders = (Contender("one", "scan"), Contender("block", "scan", "match_batch"), Contender("other", "bop"))
    contest = Contest("n", contenders, (Point(1, "conjunctions"),), one_at_a_time=one_at_a_time, most_seconds=10)
    assert contest.held(Bench("small", 1), contest.points[0])["num_events"] == {"one": 8, "block": 8, "other": 8}
    assert list(asked.timed.values()) == [2 * 3 * 8]
    assert sum(asked.repeated.values()) == 0


def contests(experiment: Experiment) -> list[Contest]:
    """Those that the rows of an experiment are read from."""
    module = __import__(f"benchmarks.experiments.{experiment.name}", fromlist=["EXPERIMENT"])
    found = [value for value in vars(module).values() if isinstance(value, Contest)]
    found += [item for value in vars(module).values() if isinstance(value, dict) for item in value.values()]
    if experiment.name == "field":
        found += [module.contest(column) for column in module.COLUMNS]
    return [item for item in found if isinstance(item, Contest)]


def test_workloads_have_enough_events_for_all_rounds_of_a_contest() -> None:
    seen, short = 0, []
    for name in experiments.NAMES:
        for contest in contests(experiments.get(name)):
            for point in contest.points:
                _, *named = point.workload.split(" ")
                given = dict(part.split("=") for part in named)
                num_events = int(given.get("num_events", catalogue.NUM_EVENTS))
                if events_needed(contest.contenders) + NUM_SAMPLE // 2 > num_events:
                    short.append((name, point.workload, events_needed(contest.contenders)))
                seen += 1
    assert short == []
    assert seen > 60
    steps = (1 + fontoura_steps.NUM_ROUNDS) * fontoura_steps.NUM_EVENTS
    assert steps + NUM_SAMPLE <= catalogue.NUM_EVENTS
