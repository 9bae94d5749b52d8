"""The first events of files, without Spark."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from eligo.data.file_format import FileFormat
from eligo.data.lint.event_files import seen_in_file
from eligo.data.lint.lint_expressions import lint
from eligo.errors import InputError
from eligo.language.lint.lint import RULES
from eligo.language.value import Kind
from eligo.stores.address import Address, place
from eligo.stores.store import store_of
from store_places import S3Server

LINES = '{"age": 18, "day": "2026-01-31"}\noops\n[1]\n\n{"age": 44.5, "day": "2026-02-01"}\n'
CSV = 'age,zip,day,note\n18,01234,2026-01-31,"a, b"\n44,99999,2026-02-01,\n'


def test_parquet_by_its_types(tmp_path: Path) -> None:
    table = pa.table({"age": [1, 2, 3], "none": pa.nulls(3, pa.string()), "part": ["x", "x", "y"]})
    pq.write_table(table, tmp_path / "events.parquet")
    seen = seen_in_file(str(tmp_path / "events.parquet"), sample=2)
    assert (seen.num_events, seen.attributes["age"].extents[Kind.NUMBER]) == (2, (1, 2))
    assert seen.schema().names == ["age", "none", "part"]
    ds.write_dataset(table, tmp_path / "parts", format="parquet", partitioning=["part"], partitioning_flavor="hive")
    parts = seen_in_file(str(tmp_path / "parts"), format=FileFormat.PARQUET)
    assert (parts.num_events, set(parts.attributes)) == (3, {"age", "none", "part"})


@pytest.mark.parametrize("name", ["events.csv", "events.parquet"])
def test_columns_in_the_names_of_directories(tmp_path: Path, name: str) -> None:
    """What a text there may be is said nothing against: matching finds out of all of them together."""
    for part in ("day=2026-01-01/shop=007", "day=2026-01-02/shop=a%2Fb", "day=__HIVE_DEFAULT_PARTITION__/shop=7"):
        (tmp_path / name / part).mkdir(parents=True)
        if name.endswith("csv"):
            (tmp_path / name / part / "a.csv").write_text("age\n18\n")
        else:
            pq.write_table(pa.table({"age": [18]}), tmp_path / name / part / "a.parquet")
    seen = seen_in_file(str(tmp_path / name))
    assert (seen.num_events, set(seen.attributes)) == (3, {"age", "day", "shop"})
    rules = {1: "day = date '2026-01-02'", 2: "shop in ('a/b', 7)", 3: "dayy exists", 4: "day = 3"}
    found = [(finding.id, finding.rule) for finding in lint(rules, events=str(tmp_path / name), ignore=RULES)]
    assert found == [(3, "unknown-attribute"), (3, "never-matches"), (4, "wrong-kind"), (4, "never-matches")]


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
    (tmp_path / "directory.jsonl").mkdir()
    with pytest.raises(InputError, match="has no files"):
        seen_in_file("directory.jsonl")


def test_a_column_without_values_is_a_column(tmp_path: Path) -> None:
    (tmp_path / "events.csv").write_text("age,plan,\n18, ,x\n44,,\n")
    seen = seen_in_file(str(tmp_path / "events.csv"))
    assert set(seen.attributes) == {"age", "plan"} and not seen.attributes["plan"].has_values
    (tmp_path / "header.csv").write_text("age,plan\n")
    assert set(seen_in_file(str(tmp_path / "header.csv")).attributes) == {"age", "plan"}


def test_nothing_is_said_of_no_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("empty.csv", ""), ("empty.jsonl", "\n"), ("array.jsonl", '[\n {"age": 3}, \n]\n')):
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match=f"{name}' has no events"):
            seen_in_file(name)


@pytest.mark.parametrize("format", ["events.jsonl.gz", "events.csv", "events.parquet"])
def test_files_of_a_store(s3: S3Server, tmp_path: Path, format: str) -> None:
    table = pa.table({"age": [18, 44], "zip": ["01234", "99999"]})
    if format == "events.parquet":
        pq.write_table(table, tmp_path / format)
    elif format == "events.csv":
        (tmp_path / format).write_text("age,zip\n18,01234\n44,99999\n")
    else:
        lines = "".join(f"{json.dumps(row)}\n" for row in table.to_pylist())
        (tmp_path / format).write_bytes(gzip.compress(lines.encode()))
    home = s3.new_home()
    content = (tmp_path / format).read_bytes()
    for key in (format, f"{format}.parts/part-0-{format}", f"{format}.parts/_marks/{format}"):
        found = place(f"{home}/{key}")
        assert isinstance(found, Address)
        store_of(found).put(found.key, [b"none of the table" if "_marks" in key else content])
    for key in (format, f"{format}.parts"):
        kind = FileFormat.PARQUET if "parquet" in format else FileFormat.CSV if "csv" in format else None
        seen = seen_in_file(f"{home}/{key}", format=kind or FileFormat.JSON_LINES)
        assert {name: known.attribute(bounds=False, values=0).kind for name, known in seen.attributes.items()} == {
            "age": "int",
            "zip": "string",
        }
    with pytest.raises(InputError, match="is not there"):
        seen_in_file(f"{home}/none/{format}")
