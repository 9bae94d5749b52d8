"""Do the experiments on ranges run, print and draw at a small scale, and is what they fit a slope?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import contest_tables, plots, range_races, results, runner
from benchmarks.bench import Bench
from benchmarks.correctness import WrongAnswerError
from benchmarks.experiments import catalogue as experiments
from benchmarks.experiments import range_choice, tatbul_table1
from eligo.ranges.range_index import RangeIndex, read_ranges
from eligo.ranges.structures import STRUCTURES
from eligo.workloads.tatbul_profiles import overlap

NAMES = ("tatbul_fig7", "tatbul_fig8", "tatbul_table1", "range_sweep", "range_choice", "million_ranges")


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_runs_and_is_drawn(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(range_races, "NUM_TIMED", 20)
    said: list[Any] = []
    result = runner.run(experiments.get(name), "small", say=said.append)
    assert len({row.name for row in result.rows}) == len(result.rows)
    assert all(row.value is not None and np.isfinite(row.value) for row in result.rows)
    stored = results.save(result, tmp_path)
    table = contest_tables.markdown(results.load(stored))
    if name == "million_ranges":  # one point is a table, not a drawing
        return
    assert all(f"`{structure}`" in table for structure in STRUCTURES)
    plots.draw(results.load(stored), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000


def test_a_structure_that_is_wrong_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RangeIndex, "count_batch", lambda self, values: np.zeros(len(values), np.int64))
    with pytest.raises(WrongAnswerError, match="differ on"):
        range_races.race_ranges(Bench("small", 1), lambda seed: range_races.floats_with_overlap(300, 0.5, seed))


@pytest.mark.parametrize("share", [0.01, 0.5])
def test_ranges_overlap_as_much_as_is_asked_for(share: float) -> None:
    starts, ends = range_races.floats_with_overlap(5_000, share, 1)
    assert overlap(starts, ends) == pytest.approx(share, rel=0.1)  # type: ignore[arg-type]


@pytest.mark.parametrize("held", [5, 33])
def test_ranges_hold_as_many_elementary_intervals_as_is_asked_for(held: int) -> None:
    cells = read_ranges(*range_choice.ranges_that_hold(1, held)).on_axis()[1]
    assert cells.num_held / range_choice.NUM_RANGES == pytest.approx(held, rel=0.1)


def test_evaluations_of_the_naive_algorithm_grow_with_the_profiles() -> None:
    assert tatbul_table1.exponent(Bench("small", 1), "naive", "low").value == pytest.approx(1.0)
    assert tatbul_table1.exponent(Bench("small", 1), "segment_tree", "low").value < 0.5
