"""The first events of files, without Spark."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from eligo.data.file_format import FileFormat
from eligo.data.lint.event_files import seen_in_file
from eligo.errors import InputError
from eligo.language.value import Kind

LINES = '{"age": 18, "day": "2026-01-31"}\noops\n[1]\n\n{"age": 44.5, "day": "2026-02-01"}\n'
CSV = 'age,zip,day,note\n18,01234,2026-01-31,"a, b"\n44,99999,2026-02-01,\n'


def test_parquet_by_its_types(tmp_path: Path) -> None:
    table = pa.table({"age": [1, 2, 3], "none": pa.nulls(3, pa.string()), "part": ["x", "x", "y"]})
    pq.write_table(table, tmp_path / "events.parquet")
    seen = seen_in_file(str(tmp_path / "events.parquet"), sample=2)
    assert (seen.num_events, seen.attributes["age"].extents[Kind.NUMBER]) == (2, (1, 2))
    assert seen.schema().names == ["age", "none", "part"]
    ds.write_dataset(table, tmp_path / "parts", format="parquet", partitioning=["part"], partitioning_flavor="hive")
    assert {"age", "none", "part"} == set(seen_in_file(str(tmp_path / "parts"), format=FileFormat.PARQUET).attributes)


def test_json_lines(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text(LINES)
    with gzip.open(tmp_path / "events.jsonl.gz", "wt") as file:
        file.write(LINES)
    for name in ("events.jsonl", "events.jsonl.gz"):
        seen = seen_in_file(str(tmp_path / name))
        assert seen.num_events == 2
        assert seen.attributes["day"].kinds == {Kind.STRING, Kind.DATE, Kind.TIMESTAMP}
        assert {attribute.name: attribute.kind for attribute in seen.schema()} == {"age": "float", "day": "date"}


def test_csv_in_which_everything_is_text(tmp_path: Path) -> None:
    (tmp_path / "events.csv").write_text(CSV)
    seen = seen_in_file(str(tmp_path / "events.csv"))
    kinds = {attribute.name: attribute.kind for attribute in seen.schema()}
    assert kinds == {"age": "int", "zip": "string", "day": "date", "note": "string"}
    assert seen.attributes["zip"].kinds == {Kind.NUMBER, Kind.STRING}
    (tmp_path / "semicolons.csv").write_text("a;b\n1;2\n")
    assert set(seen_in_file(str(tmp_path / "semicolons.csv"), delimiter=";").attributes) == {"a", "b"}


def test_what_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="is not there"):
        seen_in_file(str(tmp_path / "none.parquet"))
    for name in ("bad.parquet", "bad.jsonl.gz", "bad.csv.gz"):
        (tmp_path / name).write_bytes(b"\x1f\x8bno such thing")
        with pytest.raises(InputError, match=name):
            seen_in_file(name)
    with pytest.raises(InputError, match="does not say what kind"):
        seen_in_file(str(tmp_path / "events"))
