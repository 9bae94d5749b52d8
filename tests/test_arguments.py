"""Are the usual slips refused with what is wrong and what to do, and the usual hopes fulfilled?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import eligo
from eligo.errors import EligoError, InputError, NoTruthError, UnknownRowError, printable, shown

INDEX = eligo.build({"a": "x = 1"})

SLIPS: list[tuple[Callable[[], Any], str]] = [
    (lambda: eligo.build({}, missing="maybe"), "'maybe' is not a policy"),  # type: ignore[arg-type]
    (lambda: eligo.build({}, on_error="ignore"), 'on_error is "raise" or "reject"'),  # type: ignore[arg-type]
    (lambda: eligo.build({}, engine=5), "an engine is named by a string"),  # type: ignore[arg-type]
    (lambda: eligo.build({"\ud800": "x = 1"}), "not Unicode text"),
    (lambda: eligo.build({1.5: "x = 1"}), "an id is a string or an int"),
    (lambda: eligo.build({"a": "x = 1"}, limits=5), "limits is a Limits"),  # type: ignore[arg-type]
    (lambda: eligo.build({"a": "x = 1"}, merge_at="x"), "merge_at is a finite number"),  # type: ignore[arg-type]
    (lambda: INDEX.top({"x": 1}, 1.5), "n is a whole number, 0 or more, not 1.5"),  # type: ignore[arg-type]
    (lambda: INDEX.top({"x": 1}, -1), "n is a whole number, 0 or more, not -1"),
    (lambda: INDEX.top({"x": 1}, True), "n is a whole number, 0 or more, not True"),
    (lambda: INDEX.insert("\ud800", "x = 1"), "not Unicode text"),
    (lambda: INDEX.match_batch([{"x": 1}]).ids(1), "there is no event 1 in a batch of 1"),
    (lambda: INDEX.publish("there", keep_versions="x"), "keep_versions is a whole number"),  # type: ignore[arg-type]
    (lambda: eligo.open(5), "path is a string or a Path, not 5"),  # type: ignore[arg-type]
    (lambda: eligo.from_sql("+"), "not complete"),
    (lambda: eligo.from_sql(5), "SQL is a string"),  # type: ignore[arg-type]
    (lambda: eligo.explain(5, {}), "5 is not an expression"),  # type: ignore[arg-type]
    (lambda: eligo.evaluate("x = 1", 5), "an event is a mapping"),  # type: ignore[arg-type]
    (lambda: eligo.col(5), "an attribute's name is a string"),  # type: ignore[arg-type]
    (lambda: eligo.weighted("a", True), "a weight is a number from 0 to"),
    (lambda: eligo.Limits(depth=-1), "Limits.depth is a whole number, 1 or more, not -1"),
    (lambda: eligo.set_threads("x"), "threads is a whole number"),  # type: ignore[arg-type]
    (lambda: eligo.Schema([5]), "5 is none"),  # type: ignore[list-item]
    (lambda: eligo.Schema.from_dict({"a": {"kind": "int", "several": "no"}}), "several is true or false"),
    (lambda: eligo.Hierarchy(5), "a mapping from nodes"),  # type: ignore[arg-type]
    (lambda: bool(eligo.col("a") == 1), "has no truth without an event"),
]


@pytest.mark.parametrize(("slip", "message"), SLIPS, ids=[message for _, message in SLIPS])
def test_a_slip_is_named(slip: Callable[[], Any], message: str) -> None:
    with pytest.raises(EligoError) as caught:
        slip()
    assert message in str(caught.value)


def test_those_who_caught_pythons_errors_still_do() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(NoTruthError, TypeError)
    assert issubclass(UnknownRowError, IndexError)


@pytest.mark.parametrize("form", ["x >= 1", {">=": ["x", 1]}, eligo.col("x") >= 1], ids=["text", "JSON form", "tree"])
def test_an_expression_is_taken_in_any_form(form: Any) -> None:
    form = eligo.parse("x >= 1") if isinstance(form, dict) else form
    assert eligo.evaluate(form, {"x": 2}) is True
    assert eligo.explain(form, {"x": 0}).matches is False
    assert eligo.canonical_text(form) == "x >= 1"
    assert eligo.Schema.from_dict({"x": "string"}).check(form)


def test_ids_of_subclasses_are_plain_ids() -> None:
    class Name(str):
        pass

    index = eligo.build({Name("a"): "x = 1"})
    assert index.match({"x": 1}) == ["a"]
    assert Name("a") in index
    assert object() not in index


def test_what_data_says_cannot_steer_a_terminal() -> None:
    hostile = "\x1b]8;;http://x\x07click\x1b[31m\u202e\r\n"
    assert printable(hostile).isprintable()
    assert printable(hostile, keep="\n").endswith("\\r\n")
    assert "\n" not in shown(["a\nb", hostile])
    assert shown(10**5_000) == "<int>"
    with pytest.raises(EligoError) as caught:
        INDEX.text(hostile)
    assert str(caught.value).isprintable()
    for text in (f"x = 1 and {hostile}", f"x = '{hostile}", f"'{hostile}'"):
        with pytest.raises(EligoError) as caught:
            eligo.parse(text)
        assert all(line.replace("\t", "").isprintable() for line in str(caught.value).split("\n"))
