"""Does the experiment on scale run, in processes of its own, and is memory measured where it is taken?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import runner
from benchmarks.experiments import scale
from benchmarks.resident import Resident, Watch
from benchmarks.scale_data import expression_files, expression_reader

MEGABYTE = 1 << 20


def test_a_watch_sees_what_is_gone_again() -> None:
    before = Resident.now()
    with Watch() as watch:
        while watch.most.beyond(before)["all"] < 40 * MEGABYTE:
            held = np.ones(50 * MEGABYTE, np.uint8)
    del held
    assert 40 * MEGABYTE <= watch.most.beyond(before)["anonymous"] <= 200 * MEGABYTE


def test_blocks_of_expressions_are_numbered_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELIGO_BENCHMARK_CACHE", str(tmp_path))
    monkeypatch.setattr("benchmarks.scale_data.ROWS_OF_BLOCK", 20)
    files = expression_files(60, 1)
    table = expression_reader(files).read_all()
    assert table["id"].to_pylist() == list(range(60)) and len(set(table["expression"].to_pylist())) > 50
    assert expression_files(20, 1) == files[:1]


def test_the_experiment_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELIGO_BENCHMARK_CACHE", str(tmp_path))
    monkeypatch.setattr(scale, "SMALL", 300)
    result = runner.run(scale.EXPERIMENT, "small", say=lambda text: None)
    found = {row.name: row.value for row in result.rows}
    assert len(found) == 16 and all(value is not None for value in found.values())
    details = result.rows[0].details
    assert details is not None and details["num_expressions"] == 300 and details["compared_with_oracle"] > 0
