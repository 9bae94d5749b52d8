"""Does the build of a single shard say how far it is?"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import eligo
from eligo.engines.build_steps import listening, step_done
from eligo.index.settings import Settings
from eligo.spark.building import part_build
from eligo.storage.work_files import WorkFiles, WorkKind


def test_an_engine_tells_its_steps() -> None:
    told: list[float] = []
    with listening(told.append):
        eligo.build({number: f"a = {number} and b > {number}" for number in range(50)})
    assert len(told) >= 5
    assert told == sorted(told)
    heard = len(told)
    step_done(0.5)  # to no one
    assert len(told) == heard


def test_rows_of_a_shard_are_told_step_by_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = WorkFiles.of(tmp_path / "x.index")
    texts = pa.array([f"a = {number} and b > {number}" for number in range(1000)], pa.large_string())
    table = pa.table({"id": list(range(1000)), "expression": texts})
    part_build._encode_table(table, 0, work, Settings())
    told: list[int] = []
    monkeypatch.setattr(part_build, "tell_rows", lambda work, file, num_rows: told.append(num_rows))
    part_build._build_shard(work, 0, part_build._merged([WorkKind.SHARD.file(0)], work), Settings(engine="a_tree"))
    assert told == sorted(told)
    assert len(set(told)) >= 6
    assert told[-1] == 1000
