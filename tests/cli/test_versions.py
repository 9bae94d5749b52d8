"""The commands that change an index: update, compact, versions."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import eligo

from .conftest import EligoCommand

pytestmark = pytest.mark.usefixtures("spark")


def test_update_compact_and_versions(eligo_command: EligoCommand, tmp_path: Path) -> None:
    index, table, deleted = tmp_path / "ads.index", tmp_path / "ads.csv", tmp_path / "gone.jsonl"
    table.write_text("id,expression,shop,start\na,age = 1,x,2026-01-01T00:00:00Z\nb,age = 1,y,\nb,age = 2,y,\n")
    guards = ("--tenant", "shop", "--valid-from", "start")
    refused = eligo_command("build", table, index, *guards)
    assert refused.code == 2
    assert "ids come more than once, with different expressions: 'b'" in refused.err
    assert "--on-duplicate last" in refused.err
    assert not index.exists() or not list(index.glob("manifest*")), "nothing is published"
    built = eligo_command("build", table, index, *guards, "--on-duplicate", "last")
    assert built.code == 0, built.err
    assert "3 rows: 2 accepted, 0 rejected, 1 replaced by a later row" in built.err
    changed = tmp_path / "changed.parquet"
    pq.write_table(pa.table({"id": ["c", "d"], "expression": ["age = 2", "age ="], "shop": ["y", "y"]}), changed)
    deleted.write_text('{"id": "a"}\n{"id": "nobody"}\n')
    updated = eligo_command("update", index, "--changed", changed, "--deleted", deleted, "--tenant", "shop")
    assert updated.code == 1, "a row was rejected"
    twice = tmp_path / "twice.jsonl"
    twice.write_text(
        '{"id": "c", "expression": "age = 3", "shop": "y"}\n{"id": "c", "expression": "age = 4", "shop": "y"}\n'
    )
    refused = eligo_command("update", index, "--changed", twice, "--tenant", "shop")
    assert refused.code == 2
    assert "more than once, with different expressions: 'c'" in refused.err
    assert "1 expression changed, 1 deleted (1 unknown id); 2 live in version 2, 1 shard" in updated.err
    assert sorted(eligo.open(index).match({"age": 2, "@tenant": "y"})) == ["b", "c"]
    assert eligo_command("compact", index).code == 0
    assert sorted(eligo.open(index).match({"age": 2, "@tenant": "y"})) == ["b", "c"]
    assert "no updates" in eligo_command("compact", index).err
    listed = eligo_command("versions", index)
    assert [line.split()[0] for line in listed.out.splitlines()] == ["1", "2", "3"]
    assert listed.out.splitlines()[-1].endswith("live")
    as_json = eligo_command("versions", index, "--json", "--keep", 2)
    rows = [json.loads(line) for line in as_json.out.splitlines()]
    assert [(row["version"], row["deltas"], row["expressions"]) for row in rows] == [(2, 1, 2), (3, 0, 2)]


def test_what_cannot_run(eligo_command: EligoCommand, tmp_path: Path) -> None:
    index = tmp_path / "x.index"
    eligo.build({"a": "age = 1"}).save(index)
    nothing = eligo_command("update", index)
    assert nothing.code == 2
    assert "--changed" in nothing.err
    assert eligo_command("versions", tmp_path / "none").code == 2
    ids = tmp_path / "ids.parquet"
    pq.write_table(pa.table({"id": [1]}), ids)
    wrong = eligo_command("update", index, "--deleted", ids)
    assert wrong.code == 2
    assert "are strings" in wrong.err
