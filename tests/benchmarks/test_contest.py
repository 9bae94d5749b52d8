"""Do contests compare before they time, and do the figures of Whang 2009 run and draw at a small scale?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import contest, plots, results, runner
from benchmarks.bench import Bench
from benchmarks.contest import Contender, Contest, Point
from benchmarks.correctness import WrongAnswerError
from benchmarks.experiment import Experiment
from benchmarks.experiments import catalogue as experiments
from benchmarks.workloads import catalogue
from eligo.engines.rivals.sift import Sift

FIGURES = [name for name in experiments.NAMES if name.startswith("whang_")]
SMALL = Contest(
    "months",
    (Contender("ours", "k_index"), Contender("theirs", "sift"), Contender("best", "k_index", "top")),
    (Point(1, "whang_contracts"), Point(2, catalogue.variant("whang_contracts", months=2), 0.5)),
)


pytestmark = pytest.mark.usefixtures("tiny_workloads")


def test_a_name_may_carry_parameters() -> None:
    name = catalogue.variant("whang_contracts", form="cnf", months=8)
    assert name == 'whang_contracts form="cnf" months=8'
    loaded = catalogue.load(name, "small", 1)
    assert (loaded.parameters["form"], loaded.parameters["months"]) == ("cnf", 8)


def test_a_contest_is_held_once_and_read_often(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench("small", 1)
    found = [row.run(bench) for row in SMALL.rows()]
    assert [outcome.details["num_expressions"] for outcome in found] == [300, 150]
    assert set(found[0].details["ms_per_event"]) == {"ours", "theirs", "best"}
    assert found[0].details["compared_with_oracle"] > 8 * 100
    assert 0.05 < found[0].details["matching_share"] < 0.25
    monkeypatch.setattr(contest, "hold", lambda *about: pytest.fail("held twice"))
    times = found[0].details["ms_per_event"]
    assert SMALL.ratio("theirs", "ours", 1).run(bench).value == times["theirs"] / times["ours"]
    assert SMALL.growth("ours").run(bench).value == found[1].details["ms_per_event"]["ours"] / times["ours"]


def test_a_contender_that_is_wrong_ends_the_contest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sift, "match", lambda self, event: np.zeros(1, np.uint32))
    with pytest.raises(WrongAnswerError, match="theirs and ours differ"):
        SMALL.rows()[0].run(Bench("small", 1))


def test_what_refuses_is_named_with_its_reason() -> None:
    points = (Point(1, catalogue.variant("abe_gen", tree_depth=4)),)
    narrow = Contest(
        "depth", (Contender("tree", "a_tree"), Contender("forms", "k_index", options={"bound": 9})), points
    )
    rows = (*narrow.rows(), narrow.row("forms", 1), narrow.ratio("forms", "tree", 1))
    result = runner.run(Experiment("narrow", "?", rows), "small", say=lambda line: None)
    assert "forms" in result.rows[0].details["refused"] and "forms" not in result.rows[0].details["ms_per_event"]
    assert all(row.value is None and row.skipped.startswith("forms refuses: ") for row in result.rows[1:])
    large = Contest("n", (Contender("a", "scan"), Contender("b", "bop", only_up_to=299)), (Point(1, "conjunctions"),))
    found = large.held(Bench("small", 1), large.points[0])
    assert found["refused"] == {"b": "not tried with more than 299 expressions"}


@pytest.mark.parametrize("one_at_a_time", [False, True])
def test_blocks_builds_and_bytes_are_measured_too(one_at_a_time: bool) -> None:
    contenders = (
        Contender("one", "a_tree"),
        Contender("block", "a_tree", "match_batch", num_events=64),
        Contender("scan", "scan"),
    )
    both = Contest("n", contenders, (Point(1, "conjunctions"),), one_at_a_time=one_at_a_time, most_seconds=1e-6)
    bench = Bench("small", 1)
    found = both.held(bench, both.points[0])
    assert found["num_events"] == {"one": 2, "block": 8, "scan": 2}
    assert set(found["engines"]) == {"a_tree {}", "scan {}"}
    for label, value in found["ms_per_event"].items():
        low, high = found["ms_quartiles"][label]
        assert 0 < low <= value <= high
    assert found["build_s"]["one"] == found["build_s"]["block"] > 0
    outcome = both.row("one", 1, "memory").run(bench)
    assert outcome.value == found["engines"]["a_tree {}"]["bytes"] / 1e6
    ratio = both.ratio("scan", "one", 1).run(bench)
    assert ratio.spread is not None and ratio.spread[0] <= ratio.value <= ratio.spread[1]


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_runs_and_is_drawn(name: str, tmp_path: Path) -> None:
    said: list[Any] = []
    result = runner.run(experiments.get(name), "small", say=said.append)
    assert all(row.value is not None and row.value > 0 for row in result.rows)
    assert len({row.name for row in result.rows}) == len(result.rows)
    stored = results.save(result, tmp_path)
    plots.draw(results.load(stored), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000


def test_the_bars_of_whang_2009_are_declared() -> None:
    bars = {
        (name, row.name): (row.bar.limit, row.bar.at_least)
        for name in FIGURES
        for row in experiments.get(name).measurements
        if row.bar is not None
    }
    assert bars["whang_fig17", "propagation_not_deduplicated_over_k_index_at_1"] == (1.5, True)
    assert bars["whang_fig17", "sift_not_deduplicated_over_k_index_at_1"] == (8, True)
    assert bars["whang_fig18", "pscan_over_cnf_at_1"] == (1.9, True)
    assert bars["whang_load", "load_dnf"] == (60, False)
    assert bars["whang_load", "whole_dnf"] == (100, False)
    assert bars["whang_fig19", "k_index_over_k_index_top_5_at_1"] == (1.0, True)
    assert bars["whang_fig19", "cnf_over_cnf_top_5_at_1"] == (1.0, True)
