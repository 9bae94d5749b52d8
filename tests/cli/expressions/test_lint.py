from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..conftest import EligoCommand


def test_findings_with_their_places(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules = tmp_path / "rules.eligo"
    rules.write_text("-- rules\na = 1 and b = 2\nb = 2 and a = 1\na > 3 and a exists and a is missing\n")
    outcome = eligo_command("lint", "--ignore", "missing-policy", rules)
    assert outcome.code == 1
    first, second = outcome.out.splitlines()
    assert first.startswith(f"{rules}:3: duplicate: ")
    assert f"{rules}:2" in first
    assert second.startswith(f"{rules}:4: never-true: ")
    assert outcome.err == "2 findings\n"


def test_ids_of_tables(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules = tmp_path / "rules.csv"
    rules.write_text("id,expression\nwide,a = 1\nnarrow,a = 1 and b = 2\nbad,a >\n")
    outcome = eligo_command("lint", "--json", rules)
    records = [json.loads(line) for line in outcome.out.splitlines()]
    assert records[0]["id"] == "bad"
    assert records[0]["error"]
    subsumed = next(record for record in records if record.get("rule") == "subsumed")
    assert (subsumed["id"], subsumed["line"]) == ("narrow", 3)
    assert (subsumed["other_id"], subsumed["other_line"]) == ("wide", 2)


def test_policies_differ(eligo_command: EligoCommand) -> None:
    outcome = eligo_command("lint", "-", stdin="not a = 1\n")
    assert outcome.code == 1
    assert "<stdin>:1: missing-policy: " in outcome.out


def test_a_schema_says_what_is_single_valued(eligo_command: EligoCommand, tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"a": "int"}))
    arguments = ("lint", "--ignore", "missing-policy", "-")
    assert eligo_command(*arguments, stdin="a = 1 and a = 2").code == 0
    assert "never-true" in eligo_command(*arguments, "--schema", schema, stdin="a = 1 and a = 2").out


def test_nothing_found(eligo_command: EligoCommand) -> None:
    outcome = eligo_command("lint", "-", stdin="a = 1\nb = 2\n")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "0 findings\n")


def test_unknown_rule(eligo_command: EligoCommand) -> None:
    outcome = eligo_command("lint", "--ignore", "style", "-", stdin="a = 1")
    assert outcome.code == 2
    assert "never-true" in outcome.err


def test_quantified_parts(eligo_command: EligoCommand) -> None:
    outcome = eligo_command("lint", "-", stdin="exists d (price < d.price)\nexists d (shop = 'A' and d.new)\n")
    assert outcome.out.startswith("<stdin>:2: event-in-part: shop = 'A' is about the event alone")
    assert outcome.err == "1 finding\n"


def test_events_show_what_never_matches(eligo_command: EligoCommand, tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text('{"age": 18, "state": "CA"}\n')
    rules = "agee > 3 and state = 'CA'\nstate = 'CA'\nage > 20\n"
    outcome = eligo_command("lint", "--events", events, "--ignore", "subsumed", "-", stdin=rules)
    assert outcome.code == 1
    assert "<stdin>:1:1: unknown-attribute: no event has an attribute agee\n    | agee > 3" in outcome.out
    assert "<stdin>:1: never-matches: " in outcome.out
    assert "<stdin>:3: no-match-seen: " in outcome.out
    assert outcome.err == "2 findings, 2 remarks\n"
    remarks = eligo_command("lint", "--events", events, "-", stdin="age > 20")
    assert (remarks.code, remarks.err) == (0, "0 findings, 2 remarks\n")
    assert eligo_command("lint", "--events", events, "--ignore", "out-of-range", "-", stdin="age > 20").out == (
        "<stdin>:1: no-match-seen: none of the 1 events makes it true\n"
    )


@pytest.mark.parametrize("command", ["lint", "check"])
def test_rules_and_events_with_another_delimiter(eligo_command: EligoCommand, tmp_path: Path, command: str) -> None:
    rules, events = tmp_path / "rules.csv", tmp_path / "events.csv"
    rules.write_text("id;expression\n1;age > 3\n2;agee > 3\n")
    events.write_text("age;state\n3;CA, NY\n44;TX\n")
    outcome = eligo_command(command, "--events", events, "--delimiter", ";", rules)
    assert outcome.code == 1
    assert "'2', line 1, column 1: unknown-attribute" in outcome.out and "'1', line" not in outcome.out
    assert eligo_command(command, "--events", events, rules).code == 2
