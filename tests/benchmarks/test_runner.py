"""Does a run check before it measures, skip what cannot run, and drop what it no longer needs?"""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import bench as bench_module
from benchmarks import correctness, results, runner
from benchmarks.__main__ import main
from benchmarks.bench import Bench
from benchmarks.experiment import Bar, Experiment, IndexNeed, Measurement, Outcome
from benchmarks.experiments import catalogue as experiments
from benchmarks.experiments import default_engine
from benchmarks.timing import interleave
from benchmarks.workloads import catalogue
from eligo import Index
from eligo.engines import registry
from eligo.engines.scan.engine import Scan

SCAN = IndexNeed("conjunctions", "scan")
PART = IndexNeed("conjunctions", "scan", 50)


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "SMALL", 400)
    monkeypatch.setattr(catalogue, "NUM_EVENTS", 40)
    monkeypatch.setattr(catalogue, "SMALL_EVENTS", 1_100)
    monkeypatch.setattr(correctness, "NUM_EVENTS", 5)
    monkeypatch.setattr(correctness, "NUM_RANDOM", 40)


def measurement(name: str, **declared: Any) -> Measurement:
    given = {"title": name, "unit": "things", "run": lambda bench: Outcome(7.0, {"seed": bench.seed}), **declared}
    return Measurement(name, **given)


def run(*measurements: Measurement, **options: Any) -> tuple[Any, list[str]]:
    said: list[str] = []
    return runner.run(Experiment("tiny", "?", measurements), "small", 3, say=said.append, **options), said


def test_a_run_measures_checks_and_describes() -> None:
    result, said = run(measurement("a", indexes=(SCAN, PART), bar=Bar(10)))
    (row,) = result.rows
    assert (row.value, row.bar, row.details) == (7.0, 10, {"seed": 3})
    assert row.is_reached is None, "bars are judged at full scale only"
    assert [about["num_expressions"] for about in result.indexes] == [400, 50]
    assert all(about["compared_with_oracle"]["pairs"] > 5 * 20 for about in result.indexes)
    assert result.workloads["conjunctions"]["parameters"]["seed"] == 3
    assert any(line.startswith("a: 7 things (bar: at least 10)") for line in said)


def test_what_is_missing_is_skipped_with_the_reason() -> None:
    result, said = run(
        measurement("engine", indexes=(IndexNeed("conjunctions", "no_such"),)),
        measurement("builds", engines=("no_such",)),
        measurement("method", methods=("no_such_method",)),
    )
    assert [row.skipped for row in result.rows] == [
        "there is no engine 'no_such'",
        "there is no engine 'no_such'",
        "an index has no 'no_such_method'",
    ]
    assert result.workloads == {}, "nothing is made for a measurement that is skipped"
    assert "engine: skipped, there is no engine 'no_such'" in said[0]


def test_only_the_chosen_measurements_run() -> None:
    result, _ = run(measurement("a"), measurement("b"), only=["b"])
    assert [row.name for row in result.rows] == ["b"]
    with pytest.raises(ValueError, match="no measurement 'c'; it has a"):
        run(measurement("a"), only=["c"])


@pytest.mark.parametrize("change", ["drop", "add"])
def test_a_wrong_answer_ends_the_run_before_anything_is_measured(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Scan.match_part

    def wrong(self: Scan, events: Any) -> Any:
        matches = right(self, events)
        everything = np.arange(400, dtype=np.uint32) if change == "add" else matches.positions[:0]
        positions = [everything] * events.num_events
        offsets = np.cumsum([0, *map(len, positions)]).astype(np.uint64)
        return matches._replace(offsets=offsets, positions=np.concatenate(positions))

    monkeypatch.setattr(Scan, "match_part", wrong)
    monkeypatch.setattr(correctness, "NUM_RANDOM", 400)
    measured: list[Bench] = []
    generous = {"range_width": (0.9, 1.0), "event_size": 100, "fewest_predicates": 1, "most_predicates": 2}
    load = catalogue.load
    monkeypatch.setattr(bench_module.catalogue, "load", lambda *about: load(*about, **generous))
    with pytest.raises(correctness.WrongAnswerError, match="the oracle disagrees"):
        run(measurement("a", indexes=(SCAN,), run=lambda bench: measured.append(bench) or Outcome(1.0)))
    assert not measured


def test_a_single_answer_that_differs_from_the_batch_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scan, "match", lambda self, event: np.array([399], np.uint32))
    with pytest.raises(correctness.WrongAnswerError, match="alone and in a batch"):
        run(measurement("a", indexes=(SCAN,)))


def test_indexes_are_dropped_after_their_last_use() -> None:
    bench = Bench("small", 1)
    first, second = measurement("a", indexes=(SCAN, PART)), measurement("b", indexes=(PART,))
    kept = bench.index(PART)
    bench.index(SCAN)
    bench.keep_only([first, second])
    assert bench.index(PART) is kept
    bench.keep_only([second])
    assert len(bench._indexes) == 1
    bench.keep_only([])
    assert not bench._indexes
    assert not bench._workloads


