"""Are CSV files read by the names in their headers, with one type for a column over all files?"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from eligo.data.csv_texts import seen_in
from eligo.errors import InputError
from eligo.language.value import Kind
from eligo.spark.tables.csv_tables import read_csv
from eligo.spark.tables.csv_types import type_of
from eligo.spark.tables.expression_tables import read_expressions, read_ids
from eligo.spark.tables.tables import read_events


def rows_of(spark: SparkSession, path: Path) -> tuple[list[str], list[tuple[Any, ...]]]:
    table = read_csv(spark, str(path)).toArrow()
    return table.column_names, sorted(tuple(row.values()) for row in table.to_pylist())


def test_columns_meet_by_name(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,x,y\n1,x1,y1\n")
    (tmp_path / "b.csv").write_text("id,y,x\n2,y2,x2\n")
    (tmp_path / "c [1] 100%.csv").write_text("id,z\n3,z3\n")
    (tmp_path / "d.csv").write_bytes(b'\xef\xbb\xbf"x","id","a ""b"""\r\nx4,4,b4\r\n')
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("id,only_named\n")
    (tmp_path / "pandas.csv").write_text(",id,x\n0,5,x5\n")
    with gzip.open(tmp_path / "packed.csv.gz", "wt") as file:
        file.write("y,id\ny6,6\n")
    (tmp_path / "_hidden.csv").write_text("id,hidden\n7,7\n")
    names, rows = rows_of(spark, tmp_path)
    assert sorted(names) == ['a "b"', "id", "only_named", "x", "y", "z"]
    found = [{name: cell for name, cell in zip(names, row, strict=True) if cell is not None} for row in rows]
    assert sorted(found, key=lambda row: str(row["id"])) == [
        {"id": "1", "x": "x1", "y": "y1"},
        {"id": "2", "x": "x2", "y": "y2"},
        {"id": "3", "z": "z3"},
        {"id": "4", "x": "x4", 'a "b"': "b4"},
        {"id": "5", "x": "x5"},
        {"id": "6", "y": "y6"},
    ]


def test_a_header_over_lines_and_columns_in_directories(spark: SparkSession, tmp_path: Path) -> None:
    for country, header in (("FR", 'id,"two\nlines"'), ("US", '"two\nlines",id')):
        folder = tmp_path / f"country={country}"
        folder.mkdir()
        (folder / "a.csv").write_text(f"{header}\n1,1\n")
    names, rows = rows_of(spark, tmp_path)
    assert names == ["id", "two\nlines", "country"]
    assert rows == [("1", "1", "FR"), ("1", "1", "US")]
    (tmp_path / "beside.csv").write_text("id\n1\n")
    with pytest.raises(InputError, match=r"different names: .*beside\.csv"):
        read_csv(spark, str(tmp_path))


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"a.csv": "id,x\n1,2\n", "b.csv": "id,y,y\n1,2,3\n"}, r"b\.csv has two columns 'y'"),
        (
            {"a.csv": "id,x\n1,2\n", "b.csv": "id,X\n1,2\n"},
            r"'x' of .*a\.csv and 'X' of .*b\.csv are alike",
        ),
        (
            {"a.csv": "id,x\n1,2\n", "b.csv": "id;x\n1;2\n"},
            r"b\.csv has no column 'id'; it has 'id;x'\n.*separated by ';': give --delimiter",
        ),
        ({"a.csv": "id,x\n1,2\n", "b.csv": "x\n1\n"}, r"b\.csv has no column 'id'; it has 'x'\n.*--id"),
        ({"a.csv": ""}, "has no header"),
        ({"a.csv.gz": "id\n1\n"}, "cannot be read as csv: (not a gzip|Unexpected end)"),
    ],
)
def test_what_is_refused(spark: SparkSession, tmp_path: Path, files: dict[str, str], problem: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=problem):
        read_csv(spark, str(tmp_path), needed=("id",), option="--id")


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "007", "+3", " -4 ", None, ""], "int"),
        (["1", "2147483648"], "bigint"),
        (["1", "9223372036854775808"], "decimal(38,0)"),
        (["1", "9" * 39], "double"),
        (["1", "2.5", ".5", "1e3", "NaN", "-inf"], "double"),
        (["true", "FALSE"], "boolean"),
        (["2024-02-29"], "date"),
        (["2024-02-29", "2024-02-29T10:00Z"], "timestamp"),
        (["2023-02-29"], "string"),
        (["0000-01-01"], "string"),
        (["10:00"], "string"),
        (["T10:00"], "string"),
        (["2020-01"], "string"),
        (["1", "true"], "string"),
        (["1", "2024-01-01"], "string"),
        (["1", "x"], "string"),
        ([None, " "], "string"),
    ],
)
def test_the_type_of_a_column(texts: list[str | None], kind: str) -> None:
    encoded = [None if text is None else text.encode() for text in texts]
    assert type_of(seen_in(pa.array(encoded, pa.binary()))).simpleString() == kind


def test_one_type_over_all_files(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("event_id,n,code,at,flag,mixed\n1,007,02139,2024-01-01,true,1\n")
    (tmp_path / "b.csv").write_text("mixed,at,event_id,n,code\none,2024-01-01T10:00+02:00,2,1.5,7\n")
    events = read_events(spark, str(tmp_path), kinds={"code": {Kind.STRING}})
    assert events.select("event_id", "n", "code", "at", "flag", "mixed").dtypes == [
        ("event_id", "string"),
        ("n", "double"),
        ("code", "string"),
        ("at", "timestamp"),
        ("flag", "boolean"),
        ("mixed", "string"),
    ]
    found = {row["event_id"]: row for row in events.toArrow().to_pylist()}
    assert (found["1"]["n"], found["1"]["code"], found["1"]["at"].isoformat()) == (
        7.0,
        "02139",
        "2024-01-01T00:00:00+00:00",
    )
    assert (found["2"]["flag"], found["2"]["at"].isoformat()) == (None, "2024-01-01T08:00:00+00:00")


def test_expressions_and_ids(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,expression,rank\n1,x = 1,2\n")
    (tmp_path / "b.csv").write_text('expression,id\n"x in (1, 2)",007\n')
    rows = read_expressions(spark, str(tmp_path), more=["rank"])
    assert rows.dtypes == [("id", "string"), ("expression", "string"), ("rank", "int")]
    assert sorted(map(tuple, rows.collect())) == [("007", "x in (1, 2)", None), ("1", "x = 1", 2)]
    assert sorted(row[0] for row in read_ids(spark, str(tmp_path)).collect()) == ["007", "1"]
