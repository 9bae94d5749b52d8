from __future__ import annotations

import pytest

from benchmarks.bench import Bench
from benchmarks.experiments import dense


def test_a_pair_costs_what_matching_takes_beyond_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "NUM_SINGLES", 4)
    monkeypatch.setattr(dense, "NUM_WARM_UP", 1)
    bench = Bench("small", 1)
    found = dense.times(bench)
    assert found["num_expressions"] == 10_000
    assert found["pairs_an_event"] == pytest.approx([1_000, 1_000], rel=0.4)
    assert [len(found[way]) for way in ("match_ms", "count_ms", "bits_ms", "single_ms", "mapping_ms")] == [
        2,
        2,
        2,
        4,
        4,
    ]
    assert sum(found["ids_of_mappings"]) == pytest.approx(4_000, rel=0.8)
    known = {**found, "match_ms": [3.0, 5.0], "count_ms": [1.0, 2.0], "pairs_an_event": [1_000, 1_000]}
    bench.contests[dense.DENSE] = {**known, "single_ms": [7.0, 8.0, 90.0], "mapping_ms": [9.0, 12.0]}
    assert dense.ns_a_pair(bench).value == 2_500
    assert dense.over_block(bench, "single_ms").value == 2
    assert dense.over_block(bench, "mapping_ms").value == 10.5 / 4
    assert dense.milliseconds(bench, "single_ms").spread == (7.0, 90.0)
