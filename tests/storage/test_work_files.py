"""Is a file that one stage of a build leaves for the next refused when it was damaged in between?"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from eligo.errors import DamagedFileError, InputError, StorageError
from eligo.storage.work_files import MARK, WorkFile, WorkFiles, WorkKind

ROW_FILE, SHARD = WorkKind.ROWS.file(0), WorkKind.SHARD.file(0)
ROWS = pa.table({"id": [1, 2, 3], "expression": ["a = 1", None, "b = 2"]})


@pytest.fixture
def work(tmp_path: Path) -> WorkFiles:
    return WorkFiles.of(tmp_path / "x.index")


def test_rows_come_back(work: WorkFiles) -> None:
    work.write_table(ROW_FILE, ROWS)
    assert work.read_table(ROW_FILE) == ROWS
    assert pa.Table.from_batches(work.read_batches(ROW_FILE)) == ROWS
    work.write_table(SHARD, ROWS[:0])
    assert work.read_table(SHARD) == ROWS[:0]


@pytest.mark.parametrize("file", [ROW_FILE, SHARD], ids=["rows", "arrays"])
def test_every_flipped_byte_is_found(work: WorkFiles, file: WorkFile) -> None:
    work.write_table(ROW_FILE, ROWS)
    work.write(SHARD, {"a": np.arange(9)}, {})
    path = work.path(file)
    good = path.read_bytes()
    for place in range(0, len(good), 7):
        path.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        with pytest.raises(StorageError, match=path.name):
            _ = work.read_table(ROW_FILE) if file is ROW_FILE else work.read(SHARD)


@pytest.mark.parametrize("length", [0, 3, 100])
def test_a_cut_is_found(work: WorkFiles, length: int) -> None:
    work.write_table(ROW_FILE, ROWS)
    path = work.path(ROW_FILE)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(DamagedFileError, match=path.name):
        work.read_table(ROW_FILE)


def test_files_of_different_kinds_are_never_confused(work: WorkFiles) -> None:
    ranges = sorted(kind.value for kind in WorkKind)
    assert ranges[0][0] == 0 and ranges[-1][1] == 1 << 32
    assert all(end == first for (_, end), (first, _) in pairwise(ranges))
    for kind in WorkKind:
        first, end = kind.value
        assert work.path(kind.file(0)) != work.path(kind.file(end - first - 1))
        for number in (-1, end - first):
            with pytest.raises(InputError, match=kind.name):
                work.path(kind.file(number))


def test_files_are_listed_by_kind_and_removed_together(work: WorkFiles) -> None:
    other = WorkFiles.of(work.index)
    for file in (ROW_FILE, SHARD, WorkKind.ROWS.file(7)):
        work.write_table(file, ROWS)
    other.write_table(ROW_FILE, ROWS)
    assert sorted(work.paths(WorkKind.ROWS)) == sorted([work.path(ROW_FILE), work.path(WorkKind.ROWS.file(7))])
    assert work.paths(WorkKind.REJECTS) == []
    work.remove()
    assert work.paths() == []
    assert set(other.paths()) == {other.path(ROW_FILE), other.path(MARK)}


def test_a_task_that_outlives_its_run_leaves_nothing(work: WorkFiles) -> None:
    work.write_table(ROW_FILE, ROWS)
    work.remove()
    with pytest.raises(StorageError, match="has ended before it"):
        work.write_table(ROW_FILE, ROWS)
    with pytest.raises(StorageError, match="has ended before it"):
        work.write(SHARD, {"a": np.arange(9)}, {})
    assert list(Path(work.index).glob("shards/.eligo-*")) == []
