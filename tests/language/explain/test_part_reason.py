"""Which document decided? Explanations of quantified parts, by their text, their JSON, and against the oracle."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given

import eligo
import strategies
from eligo.errors import EligoError
from eligo.language.document_truth import Received, body_truth
from eligo.language.evaluate import Missing, evaluate
from eligo.language.explain.explain import explain, explained
from eligo.language.explain.part_reason import PartDecision
from eligo.language.quantified import quantified_parts
from eligo.language.text.parse import parse
from eligo.language.tree import Expression
from eligo.language.value import event_attributes

DOCUMENTS = ({"price": 10, "year": 2000, "author": "Smith"}, {"price": 25, "year": 1999})
EVENT = {"price": 20, "year": 2001, "author": "Smith"}
NOW = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("exists d (price < d.price)", "document #1, one of 2: price = 20, d.price = 25"),
        ("exists d (price < d.price and d.year > 1999)", "none of 2 documents"),
        ("forall d (year > d.year)", "all 2 documents"),
        ("forall d (price < d.price)", "document #0, one of 2: price = 20, d.price = 10"),
        (
            "forall d (author = d.author)",
            "false of none of 2 documents, unknown of document #1: author = 'Smith', d.author is missing",
        ),
        (
            "exists d (author != d.author)",
            "true of none of 2 documents, unknown of document #1: author = 'Smith', d.author is missing",
        ),
        ("exists d in last 1 (price < d.price)", "document #1, one of 1: price = 20, d.price = 25"),
    ],
)
def test_what_decided_is_said(text: str, phrase: str) -> None:
    explanation = explain(text, EVENT, documents=DOCUMENTS)
    (part,) = quantified_parts(explanation.expression)
    assert explanation.reason(part).phrase == phrase
    assert phrase in str(explanation)


def test_over_no_documents() -> None:
    assert "there are no documents" in explain("forall d (d.x)", {}, documents=()).summary()
    documents = [Received({"x": True}, NOW - timedelta(days=9))]
    explanation = explain("exists d in last '7 days' (d.x)", {}, documents=documents, at=NOW)
    assert "no document is in its scope" in explanation.summary()


def test_the_json_names_the_document() -> None:
    document = explain("a or exists d (price < d.price)", EVENT, documents=DOCUMENTS).to_json()
    assert document["tree"]["children"][1] == {
        "truth": "true",
        "node": "quantified",
        "text": "exists d (price < d.price)",
        "quantifier": "exists",
        "values": {"price": [20]},
        "num_documents": 2,
        "document": {"number": 1, "values": {"price": [25]}},
        "reason": "document #1, one of 2: price = 20, d.price = 25",
    }


def test_a_base_gives_its_own_numbers() -> None:
    base = eligo.DocumentBase()
    for price in (5, 7, 30):
        base.add({"price": price}, NOW - timedelta(days=40 - price))
    base.remove(0)
    assert "document #2, one of 2" in explain("exists d (price < d.price)", EVENT, documents=base).summary()
    part = "exists d in last '11 days' (price < d.price)"
    assert "document #2, one of 1" in explain(part, EVENT, documents=base, at=NOW).summary()
    assert evaluate("exists d (d.price = 5)", {}, documents=base) is False


def test_what_was_decided_elsewhere_can_be_handed_in() -> None:
    tree = parse("price > 3 and exists d (price < d.price)")
    decided = {"@exists d (price < d.price)": PartDecision(True, 7, {"price": (99,)}, 1000)}
    explanation = explained(tree, event_attributes(EVENT), "unknown", None, decided)
    assert explanation.matches
    assert "document #7, one of 1,000: price = 20, d.price = 99" in str(explanation)


@pytest.mark.parametrize("documents", [None, 3, "x", {"a": 1}, [3]])
def test_what_are_no_documents_is_refused(documents: Any) -> None:
    with pytest.raises(EligoError):
        explain("exists d (d.x)", {}, documents=documents)
    with pytest.raises(EligoError):
        evaluate("exists d (d.x)", {}, documents=documents)


def test_a_moment_is_a_datetime() -> None:
    at: Any = "today"
    with pytest.raises(EligoError, match="a moment is a datetime"):
        evaluate("exists d (d.x)", {}, documents=(), at=at)


@given(strategies.expressions_with_parts(), strategies.events(), strategies.documents(), strategies.policies())
def test_truths_are_those_of_the_oracle(
    tree: Expression, event: dict[str, Any], documents: list[Received], missing: Missing
) -> None:
    explanation = explain(tree, event, missing, documents=documents, at=NOW)
    assert explanation.truth is evaluate(tree, event, missing, documents=documents, at=NOW)
    for part in quantified_parts(tree):
        decision = explanation.parts[part.attribute]
        assert evaluate(part, event, missing, documents=documents, at=NOW) is decision.truth
        needs_all = decision.truth is part.is_universal or (decision.truth is False and not part.is_universal)
        assert (decision.number is None) == needs_all
        if decision.number is not None:
            attributes = event_attributes(documents[decision.number].document)
            assert body_truth(part.body, event_attributes(event), attributes, missing) is decision.truth
    assert str(explanation)
    assert explanation.to_json()
