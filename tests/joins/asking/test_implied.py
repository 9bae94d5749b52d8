"""What do expressions imply of documents: intervals, lists, other names, bodies, policies; and is it so?"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from eligo.joins.asking.implied import implied
from eligo.language.document_truth import Received
from eligo.language.evaluate import Missing, matches
from eligo.language.text.parse import parse
from eligo.language.tree import Expression
from strategies import documents, events, expressions_with_parts, policies


@pytest.mark.parametrize(
    ("text", "constraint", "weaker"),
    [
        ("price between 5 and 9 and exists d (d.price = price)", "price between 5 and 9", "price exists"),
        ("price > 5 and price < 9 and exists d (price = d.price)", "price > 5 and price < 9", "price exists"),
        ("price between 5 and 9 and exists d (d.cost < price)", "cost < 9", "cost exists"),
        ("price between 5 and 9 and exists d (price <= d.cost)", "cost >= 5", "cost exists"),
        ("price in (3, 8) and exists d (d.price = price)", "price in (3, 8)", "price exists"),
        ("price in (3, 8) and exists d (d.price >= price)", "price >= 3", "price exists"),
        ("price in (3, 8) and price > 4 and exists d (d.price = price)", "price = 8", "price exists"),
        ("price < 3 and price > 4 and exists d (d.price = price)", "false", "price exists"),
        ("price < 3 and price > 'a' and exists d (d.price = price)", "false", "price exists"),
        ("exists d (price < 3 and d.price < price)", "price < 3", "price exists"),
        ("exists d (d.shop = 'A' and d.cost < price)", "shop = 'A' and cost exists", "shop = 'A' and cost exists"),
        ("exists d in last 3 (d.shop = 'A')", "shop = 'A'", "shop = 'A'"),
        ("price <= 3 and exists d in last '7 days' (d.price < price)", "price < 3", "price exists"),
        ("year < 3 and forall d (d.year < year and d.shop = 'A')", "year < 3 and shop = 'A'", None),
        ("name = 'x' and exists d (d.name = name)", "name = 'x'", "name exists"),
        ("a = 1 and (b = 2 and exists d (d.a = a))", "a = 1", "a exists"),
        ("a = 1 and exists d (d.a != a)", "a exists", "a exists"),
    ],
)
def test_what_is_implied(text: str, constraint: str, weaker: str | None) -> None:
    [found] = implied(parse(text), "unknown")
    assert found.constraint == parse(constraint)
    if weaker is not None:
        assert found.weaker == parse(weaker)


@pytest.mark.parametrize(
    "text",
    [
        "a = 1 or exists d (d.a = a)",
        "a = 1 and not exists d (d.a = a)",
        "a = 1 xor exists d (d.a = a)",
        "a = 1 and forall d in last 5 (d.a = a)",
        "a = 1 and exists d (d.a = a or d.b = 2)",
    ],
)
def test_what_implies_nothing(text: str) -> None:
    assert implied(parse(text), "unknown") == []


def test_a_missing_attribute_that_counts_as_different_need_not_exist() -> None:
    assert implied(parse("exists d (d.a != a)"), "false") == []


@given(expressions_with_parts(), events(), documents(), policies())
def test_what_is_implied_is_so(
    tree: Expression, event: dict[str, Any], known: list[Received], missing: Missing
) -> None:
    """Whenever an expression is true of an event, documents satisfy what it implies."""
    at = max((document.time for document in known), default=None)
    if not matches(tree, event, missing, documents=known, at=at):
        return
    for found in implied(tree, missing):
        has_one = all(
            not isinstance(event.get(name), list) or len(set(map(repr, event[name]))) < 2 for name in found.single
        )
        for constraint in (found.weaker, found.constraint if has_one else None):
            if constraint is not None:
                satisfied = [matches(constraint, document.document, missing) for document in known]
                assert all(satisfied) if found.part.is_universal else any(satisfied), (found, constraint)
