"""The public `eligo.lint`: whatever expressions and events come as, and no good expression is lost by a bad one."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import eligo
from eligo.data.lint.lint_expressions import ALL_RULES
from eligo.errors import InputError

RULES = {"good": "age >= 18 and state = 'CA'", "bad": "age >", "typo": "agee > 18 and state = 'CA'"}
EVENTS = [{"age": 30, "state": "CA"}, {"age": 12}]
EXPECTED = [("bad", "invalid"), ("typo", "unknown-attribute"), ("typo", "never-matches")]


def told(expressions: object, **options: object) -> list[tuple[object, str]]:
    return [(finding.id, finding.rule) for finding in eligo.lint(expressions, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "expressions",
    [
        RULES,
        list(RULES.items()),
        pa.table({"id": list(RULES), "expression": list(RULES.values())}),
        {**RULES, "good": eligo.col("age") >= 18},
    ],
    ids=["mapping", "pairs", "table", "builder"],
)
def test_expressions_in_any_form(expressions: object) -> None:
    assert told(expressions, events=EVENTS) == EXPECTED


def test_events_in_any_form(tmp_path: Path) -> None:
    lines = tmp_path / "events.jsonl"
    lines.write_text("\n".join(map(json.dumps, EVENTS)))
    for events in (pa.Table.from_pylist(EVENTS), pa.Table.from_pylist(EVENTS).to_pandas(), lines, str(lines)):
        assert told(RULES, events=events) == EXPECTED


def test_a_schema_is_checked_too() -> None:
    assert told(RULES, schema={"age": "int", "state": "string"}) == [("bad", "invalid"), ("typo", "schema")]
    assert told({1: "a = 1 and a = 2"}, schema={"a": "int"}) == [(1, "never-true")]


def test_an_id_that_comes_twice_loses_nothing() -> None:
    assert told([("x", "agee = 1"), ("x", "age = 30"), (None, "age >")], events=EVENTS) == [
        ("x", "unknown-attribute"),
        ("x", "never-matches"),
        (None, "invalid"),
    ]


def test_text_and_json_of_a_finding() -> None:
    _, typo, whole = eligo.lint(RULES, events=EVENTS)
    assert str(typo) == (
        "'typo': unknown-attribute: no event has an attribute agee\n"
        "  line 1, column 1\n    | agee > 18 and state = 'CA'\n    | ^\n  help: did you mean age?"
    )
    assert str(whole).startswith("'typo': never-matches: no event makes it true")
    assert json.loads(json.dumps(typo.to_json())) == {
        "id": "typo",
        "rule": "unknown-attribute",
        "is_remark": False,
        "message": "no event has an attribute agee",
        "help": "did you mean age?",
        "other_id": None,
        "expression": "agee > 18 and state = 'CA'",
        "expression_line": 1,
        "expression_column": 1,
    }
    assert eligo.lint({1: "age = 5"}, events=EVENTS)[0].is_remark


def test_rules_are_left_out_by_name() -> None:
    assert told(RULES, events=EVENTS, ignore=["invalid", "never-matches"]) == [("typo", "unknown-attribute")]
    with pytest.raises(InputError, match="no lint rule 'style'"):
        eligo.lint(RULES, ignore=["style"])
    assert len(set(ALL_RULES)) == len(ALL_RULES)


@pytest.mark.parametrize("expressions", [3, "age > 3", [1], [("a",)], None])
def test_what_is_no_set_of_expressions_is_refused(expressions: object) -> None:
    with pytest.raises(InputError):
        eligo.lint(expressions)
