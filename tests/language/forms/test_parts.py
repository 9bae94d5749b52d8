"""Quantified parts in JSON and in Python: what they give, and what is refused, with its place and a way out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import jsonschema
import pytest

import eligo
from eligo import col, exists, forall
from eligo.data.schema.schema import Schema
from eligo.errors import EligoError
from eligo.language.evaluate import evaluate
from eligo.language.forms.json_form import from_json, schema, to_json
from eligo.language.limits import Limits
from eligo.language.quantified import Joined, OfDocument
from eligo.language.text.parse import parse, parse_source
from eligo.language.tree import Expression, Greater
from eligo.language.within import within

VALIDATOR = jsonschema.Draft202012Validator(schema())
NEW: dict[str, Any] = {"document_attribute": "new", "operator": "is true"}


def test_the_json_of_a_part() -> None:
    text = "exists d in last '7 days' (price < d.price and not d.shop in ('A', 'B')) or forall d in last 5 (d.new)"
    document = {
        "or": [
            {
                "exists": {
                    "and": [
                        {"attribute": "price", "operator": "<", "document_attribute": "price"},
                        {"not": {"document_attribute": "shop", "operator": "in", "values": ["A", "B"]}},
                    ]
                },
                "last": "7 days",
            },
            {"forall": NEW, "last": 5},
        ]
    }
    assert to_json(parse(text)) == document
    assert from_json(document) == parse(text)
    VALIDATOR.validate(document)


@pytest.mark.parametrize(
    ("document", "message", "schema_sees_it"),
    [
        (NEW, "$: an attribute of a document stands outside", True),
        ({"exists": {"attribute": "a", "operator": "is true"}}, "$: nothing between the parentheses", False),
        ({"exists": NEW, "last": 0}, "$: 'in last' takes a number of documents", True),
        ({"exists": NEW, "last": True}, "$.last: 'last' is a number of documents", True),
        ({"exists": NEW, "last": 1.5}, "$.last: 'last' is a number of documents", True),
        ({"exists": NEW, "last": "soon"}, "$.last: 'soon' is not a length of time", True),
        ({"exists": NEW, "lsat": 3}, "$: 'exists' does not take 'lsat'\n  help: did you mean `last`?", True),
        ({"exists": NEW, "forall": NEW}, "$: 'exists' does not take 'forall'", True),
        ({"exists": 3}, "$.exists: a node is an object", True),
        ({"exists": {"exists": NEW}}, "$: a quantified part cannot stand in another", True),
        (
            {"exists": {"attribute": "a", "operator": "between", "document_attribute": "b"}},
            "$.exists: 'between' does not compare",
            True,
        ),
        (
            {"exists": {"attribute": "a", "operator": "=", "document_attribute": "b", "value": 3}},
            "$.exists: a comparison of two attributes does not take 'value'",
            True,
        ),
        (
            {"exists": {"attribute": "a", "document_attribute": "b"}},
            "$.exists.operator: a comparison needs an operator",
            True,
        ),
        ({"attribute": "@exists d (d.x)", "operator": "is true"}, "$: '@exists d (d.x)' is the name of", True),
    ],
    ids=str,
)
def test_wrong_json(document: dict[str, Any], message: str, schema_sees_it: bool) -> None:
    with pytest.raises(EligoError) as caught:
        from_json(document)
    assert message in str(caught.value)
    assert VALIDATOR.is_valid(document) is not schema_sees_it


@pytest.mark.parametrize(
    ("built", "text"),
    [
        (
            lambda: exists(lambda d: (col("price") < d["price"]) & (d["shop"] == "A"), last=1000),
            "exists d in last 1000 (price < d.price and d.shop = 'A')",
        ),
        (lambda: forall(lambda d: d["year"] < col("year"), last="7 days"), "forall d in last '7 days' (year > d.year)"),
        (lambda: exists(lambda d: d["a"] >= col("b"), last=timedelta(hours=1)), "exists d in last '1 hour' (b <= d.a)"),
        (lambda: exists(lambda d: d["a"] != col("b")), "exists d (b != d.a)"),
        (lambda: exists(lambda d: d["new"]), "exists d (d.new)"),
        (
            lambda: exists(lambda d: ~d["new"] & d["x"].in_(1, 2) | d["y"].under("s") & (d["z"] > 3)),
            "exists d (not d.new and d.x in (1, 2) or d.y under 's' and d.z > 3)",
        ),
        (lambda: ~exists(lambda d: d["new"]) & (col("a") == 1), "not exists d (d.new) and a = 1"),
        (lambda: exists(lambda d: col("d.x") == d["d"]), 'exists d ("d.x" = d.d)'),
    ],
)
def test_built_parts(built: Callable[[], Expression], text: str) -> None:
    assert built() == parse(text)
    assert repr(built()) == text


def wrong(function: Any, **options: Any) -> Any:
    return exists(function, **options)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: wrong(3), "exists takes a function of the document, not 3"),
        (lambda: exists(lambda d: col("a") < col("b")), "col('b') is not a value"),
        (lambda: col("a") < col("b"), "col('b') is not a value"),
        (lambda: exists(lambda d: d["a"] < d["b"]), "d['a'] and d['b'] are both the document's"),
        (lambda: exists(lambda d: d["a"].between(col("b"), 3)), "col('b') is not a value"),  # type: ignore[arg-type]
        (lambda: exists(lambda d: col("a") < 3), "nothing between the parentheses of exists"),
        (lambda: exists(lambda d: 3), "3 is not an expression"),
        (lambda: exists(lambda d: d), "is not an expression"),
        (lambda: exists(lambda d: exists(lambda e: e["x"])), "cannot stand in another"),
        (lambda: exists(lambda d: d["a"], last="soon"), "'soon' is not a length of time"),
        (lambda: exists(lambda d: d["a"], last=0), "'in last' takes"),
        (lambda: wrong(lambda d: d["a"], last=2.5), "'in last' takes"),
        (lambda: exists(lambda d: d[""]), "a string that is not empty"),
        (lambda: exists(lambda d: (d["a"] == 1) and d["b"]), "an expression has no truth"),
    ],
)
def test_wrong_parts_in_python(build: Callable[[], Any], message: str) -> None:
    with pytest.raises(EligoError) as caught:
        build()
    assert message in str(caught.value)


def test_an_attribute_of_a_document_is_no_attribute_of_python() -> None:
    with pytest.raises(AttributeError, match=r"is written d\['price'\]"):
        exists(lambda d: d.price > 3)


@pytest.mark.parametrize("leaf", [Joined("a", "<", "b"), OfDocument(Greater("a", 3))])
def test_what_is_about_a_document_stands_in_a_part(leaf: Expression) -> None:
    for use in (
        lambda: evaluate(leaf, {"a": 1}),
        lambda: within(~leaf, Limits()),
        lambda: eligo.build({"x": leaf}),
        lambda: from_json(to_json(leaf & leaf)),
    ):
        with pytest.raises(EligoError, match="document"):
            use()


def test_lists_in_bodies_count_for_the_limits() -> None:
    with pytest.raises(EligoError, match="a list has 3 operands"):
        within(exists(lambda d: d["a"].in_(1, 2, 3)), Limits(set_size=2))


def test_a_schema_is_about_events() -> None:
    known = Schema.from_dict({"price": "int", "new": "bool"})
    assert known.check(parse("exists d (price < d.cost and d.anything = 'x' and new)")) == []
    source = parse_source("new and exists d (prise < d.price and (price = 'x' or new < d.new))")
    found = known.check(source)
    assert [(error.position.column if error.position else 0, error.message) for error in found] == [
        (19, "there is no attribute prise in the schema"),
        (40, "price is an int, and 'x' is a string"),
        (55, "new is true or false, which have no order, so '<' cannot be used"),
    ]


def test_every_form_meets() -> None:
    part = exists(lambda d: col("price") < d["price"])
    index = eligo.build(
        {
            1: part,
            2: to_json(part),
            3: "exists x (x.price > price)",
            4: '{"not": {"exists": {"document_attribute": "a", "operator": "is true"}}}',
        }
    )
    assert [index.text(id) for id in (1, 2, 3)] == [repr(part), repr(part), "exists x (x.price > price)"]
    assert index.tree(3) == part
    assert index.text(4) == "not exists d (d.a)"