def test_an_event_cut_out_of_a_batch_is_as_if_encoded_alone() -> None:
    bench = Bench("small", 1)
    bench.fresh("conjunctions", 3)
    singles = bench.single_events(SCAN, 10)
    events = bench.workload("conjunctions").events.slice(3)
    for row, single in enumerate(singles):
        expected = bench.index(SCAN).encode(events.slice(row, 1))
        found_arrays, wanted_arrays = single.arrays(), expected.arrays()
        for name, wanted in wanted_arrays.items():
            found = found_arrays[name]
            assert found.tolist() == wanted.tolist(), name
            assert (found.dtype, found.flags.writeable) == (wanted.dtype, wanted.flags.writeable), name


def test_rounds_are_interleaved_after_a_warm_up() -> None:
    calls: list[str] = []
    samples = interleave({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 3)
    assert calls == ["a", "b"] + ["a", "b"] * 3
    assert all(len(samples[name].rounds) == 3 for name in "ab")
    assert samples["a"].to_json()["median_s"] == sorted(samples["a"].rounds)[1]


def test_bars_can_be_floors_or_ceilings() -> None:
    assert Bar(3).is_reached(3.0)
    assert not Bar(3).is_reached(2.9)
    assert Bar(3, at_least=False).is_reached(2.9)
    assert not Bar(3, at_least=False).is_reached(3.1)


def test_the_measurements_of_default_engine_work_on_any_engine() -> None:
    bench = Bench("small", 1)
    need = IndexNeed(default_engine.WORKLOAD, "scan")
    block = default_engine.block_against_single(bench, need, 2_048, 1_024)
    assert block.value > 0
    assert block.details["num_events"] == {"single": 16, "block": 32}
    size = default_engine.bytes_an_expression(bench, SCAN)
    assert size.value == sum(size.details["bytes"].values()) / 400
    assert size.details["bytes"]["engine"] == bench.index(SCAN).stats().num_bytes
    with default_engine.one_core():
        pass


def test_every_measurement_of_default_engine_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def count_batch(self: Index, events: Any) -> Any:
        return np.bincount(self.engine.match_batch(events).positions, minlength=len(self))

    held: list[int] = []
    monkeypatch.setitem(registry._ENGINES, "a_tree", "eligo.engines.scan.engine:Scan")
    monkeypatch.setattr(Index, "count_batch", count_batch, raising=False)
    monkeypatch.setattr(Index, "insert", lambda self, id, text: held.append(id), raising=False)
    monkeypatch.setattr(Index, "delete", lambda self, id: held.remove(id), raising=False)
    monkeypatch.setattr(catalogue, "SMALL", 120)
    result = runner.run(experiments.get("default_engine"), "small", say=lambda line: None)
    assert [row.name for row in result.rows if row.value is None] == []
    assert all(row.value and row.value > 0 for row in result.rows)
    assert not held
    for name in ("latency", "latency_targeting"):
        latency = result.row(name)
        assert latency is not None
        assert latency.details is not None
        assert [point["num_expressions"] for point in latency.details["points"]] == [120]
    assert json.loads(json.dumps(asdict(result)))["rows"]


def test_default_engine_declares_every_bar() -> None:
    declared = {row.name: row.bar for row in experiments.get("default_engine").measurements}
    assert {name: (bar.limit, bar.at_least) for name, bar in declared.items() if bar} == {
        "single_against_scan": (40, True),
        "block_conjunctions": (3, True),
        "count_against_match": (2, True),
        "build_from_text": (25_000, True),
        "bytes_conjunctions": (190, False),
        "bytes_ads_like": (150, False),
        "insert_and_delete": (1, False),
    }


def test_the_command_lists_and_reports(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    assert "default_engine: " in capsys.readouterr().out
    assert main(["workload", "conjunctions", "--show", "1"]) == 0
    printed = capsys.readouterr().out
    assert '"predicates_per_expression"' in printed
    assert "400 expressions" in printed
    assert main(["run", "default_engine", "--only", "no_such"]) == 1
    assert "no measurement 'no_such'" in capsys.readouterr().err


def test_rows_are_stored_as_they_come_and_not_taken_for_a_result(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stored: list[int] = []

    def keep(so_far: results.Result) -> None:
        part = results.save_part(so_far, tmp_path)
        stored.append(len(results.load(part).rows))

    result = runner.run(
        Experiment("tiny", "?", (measurement("a"), measurement("b"))), "small", say=lambda line: None, keep=keep
    )
    assert stored == [1, 2]
    with pytest.raises(results.ResultError, match="no stored result"):
        results.latest("tiny", directory=tmp_path)
    path = results.save(result, tmp_path)
    assert list(tmp_path.iterdir()) == [path] == [results.latest("tiny", directory=tmp_path)]


def test_a_wrong_answer_leaves_nothing_of_the_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def wrong(bench: Bench) -> Outcome:
        assert len(list(tmp_path.iterdir())) == 1
        raise correctness.WrongAnswerError("no")

    rows = (measurement("a"), measurement("b", run=wrong))
    monkeypatch.setattr(experiments, "get", lambda name: Experiment(name, "?", rows))
    for store in (results.save_part, results.discard_part):
        monkeypatch.setattr(results, store.__name__, partial(store, directory=tmp_path))
    assert main(["run", "default_engine"]) == 1
    assert list(tmp_path.iterdir()) == []
