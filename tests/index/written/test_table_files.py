"""Tables of Arrow as files: what was written is what there was."""

from __future__ import annotations

import csv
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eligo.data.file_format import FileFormat
from eligo.errors import InputError
from eligo.index.written.table_files import write_batches, write_table

TABLE = pa.table(
    {
        "id": pa.array([1, 2, None]),
        "name": ['a "b"', "x,y\nz", None],
        "at": pa.array([datetime(2026, 1, 31, 10, tzinfo=UTC), None, None], pa.timestamp("us", "UTC")),
        "day": [date(2026, 1, 31), None, None],
        "is_new": [True, False, None],
        "price": pa.array([Decimal("1.50"), None, None]),
    }
)


def test_parquet(tmp_path: Path) -> None:
    write_table(TABLE, str(tmp_path / "below" / "a.parquet"))
    assert pq.read_table(tmp_path / "below" / "a.parquet").equals(TABLE)


def test_json_lines(tmp_path: Path) -> None:
    write_table(TABLE, str(tmp_path / "a.jsonl"))
    first, second, third = map(json.loads, (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines())
    assert first == {
        **{"id": 1, "name": 'a "b"', "at": "2026-01-31T10:00:00.000Z"},
        **{"day": "2026-01-31", "is_new": True, "price": "1.50"},
    }
    assert second["name"] == "x,y\nz"
    assert set(third.values()) == {None}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv(tmp_path: Path, delimiter: str) -> None:
    write_batches(TABLE.to_batches(), TABLE.schema, str(tmp_path / "a.csv"), delimiter=delimiter)
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter=delimiter))
    assert rows == [
        TABLE.column_names,
        ["1", 'a "b"', "2026-01-31T10:00:00.000Z", "2026-01-31", "true", "1.50"],
        ["2", "x,y\nz", "", "", "false", ""],
        [""] * 6,
    ]


def test_lists_are_refused_in_csv_and_leave_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"column 'tags' is of type list<.*>, which CSV cannot hold"):
        write_table(pa.table({"tags": [[1]]}), str(tmp_path / "a.csv"))
    with pytest.raises(InputError, match="says text"):
        write_table(TABLE, str(tmp_path / "a.txt"))
    with pytest.raises(InputError, match="not written as text"):
        write_batches(TABLE.to_batches(), TABLE.schema, str(tmp_path / "a.csv"), format=FileFormat.TEXT)
    assert list(tmp_path.iterdir()) == []
