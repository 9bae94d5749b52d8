"""Do the experiments of Fontoura 2010 run and draw at a small scale, with the paper's figures beside them?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import plots, results, runner
from benchmarks.bench import Bench
from benchmarks.correctness import WrongAnswerError
from benchmarks.experiments import catalogue as experiments
from benchmarks.experiments import fontoura_depth, fontoura_steps
from benchmarks.experiments.fontoura_steps import as_in_paper
from benchmarks.workloads import catalogue
from eligo.engines.fontoura.dewey_id import DeweyId

NAMES = [name for name in experiments.NAMES if name.startswith("fontoura_")]


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "SMALL", 300)
    monkeypatch.setattr(catalogue, "NUM_EVENTS", 160)
    monkeypatch.setattr(fontoura_depth, "NUM_DRAWN", 6)


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_runs_and_is_drawn(name: str, tmp_path: Path) -> None:
    said: list[Any] = []
    result = runner.run(experiments.get(name), "small", say=said.append)
    assert len({row.name for row in result.rows}) == len(result.rows)
    for row in result.rows:
        assert (row.value is not None and row.value > 0) or (row.skipped or "").startswith("k_index refuses: "), row
    stored = results.save(result, tmp_path)
    plots.draw(results.load(stored), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000


def test_what_the_paper_prints_stands_beside() -> None:
    printed = {
        row.name: row.paper for name in NAMES for row in experiments.get(name).measurements if row.paper is not None
    }
    assert [printed[f"depth_{depth}_selectivity"] for depth in (1, 2, 3, 4)] == pytest.approx(
        [22.85, 57.97, 10.97, 49.23]
    )
    of_table_2 = [name for name in printed if "memory" in name and name.startswith("depth")]
    assert len(of_table_2) == 14  # all five at depths 1 and 2, the paper's own two at 3 and 4
    assert printed["depth_2_memory_k_index"] == 501
    assert printed["thousand_trees_150_memory_dewey_id"] == 14


def test_the_steps_add_up_to_the_total() -> None:
    point = fontoura_depth.POINTS[1]
    steps = fontoura_steps.time_steps(Bench("small", 1), point)["steps_ms"]
    assert set(steps) == {"dewey_id", "interval_id"}
    found = as_in_paper(np.array([[1.0, 2.0, 4.0, 8.0], [1.0, 2.0, 4.0, 8.0]]))
    assert {step: of_step["median"] for step, of_step in found.items()} == {
        "total": 15.0,
        "index evaluation": 3.0,
        "sorting": 4.0,
        "expression evaluation": 8.0,
    }


def test_an_engine_that_is_wrong_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DeweyId, "match", lambda self, event: np.zeros(1, np.uint32))
    with pytest.raises(WrongAnswerError, match="interval_id and dewey_id differ"):
        fontoura_steps.time_steps(Bench("small", 1), fontoura_depth.POINTS[1])
