"""Is an address taken wherever a command takes a path, or refused by name, and never made a directory of?"""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import eligo
from eligo.errors import InputError
from eligo.stores.address import Address, place
from eligo.stores.store import store_of
from store_places import S3Server

from .conftest import EligoCommand

LOCAL_ONLY = [
    ("demo", "--out", ""),
    ("warmup", "--cache", ""),
    ("token", "create", "", "--scope", "read"),
    ("token", "list", ""),
    ("serve", ""),
    ("serve", "--tokens", "", "data"),
    ("serve", "--decisions", "", "data"),
    ("serve", "--follow-token", "", "data"),
]


@pytest.mark.parametrize("command", LOCAL_ONLY, ids=lambda command: " ".join(command[:2]))
@pytest.mark.parametrize("address", ["s3://bucket/data", "s3a://bucket/data", "ftp://host/data"])
def test_what_must_be_a_directory_of_this_machine(
    eligo_command: EligoCommand,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    address: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    told = eligo_command(*(part or address for part in command))
    scheme = address.partition(":")[0]
    assert told.code == 2 and f"is an address of {scheme}://, and can only be a path of this machine" in told.err
    assert os.listdir(tmp_path) == []


EVENTS = [{"event_id": 1, "age": 30, "state": "CA"}, {"event_id": 2, "age": 12, "state": "NY"}]
LINES = "".join(f"{json.dumps(event)}\n" for event in EVENTS).encode()


@pytest.fixture
def top(s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Address:
    """A place in a store with the same events in several files, asked from an empty directory."""
    home = place(s3.new_home())
    assert isinstance(home, Address)
    pq.write_table(pa.Table.from_pylist(EVENTS), tmp_path / "events.parquet")
    parquet = (tmp_path / "events.parquet").read_bytes()
    put(home / "events.parquet", parquet)
    put(home / "days/day=1/part-0.parquet", parquet)
    put(home / "days/_SUCCESS", b"")
    put(home / "events.jsonl", LINES)
    put(home / "events.jsonl.gz", gzip.compress(LINES))
    put(home / "parts/b.jsonl", LINES)
    put(home / "parts/_hidden.jsonl", b'{"odd": 1}\n')
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    return home


def put(address: Address, data: bytes) -> None:
    store_of(address).put(address.key, [data])


def kinds(text: str | bytes) -> dict[str, str]:
    return {attribute.name: attribute.kind for attribute in eligo.Schema.from_json(json.loads(text))}


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("events.parquet", {}),
        ("days", {"day": "int"}),
        ("events.jsonl", {}),
        ("events.jsonl.gz", {}),
        ("parts", {}),
    ],
)
def test_a_schema_of_events_in_a_store(
    eligo_command: EligoCommand, top: Address, name: str, more: dict[str, str]
) -> None:
    format = {"days": ("--format", "parquet"), "parts": ("--format", "jsonl")}.get(name, ())
    as_s3a = str(top / name).replace("s3://", "s3a://")
    target = top / "made/schema.json"
    told = eligo_command("schema", as_s3a, *format, "--out", target)
    assert (told.code, told.out) == (0, ""), told.err
    assert kinds(store_of(target).read(target.key)) == {"age": "int", "state": "string", **more}
    assert os.listdir() == []


def test_a_schema_and_events_that_expressions_must_fit(eligo_command: EligoCommand, top: Address) -> None:
    schema = top / "schema.json"
    put(schema, b'{"attributes": {"age": {"kind": "int"}}, "closed": true}')
    told = eligo_command("check", "--schema", schema, "-", stdin="age > 3\nagee > 3")
    assert told.code == 1 and "did you mean age?" in told.out
    for command in ("check", "lint"):
        for name in ("events.parquet", "events.jsonl"):
            told = eligo_command(command, "--events", top / name, "-", stdin="age > 3\nagee > 3")
            assert told.code == 1 and "did you mean age?" in told.out, (command, name)
    found = eligo.lint({1: "agee > 3"}, events=str(top / "events.parquet"))
    assert "unknown-attribute" in [finding.rule for finding in found]
    with pytest.raises(InputError, match="is not there"):
        eligo.lint({1: "age > 3"}, events=str(top / "none.parquet"))


def test_an_event_in_a_store_is_explained(eligo_command: EligoCommand, top: Address) -> None:
    eligo.build({"west": "state = 'CA'"}).save(str(top / "ads.index"))
    for name in ("events.parquet", "events.jsonl"):
        events = str(top / name).replace("s3://", "s3a://")  # which file systems of Arrow's own do not know
        told = eligo_command("explain", "1", "--events", events, "--index", top / "ads.index", "--id", "west")
        assert told.code == 0 and told.out.startswith("west matches"), told.err


@pytest.mark.parametrize(
    "command",
    [
        ("schema", "ADDRESS"),
        ("schema", "events.jsonl", "--out", "ADDRESS"),
        ("check", "--events", "ADDRESS", "rules.eligo"),
        ("lint", "--events", "ADDRESS", "rules.eligo"),
        ("check", "--schema", "ADDRESS", "rules.eligo"),
        ("explain", "1", "--events", "ADDRESS", "--expression", "age > 3", "--format", "parquet"),
    ],
    ids=" ".join,
)
def test_an_unknown_scheme_is_named_with_the_list(
    eligo_command: EligoCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("events.jsonl").write_bytes(LINES)
    Path("rules.eligo").write_text("age > 3\n")
    told = eligo_command(*("ftp://host/x.csv" if part == "ADDRESS" else part for part in command))
    assert told.code == 2 and "the scheme 'ftp', which is not known" in told.err
    assert "known are file://, s3://" in told.err
    assert sorted(os.listdir()) == ["events.jsonl", "rules.eligo"]
