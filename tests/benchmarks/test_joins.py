"""Do nested loops find what the oracle finds, and does the experiment on joins run?"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import runner
from benchmarks.experiments import joins
from benchmarks.kernels.nested_loops import flat_profiles, nested_loops
from eligo.language.evaluate import matches
from eligo.workloads import offers

SIZES = {"num_models": 12, "num_shops": 3, "num_categories": 4}


def test_nested_loops_are_right() -> None:
    workload = offers.generate(80, 6, 3, **SIZES)
    drawn = offers.draw(80, 6, 3, **SIZES)
    documents = offers.catalogue(40, 3, SIZES)
    listed = offers.offers_table(documents).to_pylist()
    texts = workload.expressions["expression"].to_pylist()
    profiles, found = flat_profiles(drawn, 80), np.zeros(80, np.int64)
    num_matches = 0
    for row, event in enumerate(workload.events.to_pylist()):
        count = nested_loops(profiles, np.ascontiguousarray(documents.T), drawn.offers[row], found)
        wanted = [number for number, text in enumerate(texts) if matches(text, event, documents=listed)]
        assert found[:count].tolist() == wanted
        num_matches += count
    assert 0 < num_matches < 80 * 6


@pytest.mark.usefixtures("tiny_workloads")
def test_joins_beside_nested_loops() -> None:
    result = runner.run(joins.EXPERIMENT, "small", say=lambda line: None)
    assert len(result.rows) == 3 * len(joins.POINTS)
    assert all(row.value is not None and row.value > 0 for row in result.rows)
    details = result.rows[0].details or {}
    assert details["compared_events"] == joins.NUM_SLOW
    assert details["matches_an_event"] > 0
