from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ..conftest import EligoCommand

BROKEN = "age in (1,\nstate = "


def test_places_and_carets_of_all_lines(eligo_command: EligoCommand) -> None:
    outcome = eligo_command("check", "-", stdin=BROKEN)
    assert outcome.code == 1
    assert "<stdin>:1:11: " in outcome.out
    assert "    | age in (1,\n    |           ^\n" in outcome.out
    assert "<stdin>:2:9: " in outcome.out
    assert "    | state =\n    |         ^\n" in outcome.out
    assert outcome.err == "2 expressions, 2 problems\n"


def test_installed_command_in_a_shell() -> None:
    command = [sys.executable, "-c", "from eligo.cli.main import run; run()", "check", "-"]
    done = subprocess.run(command, input=BROKEN, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
    assert done.returncode == 1
    assert "|           ^" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_good_expressions(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules = tmp_path / "rules.eligo"
    rules.write_text("-- all rules\n\nage > 3\r\n  -- more\nstate = 'CA' -- west\n")
    outcome = eligo_command("check", rules)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "2 expressions, no problems\n")


def test_lines_are_counted_with_comments_and_blank_lines(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("-- all rules\n\nage >\n")
    assert f"{rules}:3:6: " in eligo_command("check", rules).out


def test_all_files_are_collected(eligo_command: EligoCommand, tmp_path: Path) -> None:
    first, second = tmp_path / "first.eligo", tmp_path / "second.csv"
    first.write_text("age >\n")
    second.write_text('id,expression\nok,age > 3\n"a,b","state in (\'CA\',\n  \'NY"\n')
    outcome = eligo_command("check", first, second)
    assert outcome.code == 1
    assert f"{first}:1:6: " in outcome.out
    assert f"{second}:3: 'a,b', line 2, column 3: " in outcome.out
    assert outcome.err == "3 expressions in 2 files, 2 problems\n"


def test_json_lines(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules = tmp_path / "rules.jsonl"
    good = {"id": 1, "expression": "age > 3"}
    rows = [json.dumps(good), "{", json.dumps({"id": 2}), json.dumps({"id": 3, "expression": "age >"}), "[]"]
    rules.write_text("\n".join(rows))
    outcome = eligo_command("check", rules)
    assert outcome.code == 1
    assert f"{rules}:2: not JSON" in outcome.out
    assert f"{rules}:3: 2: 'expression' is missing" in outcome.out
    assert f"{rules}:4: 3, line 1, column 6: " in outcome.out
    assert f"{rules}:5: a line of JSON lines is an object" in outcome.out


def test_compressed_json_lines(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules = tmp_path / "rules.jsonl.gz"
    rules.write_bytes(gzip.compress(b'{"expression": "age >"}'))
    assert f"{rules}:1:6: " in eligo_command("check", rules).out


def test_parquet_with_other_columns(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules = tmp_path / "rules.parquet"
    pq.write_table(pa.table({"key": ["a", "b", "c"], "rule": ["age > 3", "age >", None]}), rules)
    outcome = eligo_command("check", rules, "--id-column", "key", "--expression-column", "rule")
    assert outcome.code == 1
    assert f"{rules}:2: 'b', line 1, column 6: " in outcome.out
    assert f"{rules}:3: 'c': 'rule' is missing" in outcome.out


def test_machine_output(eligo_command: EligoCommand) -> None:
    outcome = eligo_command("check", "--json", "-", stdin=BROKEN)
    records = [json.loads(line) for line in outcome.out.splitlines()]
    assert [(record["line"], record["expression_column"]) for record in records] == [(1, 11), (2, 9)]
    assert records[0]["expression"] == "age in (1,"
    assert all(record["error"] and record["help"] for record in records)


def test_schema(eligo_command: EligoCommand, tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"age": "int", "state": "string"}))
    outcome = eligo_command("check", "--schema", schema, "-", stdin="stat = 'CA' and age = 'x'\nage > 3\n")
    assert outcome.code == 1
    assert "<stdin>:1:1: " in outcome.out
    assert "<stdin>:1:17: " in outcome.out
    assert "state" in outcome.out


def test_what_cannot_be_read(eligo_command: EligoCommand, tmp_path: Path) -> None:
    no_such = eligo_command("check", tmp_path / "no.eligo")
    assert no_such.code == 2
    assert "No such file" in no_such.err
    strange = tmp_path / "rules.docx"
    strange.write_text("age > 3")
    assert "name the format" in eligo_command("check", strange).err
    assert eligo_command("check", "--format", "text", strange).code == 0
    assert eligo_command("check").code == 2
    csv = tmp_path / "rules.csv"
    csv.write_text("id,rule\n1,age > 3\n")
    outcome = eligo_command("check", csv)
    assert outcome.code == 2
    assert "--expression-column" in outcome.err


def test_a_line_that_is_not_utf8(eligo_command: EligoCommand) -> None:
    outcome = eligo_command("check", "-", stdin=b"age > 3\nname = '\xff'\nage >\n")
    assert outcome.code == 1
    assert "<stdin>:2: byte 9 of the line is not UTF-8" in outcome.out
    assert "<stdin>:3:6: " in outcome.out


def test_many_expressions(eligo_command: EligoCommand) -> None:
    lines = [f"age > {number} and state = 'CA'" for number in range(10_000)]
    lines[7_000] = "age >"
    outcome = eligo_command("check", "-", stdin="\n".join(lines))
    assert outcome.out.startswith("<stdin>:7001:6: ")
    assert outcome.err == "10,000 expressions, 1 problem\n"


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["check", "--help"]])
def test_help_and_version(eligo_command: EligoCommand, arguments: list[str]) -> None:
    outcome = eligo_command(*arguments)
    assert outcome.code == 0
    assert "eligo" in outcome.out


def test_events_show_what_no_rule_can_match(eligo_command: EligoCommand, tmp_path: Path) -> None:
    events, rules = tmp_path / "events.jsonl", tmp_path / "rules.csv"
    events.write_text('{"age": 18, "ts": "2026-01-01T10:00:00Z"}\n{"age": 44, "ts": "2026-01-02T10:00:00Z"}\n')
    rules.write_text(
        "id,expression\ngood,age >= 18\ntypo,agee >= 18\nkind,age = '3'\nmoment,ts >= date '2026-01-01'\n"
        "range,age > 150\nbad,age >\n"
    )
    outcome = eligo_command("check", "--events", events, rules)
    assert outcome.code == 1
    assert f"{rules}:7: 'bad', line 1, column 6: expected a value" in outcome.out
    assert f"{rules}:3: 'typo', line 1, column 1: unknown-attribute: no event has an attribute agee" in outcome.out
    assert "    | agee >= 18\n    | ^\n  help: did you mean age?\n" in outcome.out
    assert "'kind', line 1, column 1: wrong-kind: age is a number in the events, and '3' is a string" in outcome.out
    assert "'moment', line 1, column 1: wrong-kind: ts is a string or a timestamp" in outcome.out
    assert "'range', line 1, column 1: out-of-range: age is from 18 to 44 in the 2 events" in outcome.out
    assert "good" not in outcome.out
    assert outcome.err == "6 expressions, 4 problems\n"
    records = [
        json.loads(line) for line in eligo_command("check", "--json", "--events", events, rules).out.splitlines()
    ]
    assert [record.get("rule") for record in records] == [
        None,
        "unknown-attribute",
        *["wrong-kind"] * 2,
        "out-of-range",
    ]
    assert (records[1]["file"], records[1]["line"], records[1]["id"]) == (str(rules), 3, "typo")


def test_remarks_are_no_problems(eligo_command: EligoCommand, tmp_path: Path) -> None:
    events = tmp_path / "events.csv"
    events.write_text("age,state\n18,CA\n")
    outcome = eligo_command("check", "--events", events, "-", stdin="state = 'TX'")
    assert outcome.code == 0
    assert "<stdin>:1:1: unseen-value: state is never 'TX' in the one event" in outcome.out
    assert outcome.err == "1 expression, no problems\n"


def test_another_delimiter(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules, events = tmp_path / "rules.csv", tmp_path / "events.csv"
    rules.write_text("id\texpression\n1\tstate in ('CA','NY')\n2\tagee > 3\n")
    events.write_text("state\tage\nCA\t30\nNY\t40\n")
    for command in ("check", "lint"):
        outcome = eligo_command(command, "--delimiter", "tab", "--events", events, rules)
        assert outcome.code == 1 and "did you mean age?" in outcome.out
        assert "state" not in outcome.out
