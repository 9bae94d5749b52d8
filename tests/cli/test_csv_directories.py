"""Does every command read a directory of CSV files by the names in their headers?"""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.dataset as ds
import pytest

import eligo

from .conftest import EligoCommand

pytestmark = pytest.mark.usefixtures("spark")


def lines(text: str) -> set[tuple[object, ...]]:
    return {tuple(json.loads(line).values()) for line in text.splitlines()}


def test_all_commands(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules, events, index = tmp_path / "rules", tmp_path / "events", tmp_path / "x.index"
    rules.mkdir()
    (rules / "a.csv").write_text("id,expression,rank\nbig-x,x > 10,1\n")
    (rules / "b.csv").write_text("expression,stop,id\ny > 10,2026-01-01,big-y\ny < 0,T10:00,bad\n")
    built = eligo_command("build", rules, index, "--order-by", "rank", "--valid-to", "stop")
    assert built.code == 1
    assert "3 rows: 2 accepted, 1 rejected" in built.err
    assert set(eligo.open(index).ids) == {"big-x", "big-y"}
    events.mkdir()
    (events / "a.csv").write_text("event_id,x,y,at\n1,20,1,2025-01-01\n")
    (events / "b.csv").write_text("event_id,y,x\n2,20,1\n")
    (events / "c.csv").write_text("y,at,event_id\n20,2025-01-01,3\n30,,4\n")
    at = ("--time-column", "at")
    expected = {("1", "big-x"), ("3", "big-y")}
    assert lines(eligo_command("match", index, events, "--out", "-", *at).out) == expected
    assert lines(eligo_command("count", index, events, "--out", "-", *at).out) == {("big-x", 1), ("big-y", 1)}
    best = eligo_command("top", index, events, "-n", "1", "--out", "-", *at)
    assert {row[:3] for row in lines(best.out)} == {("1", 1, "big-x"), ("3", 1, "big-y")}
    (rules / "c.csv").write_text("id,rank,expression\nbig-x,2,x > 100\n")
    updated = eligo_command("update", index, "--changed", rules, "--order-by", "rank", "--valid-to", "stop")
    assert "2 expressions changed" in updated.err
    compared = eligo_command("diff", index, index, events, "--old-version", "1", "--out", "-", *at)
    assert [json.loads(line)["lost_events"] for line in compared.out.splitlines()] == [["1"]], compared.err
    profiled = json.loads(eligo_command("profile", rules, "--events", events, "--json").out)
    shares = {row["predicate"]: row["selectivity"] for row in profiled["predicates"]}
    assert (shares["x > 10"], shares["y > 10"]) == (0.25, 0.75)
    out = tmp_path / "out"
    places = ("--out", out, "--checkpoint", tmp_path / "mark", "--format", "csv", "--once")
    streamed = eligo_command("stream", index, events, *places, *at)
    assert streamed.code == 0, streamed.err
    found = ds.dataset(out, format="parquet", partitioning="hive").to_table().to_pylist()
    assert {(row["event_id"], row["expression_id"]) for row in found} == {("3", "big-y")}
