"""Is the language reference right? Its examples, tables and error messages are checked against the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from eligo.errors import ExpressionError
from eligo.language.canonical import RESERVED, canonical_text
from eligo.language.evaluate import Missing, evaluate
from eligo.language.limits import Limits
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.text.parse import parse

REFERENCE = (Path(__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
TRUTH = {"true": True, "false": False, "unknown": None, "T": True, "F": False, "U": None}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", REFERENCE, re.M | re.S)


def table(first_cell: str) -> list[list[str]]:
    """The rows of the table whose header begins with a cell, without backticks."""
    lines = REFERENCE[REFERENCE.index(f"| {first_cell} |") :].split("\n\n")[0].splitlines()
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.mark.parametrize("text", blocks("eligo"))
def test_examples_are_expressions(text: str) -> None:
    assert canonical_text(parse(text))


@pytest.mark.parametrize("block", blocks("error"))
def test_errors_are_shown_as_they_are(block: str) -> None:
    text, _, message = block.partition("\n")
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert str(caught.value) == message.rstrip("\n")


@pytest.mark.parametrize(("text", "same"), [*table("written"), *table("written | canonical")])
def test_two_ways_to_write(text: str, same: str) -> None:
    assert canonical_text(parse(text)) == canonical_text(parse(same))


@pytest.mark.parametrize(("written", "canonical"), table("written | canonical"))
def test_canonical_texts(written: str, canonical: str) -> None:
    assert canonical_text(parse(written)) == canonical


@pytest.mark.parametrize(("text", "unknown", "false"), table("when `a` is missing"))
def test_missing_attributes(text: str, unknown: str, false: str) -> None:
    assert evaluate(parse(text), {}, missing="unknown") is TRUTH[unknown]
    assert evaluate(parse(text), {}, missing="false") is TRUTH[false]


@pytest.mark.parametrize(("text", "unknown", "false"), table("over these documents"))
def test_documents(text: str, unknown: str, false: str) -> None:
    (documents,) = map(json.loads, blocks("json"))
    event = json.loads(re.findall(r"and the event `(.*)`:", REFERENCE)[0])
    assert evaluate(text, event, missing="unknown", documents=documents) is TRUTH[unknown]
    assert evaluate(text, event, missing="false", documents=documents) is TRUTH[false]


@pytest.mark.parametrize("row", table("x | y"), ids=" ".join)
def test_kleenes_tables(row: list[str]) -> None:
    event = {name: TRUTH[cell] for name, cell in zip("xy", row[:2], strict=True)}
    for text, cell in zip(("x and y", "x or y", "x xor y", "x xnor y", "not x"), row[2:], strict=True):
        assert evaluate(parse(text), event, missing="unknown") is TRUTH[cell], text


@pytest.mark.parametrize("row", table("expression"), ids=" ".join)
def test_negation_normal_forms(row: list[str]) -> None:
    text, *forms = row
    for missing, form in zip(get_args(Missing), forms, strict=True):
        assert canonical_text(push_negations(parse(text), missing)) == form


@pytest.mark.parametrize("row", table("predicate"), ids=lambda row: row[0])
def test_every_predicate_is_one(row: list[str]) -> None:
    for text in row[0].replace("`", "").split(", a "):
        concrete = re.sub(r"\(x, …\)", "(1, 2)", text if text.startswith("a") else f"a {text}")
        assert canonical_text(parse(re.sub(r"\by\b", "2", re.sub(r"\bx\b", "1", concrete)))).startswith("a")


@pytest.mark.parametrize(("limit", "default", "counts"), table("limit"))
def test_defaults_of_limits(limit: str, default: str, counts: str) -> None:
    assert getattr(Limits(), limit) == int(default.replace(",", ""))
    assert counts


def test_reserved_words() -> None:
    paragraph = REFERENCE[REFERENCE.index("**Reserved words**") :].split(". In double")[0]
    assert set(re.findall(r"`(\w+)`", paragraph)) == RESERVED
