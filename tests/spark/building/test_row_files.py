"""Does every row come to one shard, the same one in every program?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from eligo.spark.building.row_files import RowFile, _write_row_file, rows_of_shard
from eligo.storage.work_files import WorkFiles


@pytest.mark.parametrize("num_shards", [1, 2, 3, 7])
@pytest.mark.parametrize("kind", ["numbers", "texts"])
def test_shards_cut_the_rows_into_parts(tmp_path: Path, num_shards: int, kind: str) -> None:
    work = WorkFiles.of(tmp_path / "x.index")
    ids = [number if kind == "numbers" else f"ad-{number}" for number in range(2000)]
    row_files = []
    for place, rows in enumerate((ids[:700], ids[700:701], ids[701:])):
        batch = pa.record_batch({"id": pa.array(rows), "expression": pa.array([f"a = {id!r}" for id in rows])})
        _write_row_file([batch], place, work)
        row_files.append(RowFile(place, len(rows)))
    shards = [rows_of_shard(work, row_files, shard, num_shards) for shard in range(num_shards)]
    tables = [shard for shard in shards if shard is not None]
    found = [set(table["id"].to_pylist()) for table in tables]
    assert set.union(*found) == set(ids)
    assert sum(map(len, found)) == len(ids)
    sizes = np.array([table.num_rows for table in tables])
    assert len(sizes) == num_shards
    assert sizes.min() > 0.7 * len(ids) / num_shards, "hashes are spread evenly"
    for table in tables:
        assert table["expression"].to_pylist() == [f"a = {id!r}" for id in table["id"].to_pylist()]
    work.remove()
    assert not list((tmp_path / "x.index").rglob("*.tmp"))
