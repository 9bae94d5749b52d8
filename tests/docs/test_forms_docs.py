"""Are the pages on the forms of an expression true? Every row of their tables and every example is run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from document_examples import python_blocks, run_block
from eligo.language.explain.explain import explain
from eligo.language.forms.builder import all_of, col, exists, forall, weighted, xnor
from eligo.language.forms.json_form import dumps, from_json, schema
from eligo.language.forms.sql import from_sql
from eligo.language.text.parse import parse

DOCS = Path(__file__).parents[2] / "docs"


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def rows(page: str, header: str) -> list[list[str]]:
    """The code of each row of the table with this header."""
    table = text_of(page).split(f"{header}\n|---|---|\n")[1].split("\n\n")[0]
    return [re.findall(r"<code>(.+?)</code>|`(.+?)`(?= ?\|)", row) for row in table.split("\n")]


def pairs(page: str, header: str) -> list[tuple[str, str]]:
    return [tuple("".join(cell).replace("&#124;", "|") for cell in row) for row in rows(page, header)]


@pytest.mark.parametrize("sql, text", pairs("sql.md", "| SQL | text |"))
def test_sql_table(sql, text):
    assert from_sql(sql) == parse(text)


@pytest.mark.parametrize("python, text", pairs("python-builder.md", "| Python | text |"))
def test_builder_table(python, text):
    built = eval(
        python, {"col": col, "weighted": weighted, "xnor": xnor, "all_of": all_of, "exists": exists, "forall": forall}
    )
    assert built == parse(text)
    assert repr(built) == text


@pytest.mark.parametrize(
    "page, num_results", [("json-form.md", 8), ("python-builder.md", 4), ("sql.md", 2), ("explain.md", 2)]
)
def test_examples(page, num_results, capsys):
    found = 0
    for block in python_blocks(DOCS / page):
        found += run_block(block)
        assert capsys.readouterr().out in text_of(page)
    assert found == num_results


def test_json_example_is_the_expression_above_it():
    (block,) = re.findall(r"```json\n(.*?)```", text_of("json-form.md"), re.S)
    text = re.findall(r"`(age between .*)` is\n", text_of("json-form.md"))[0]
    assert from_json(json.loads(block)) == parse(text)


def test_json_page_names_every_operator():
    operators = set(
        re.findall(r"`([a-z<>=! ]+)`", text_of("json-form.md").split("## Predicates")[1].split("## Values")[0])
    )
    definitions = schema()["$defs"].values()
    of_schema = [d["properties"]["operator"] for d in definitions if "operator" in d.get("properties", {})]
    assert {name for rule in of_schema for name in rule.get("enum", [rule.get("const")])} <= operators


def test_sql_error_example():
    (block,) = re.findall(r"```text\n(.*?)```", text_of("sql.md"), re.S)
    with pytest.raises(Exception) as caught:
        from_sql("a = 1 AND upper(b) = 'X'")
    assert str(caught.value) == block.rstrip()


def test_all_forms_meet():
    text = "age between 18 and 24 and not device = 'tv'"
    built = col("age").between(18, 24) & ~(col("device") == "tv")
    assert built == parse(text) == from_sql(text) == from_json(json.loads(dumps(built)))
    assert repr(built) == text
    assert str(explain(built, {"age": 20, "device": "phone"})).startswith("matches, because")
