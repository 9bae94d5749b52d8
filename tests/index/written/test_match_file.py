"""Does a file have just the matches that were added to it, whatever the columns and however many blocks?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.index.matches import Matches, row_arrays
from eligo.index.written import match_file
from eligo.index.written.match_file import MatchFile

IDS = {"text": pa.array(["a", "b", "ü", "d"], pa.large_string()), "number": pa.array([7, 8, -9, 10])}
POSITIONS = st.lists(st.integers(0, 3), max_size=4, unique=True).map(sorted)
EVENTS = st.lists(st.tuples(st.none() | st.sampled_from(["x", "y", "zz"]), st.none() | st.integers(0, 5), POSITIONS))


@settings(max_examples=60)
@given(blocks=st.lists(EVENTS, max_size=4), kind=st.sampled_from(sorted(IDS)), rows_in_group=st.integers(1, 9))
def test_all_matches_are_there(
    tmp_path_factory: pytest.TempPathFactory, blocks: list[list[tuple]], kind: str, rows_in_group: int
) -> None:
    path = tmp_path_factory.mktemp("matches") / "m.parquet"
    ids = IDS[kind]
    id_type = pa.string() if kind == "text" else pa.int64()
    schema = pa.schema([("name", pa.string()), ("number", pa.int64()), pa.field("id", id_type, nullable=False)])
    with pytest.MonkeyPatch.context() as patch, MatchFile(path, schema, {"made": "by a test"}) as file:
        patch.setattr(match_file, "ROWS_IN_GROUP", rows_in_group)
        for block in blocks:
            found = row_arrays([np.array(positions, np.uint32) for _, _, positions in block])
            carried = [pa.array([row[place] for row in block], schema.field(place).type) for place in (0, 1)]
            file.add(carried, Matches(found.offsets, found.positions, lambda: ids))
    wanted = [(name, number, ids[p].as_py()) for block in blocks for name, number, own in block for p in own]
    assert file.num_rows == len(wanted)
    if not wanted:
        assert not path.exists()
        return
    read = pq.ParquetFile(path)
    table = read.read()
    assert table.schema.equals(schema)  # no dictionaries
    assert read.metadata.metadata[b"made"] == b"by a test"
    assert [tuple(row.values()) for row in table.to_pylist()] == wanted
    assert max(read.metadata.row_group(group).num_rows for group in range(read.num_row_groups)) <= rows_in_group


def test_a_file_that_is_given_up_is_gone(tmp_path: Path) -> None:
    schema = pa.schema([("event", pa.int64()), ("id", pa.int64())])
    found = row_arrays([np.array([0, 1], np.uint32)])
    with (
        pytest.MonkeyPatch.context() as patch,
        pytest.raises(ZeroDivisionError),
        MatchFile(tmp_path / "m.parquet", schema, {}) as file,
    ):
        patch.setattr(match_file, "ROWS_IN_GROUP", 1)
        file.add([pa.array([5])], Matches(found.offsets, found.positions, lambda: IDS["number"]))
        assert (tmp_path / "m.parquet").exists()
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
