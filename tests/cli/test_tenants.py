"""Tenants from files: those of CSV are text, in expressions and in events, and the option has one name."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import eligo

from .conftest import EligoCommand

pytestmark = pytest.mark.usefixtures("spark")


def test_tenants_of_csv_are_text(eligo_command: EligoCommand, tmp_path: Path) -> None:
    index, table, more = tmp_path / "x.index", tmp_path / "rules.csv", tmp_path / "more.csv"
    table.write_text("id,expression,shop\na,x = 1,007\nb,x = 1,7\n")
    built = eligo_command("build", table, index, "--tenant-column", "shop")
    assert built.code == 0, built.err
    more.write_text("id,expression,shop\nc,x = 1,acme\n")
    updated = eligo_command("update", index, "--changed", more, "--tenant", "shop")  # as it was called once
    assert updated.code == 0, updated.err
    events, out = tmp_path / "events.csv", tmp_path / "matches.jsonl"
    events.write_text("event_id,x,who\n1,1,007\n2,1,7\n3,1,07\n")
    matched = eligo_command("match", index, events, "--out", out, "--tenant-column", "who")
    assert matched.code == 0, matched.err
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert sorted((row["event_id"], row["expression_id"]) for row in found) == [("1", "a"), ("2", "b")]
    assert eligo.open(index).match({"x": 1, "@tenant": "007"}) == ["a"]
    numbers = tmp_path / "numbers.jsonl"
    numbers.write_text('{"id": "d", "expression": "x = 1", "shop": 7}\n')
    refused = eligo_command("update", index, "--changed", numbers, "--tenant-column", "shop")
    assert refused.code == 2
    assert "are strings, and those of column 'shop' are integers" in refused.err


@pytest.mark.parametrize("format", ["parquet", "csv", "jsonl"])
def test_tenants_in_the_names_of_directories_are_text(format: str, eligo_command: EligoCommand, tmp_path: Path) -> None:
    index, rules, events, out = (tmp_path / name for name in ("x.index", "rules", "events", "matches.jsonl"))
    for shop in ("007", "7"):
        write(rules / f"shop={shop}", format, {"id": f"of {shop}", "expression": "x = 1 and month = 2"})
        write(events / f"shop={shop}" / "month=02", format, {"event_id": f"e {shop}", "x": 1, "month": 2})
    how = ("--format", format, "--tenant-column", "shop")
    built = eligo_command("build", rules, index, *how)
    assert built.code == 0, built.err
    assert eligo.open(index).match({"x": 1, "month": 2, "@tenant": "007"}) == ["of 007"]
    matched = eligo_command("match", index, events, "--out", out, *how)
    assert matched.code == 0, matched.err
    expected = [("e 007", "of 007"), ("e 7", "of 7")]
    assert sorted((row["event_id"], row["expression_id"]) for row in read_lines(out)) == expected
    streamed = tmp_path / "streamed"
    places = ("--out", streamed, "--checkpoint", tmp_path / "checkpoint", "--once")
    stopped = eligo_command("stream", index, events, *places, *how)
    assert stopped.code == 0, stopped.err
    found = pq.read_table(streamed, partitioning="hive").to_pylist()
    assert sorted((row["event_id"], row["expression_id"]) for row in found) == expected
    if format == "parquet":
        why = eligo_command("explain", "e 007", "--events", events, "--index", index, "--id", "of 007", *how)
        assert why.out.startswith("of 007 matches, because"), why.out


def write(folder: Path, format: str, row: dict[str, object]) -> None:
    folder.mkdir(parents=True)
    inside = {name: value for name, value in row.items() if name != "month" or format == "jsonl"}
    table = pa.table({name: [value] for name, value in inside.items()})
    if format == "parquet":
        pq.write_table(table, folder / "a.parquet")
    elif format == "csv":
        csv.write_csv(table, folder / "a.csv")
    else:
        (folder / "a.jsonl").write_text(json.dumps(inside) + "\n")


def read_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
