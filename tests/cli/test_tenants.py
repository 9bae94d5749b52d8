"""Tenants from files: those of CSV are text, in expressions and in events, and the option has one name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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
