"""Is a file that one stage of a build leaves for the next refused when it was damaged in between?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from eligo.errors import DamagedFileError, StorageError
from eligo.storage.work_files import WorkFiles

ROWS = pa.table({"id": [1, 2, 3], "expression": ["a = 1", None, "b = 2"]})


@pytest.fixture
def work(tmp_path: Path) -> WorkFiles:
    return WorkFiles.of(tmp_path / "x.index")


def test_rows_come_back(work: WorkFiles) -> None:
    work.write_table(0, ROWS)
    assert work.read_table(0) == ROWS
    assert pa.Table.from_batches(work.read_batches(0)) == ROWS
    work.write_table(1, ROWS[:0])
    assert work.read_table(1) == ROWS[:0]


@pytest.mark.parametrize("number", [0, 1], ids=["rows", "arrays"])
def test_every_flipped_byte_is_found(work: WorkFiles, number: int) -> None:
    work.write_table(0, ROWS)
    work.write(1, {"a": np.arange(9)}, {})
    path = work.path(number)
    good = path.read_bytes()
    for place in range(0, len(good), 7):
        path.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        with pytest.raises(StorageError, match=path.name):
            _ = work.read_table(0) if number == 0 else work.read(1)


@pytest.mark.parametrize("length", [0, 3, 100])
def test_a_cut_is_found(work: WorkFiles, length: int) -> None:
    work.write_table(0, ROWS)
    path = work.path(0)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(DamagedFileError, match=path.name):
        work.read_table(0)
