from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import eligo
from eligo.stores.address import Address, place
from eligo.stores.store import store_of
from store_places import S3Server

from .conftest import EligoCommand


def test_a_schema_that_check_takes(eligo_command: EligoCommand, tmp_path: Path) -> None:
    events = tmp_path / "events.parquet"
    pq.write_table(pa.table({"event_id": [1], "age": [30], "tags": [["a", "b"]], "odd": pa.nulls(1)}), events)
    schema = tmp_path / "schema.json"
    outcome = eligo_command("schema", events, "--out", schema)
    assert outcome.code == 0
    assert outcome.err == "2 attributes in 1 event\nnot in the schema, for want of values of one kind: 'odd'\n"
    known = eligo.Schema.from_json(json.loads(schema.read_text()))
    assert known.names == ["age", "tags"]
    checked = eligo_command("check", "--schema", schema, "-", stdin="agee > 3\nage = 'x'\nage > 3")
    assert checked.code == 1
    assert "did you mean age?" in checked.out
    assert checked.err == "3 expressions, 2 problems\n"


def test_bounds_and_values_on_stdout(eligo_command: EligoCommand, tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text('{"age": 18, "state": "CA"}\n{"age": 44, "state": "TX"}\n{"age": 30, "state": "TX"}\n')
    outcome = eligo_command("schema", events, "--bounds", "--values", "2", "--sample", "2")
    assert json.loads(outcome.out) == {
        "attributes": {
            "age": {"kind": "int", "values": [18, 44]},
            "state": {"kind": "string", "values": ["CA", "TX"]},
        },
        "closed": False,
    }
    assert json.loads(eligo_command("schema", events, "--bounds").out)["attributes"]["age"] == {
        "kind": "int",
        "low": 18,
        "high": 44,
    }


def test_another_delimiter(eligo_command: EligoCommand, tmp_path: Path) -> None:
    (tmp_path / "events.csv").write_text("event_id;age;note\n1;30;a, b\n")
    outcome = eligo_command("schema", tmp_path / "events.csv", "--delimiter", ";")
    assert list(json.loads(outcome.out)["attributes"]) == ["age", "note"]


def test_a_file_that_is_not_there(eligo_command: EligoCommand, tmp_path: Path) -> None:
    assert eligo_command("schema", tmp_path / "none.csv").code == 2


def test_csv_with_another_delimiter(eligo_command: EligoCommand, tmp_path: Path) -> None:
    events = tmp_path / "events.csv"
    events.write_text("age\tplan\tnote\n18\t\ta, b\n")
    outcome = eligo_command("schema", events, "--delimiter", "tab")
    assert json.loads(outcome.out)["attributes"] == {"age": {"kind": "int"}, "note": {"kind": "string"}}
    assert outcome.err.endswith("for want of values of one kind: 'plan'\n")


def test_a_file_without_events(eligo_command: EligoCommand, tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text("\n")
    outcome = eligo_command("schema", tmp_path / "events.jsonl")
    assert outcome.code == 2 and "no events, and no line that is a JSON object" in outcome.err


def test_events_are_no_schema(eligo_command: EligoCommand, tmp_path: Path) -> None:
    outcome = eligo_command("check", "--schema", tmp_path / "events.parquet", "-", stdin="age > 3")
    assert outcome.code == 2
    assert "is a table of events, not a schema" in outcome.err and "eligo schema FILE --out" in outcome.err


def test_a_schema_in_a_store(eligo_command: EligoCommand, s3: S3Server) -> None:
    address = place(f"{s3.new_home()}/schema.json")
    assert isinstance(address, Address)
    store_of(address).put(address.key, [b'{"age": "int"}'])
    outcome = eligo_command("check", "--schema", address, "-", stdin="age > 3\nagee > 3")
    assert outcome.code == 1 and outcome.err == "2 expressions, 1 problem\n"
