"""A file of events matched in this process has the matches that the index itself gives."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import eligo
from eligo.data.file_format import FileFormat
from eligo.errors import InputError
from eligo.index.events.event_source import EventColumns
from eligo.index.local.csv_events import as_type
from eligo.index.local.local_match import LocalMatch
from eligo.index.stored.opened_version import index_version
from eligo.stores.address import Address, place
from eligo.stores.store import store_of
from store_places import S3Server

TEXTS = {1: "a > 1", 2: "b = 'x' or a = 1", 3: "not b = 'y'", 4: "c in (true) and a <= 2", 5: "a between 0 and 2"}
EVENT = st.fixed_dictionaries(
    {}, optional={"a": st.integers(-1, 3), "b": st.sampled_from(["x", "y", "z"]), "c": st.booleans()}
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("local") / "x.index"
    eligo.build(TEXTS).save(path)
    return path


def matches(
    index: Path, events: Path | str, out: Path, *, event_format: FileFormat | None = None, **options: Any
) -> list[tuple[int, int]]:
    job = LocalMatch(index_version(index), str(events), EventColumns(), format=event_format, **options)
    job.write(str(out), format=FileFormat.JSON_LINES, overwrite=True)
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert job.matched().num_matches == len(rows)
    return [(int(row["event_id"]), row["expression_id"]) for row in rows]


@given(st.lists(EVENT, min_size=1, max_size=12))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_every_format_has_the_matches_of_the_index(index: Path, tmp_path: Path, events: list[dict[str, Any]]) -> None:
    opened = eligo.open(index)
    expected = [(number, id) for number, event in enumerate(events) for id in opened.match(event)]
    rows = [{"event_id": number, **event} for number, event in enumerate(events)]
    (tmp_path / "e.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    columns = {name: [row.get(name) for row in rows] for name in ("event_id", "a", "b", "c")}
    types = {"event_id": pa.int64(), "a": pa.int64(), "b": pa.string(), "c": pa.bool_()}
    pq.write_table(
        pa.table({name: pa.array(columns[name], kind) for name, kind in types.items()}), tmp_path / "e.parquet"
    )
    cells = [["" if row.get(name) is None else str(row[name]).lower() for name in types] for row in rows]
    (tmp_path / "e.csv").write_text("\n".join([",".join(types), *(",".join(row) for row in cells)]), encoding="utf-8")
    for name in ("e.jsonl", "e.parquet", "e.csv"):
        assert matches(index, tmp_path / name, tmp_path / "out.jsonl") == expected, name
    assert sorted(matches(index, tmp_path / "e.parquet", tmp_path / "out.jsonl", memory=1)) == sorted(expected)


def test_events_of_a_store_have_the_matches_that_they_have_on_a_disk(index: Path, tmp_path: Path, s3: S3Server) -> None:
    rows = [{"event_id": number, "a": number % 3, "b": "xyz"[number % 3]} for number in range(40)]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (tmp_path / "e.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "e.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (tmp_path / "e.csv").write_text(
        "event_id,a,b\n" + "".join(f"{row['event_id']},{row['a']},{row['b']}\n" for row in rows)
    )
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "e.parquet")
    home = s3.new_home()
    names = ("e.jsonl", "e.jsonl.gz", "e.csv", "e.parquet")
    top = place(home)
    assert isinstance(top, Address)
    for name in names:
        data = (tmp_path / name).read_bytes()
        folder = top / f"of_{name}"
        for file, content in ((top / name, data), (folder / f"part-0-{name}", data), (folder / "_SUCCESS", b"")):
            store_of(file).put(file.key, [content])
    expected = matches(index, tmp_path / "e.jsonl", tmp_path / "out.jsonl")
    assert len(expected) > 40
    for name in names:
        kind = FileFormat(name.removeprefix("e.").removesuffix(".gz"))
        for events in (f"{home}/{name}", f"{home}/of_{name}/"):
            assert matches(index, events, tmp_path / "out.jsonl", event_format=kind) == expected, events
    out = f"{home}/out.csv"
    LocalMatch(index_version(index), f"{home}/e.csv", EventColumns()).write(out)
    written = place(out)
    assert isinstance(written, Address)
    assert store_of(written).read(written.key).count(b"\n") == len(expected) + 1
    with pytest.raises(InputError, match="there already"):
        LocalMatch(index_version(index), f"{home}/e.csv", EventColumns()).write(out)
    with pytest.raises(InputError, match="there is no file s3://"):
        LocalMatch(index_version(index), f"{home}/none.csv", EventColumns())
    with pytest.raises(InputError, match=r"has a directory, ads\.index"):
        LocalMatch(index_version(index), home.rpartition("/")[0], EventColumns(), format=FileFormat.CSV)


@pytest.mark.parametrize(
    ("kind", "texts", "values"),
    [
        (pa.int32(), ["007", " +5 ", "-1", None, " "], [7, 5, -1, None, None]),
        (pa.float64(), ["1.5", "NaN", "-inf", "+Infinity", "1e3"], [1.5, None, float("-inf"), float("inf"), 1000.0]),
        (pa.bool_(), ["TRUE", "false", None], [True, False, None]),
    ],
)
def test_texts_become_values(kind: pa.DataType, texts: list[str | None], values: list[Any]) -> None:
    found = as_type(pa.array(texts, pa.string()), kind).to_pylist()
    assert [None if value != value else value for value in found] == values


def test_parquet_files_that_differ_are_refused(index: Path, tmp_path: Path) -> None:
    pq.write_table(pa.table({"event_id": [1], "a": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"event_id": [1], "a": ["1"]}), tmp_path / "b.parquet")
    with pytest.raises(InputError, match="differ in their columns") as caught:
        LocalMatch(index_version(index), str(tmp_path), EventColumns())
    assert "leave out --local" in caught.value.help


def test_a_column_without_values_is_refused_as_on_spark(tmp_path: Path) -> None:
    """Else every event would be a bad one."""
    eligo.build({1: "a > 1", 2: "u.b = 'x'", 3: "m.k = 1", 4: "l = 'x'"}).save(tmp_path / "x.index")
    good = {
        "event_id": [1, 2],
        "a": [2, None],
        "u": [{"b": "x", "raw": b"x"}, None],
        "m": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
        "l": pa.array([["x"], None]).cast(pa.list_(pa.large_string())),
    }
    bad = {
        "a": [b"x", None],
        "u": [{"b": b"x", "raw": b"x"}, None],
        "m": pa.array([[("k", b"x")], []], pa.map_(pa.string(), pa.binary())),
        "l": [[["x"]], None],
    }
    for number, name in enumerate((None, *bad)):
        pq.write_table(pa.table(good if name is None else {**good, name: bad[name]}), tmp_path / f"{number}.parquet")
        if name is None:
            found = matches(tmp_path / "x.index", tmp_path / f"{number}.parquet", tmp_path / "out.jsonl")
            assert found == [(1, 1), (1, 2), (1, 3), (1, 4)]
        else:
            with pytest.raises(InputError, match=rf"column '{name}(\.b)?' of .* has no values"):
                matches(tmp_path / "x.index", tmp_path / f"{number}.parquet", tmp_path / "out.jsonl")
