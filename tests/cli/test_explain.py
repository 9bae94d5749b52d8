from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import eligo

from .conftest import EligoCommand

EXPRESSION = "age between 18 and 24 and not device = 'tv'"


def test_an_expression_on_the_command_line(eligo_command: EligoCommand) -> None:
    outcome = eligo_command("explain", '{"age": 30}', "--expression", EXPRESSION)
    assert outcome.code == 0
    assert outcome.out.startswith("does not match")
    assert "age = 30" in outcome.out
    assert "\x1b" not in outcome.out


def test_json(eligo_command: EligoCommand) -> None:
    outcome = eligo_command("explain", "-", "--expression", EXPRESSION, "--json", stdin='{"age": 20, "device": "pc"}')
    assert json.loads(outcome.out)["matches"] is True


def test_the_policy(eligo_command: EligoCommand) -> None:
    arguments = ("explain", '{"age": 20}', "--expression", EXPRESSION)
    assert eligo_command(*arguments).out.startswith("does not match (unknown)")
    assert eligo_command(*arguments, "--missing", "false").out.startswith("matches")


def test_an_id_in_an_index_and_an_event_in_a_file(eligo_command: EligoCommand, tmp_path: Path) -> None:
    index, lines, parquet = tmp_path / "ads.index", tmp_path / "events.jsonl", tmp_path / "events.parquet"
    eligo.build([(1, "day = date '2026-03-01'"), (2, "age > 3")]).save(index)
    lines.write_text('{"event_id": "e0", "age": 1}\n{"event_id": "e1", "day": "2026-03-01"}\n')
    pq.write_table(pa.table({"event_id": [6, 7], "age": [1, 9]}), parquet)
    from_lines = eligo_command("explain", "e1", "--events", lines, "--index", index, "--id", 1)
    assert from_lines.out.startswith("1 matches")
    from_parquet = eligo_command("explain", 7, "--events", parquet, "--index", index, "--id", 2)
    assert from_parquet.out.startswith("2 matches")
    assert eligo_command("explain", 8, "--events", parquet, "--index", index, "--id", 2).code == 2
    assert eligo_command("explain", '{"age": 1}', "--index", index, "--id", 3).code == 2


def test_tenant_and_time_of_an_event(eligo_command: EligoCommand, tmp_path: Path) -> None:
    text = "\"@tenant\" = 'acme'^0 and \"@time\" < timestamp '2027-01-01T00:00:00Z'^0 and (\nage > 18\n)"
    eligo.build({"a": text}).save(tmp_path / "x.index")
    event = '{"age": 20, "shop": "acme", "at": "2026-05-01T00:00:00Z"}'
    asked = ("explain", event, "--index", tmp_path / "x.index", "--id", "a")
    assert eligo_command(*asked).out.startswith("a does not match")
    assert eligo_command(*asked, "--tenant-column", "shop", "--time-column", "at").out.startswith("a matches")


def test_wrong_usage(eligo_command: EligoCommand, tmp_path: Path) -> None:
    assert eligo_command("explain", "{}").code == 2
    assert eligo_command("explain", "{}", "--index", tmp_path, "--expression", "a", "--id", 1).code == 2
    not_json = eligo_command("explain", "{age: 3}", "--expression", "age = 3")
    assert not_json.code == 2
    assert "not JSON" in not_json.err
    assert eligo_command("explain", "[]", "--expression", "age = 3").code == 2
    assert "expected a value" in eligo_command("explain", "{}", "--expression", "age = ").err


def test_documents_of_a_file_and_of_a_base(eligo_command: EligoCommand, tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text('{"price": 25, "came": "2020-01-01"}\n')
    with eligo.DocumentBase(tmp_path / "docs.base") as base:
        base.add({"price": 25})
    for given in (["docs.jsonl", "--document-time", "came"], ["docs.base"]):
        options = ["--documents", str(tmp_path / given[0]), *given[1:]]
        outcome = eligo_command("explain", '{"price": 20}', "--expression", "exists d (price < d.price)", *options)
        assert outcome.code == 0
        assert "document #0, one of 1" in outcome.out
