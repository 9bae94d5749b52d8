"""Remarks on quantified parts, by their rules."""

from __future__ import annotations

import pytest

from eligo.language.lint.lint import lint
from eligo.language.text.parse import parse


def found(text: str) -> dict[str, str]:
    return {finding.rule: finding.message for finding in lint({"it": parse(text)})}


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("exists d (price < d.price)", set()),
        ("a or exists d (d.x < 1 and d.x is missing)", {"part-body"}),
        ("exists d (d.x exists and d.x is missing)", {"part-body", "never-true"}),
        ("a or forall d (d.x exists or d.x is missing)", {"part-body", "always-true"}),
        ("exists d (shop = 'A' and price < d.price)", {"event-in-part"}),
        ("forall d (shop = 'A' or price < d.price)", {"event-in-part"}),
        ("exists d (shop = 'A' or price < d.price)", set()),
        ("exists d (d.shop = 'A' and price < d.price)", set()),
        ("exists d (price < d.price) and d.new", {"document-outside"}),
        ("d.new and a", set()),
        ("exists d (d.shop in ('A'^2, 'B'))", {"part-weight"}),
        ("not exists d (price < d.price)", {"missing-policy"}),
        ("exists d (author != d.author)", {"missing-policy"}),
        ("exists d (not d.x = 1)", {"missing-policy"}),
        ("exists d (d.x) and not exists d (d.x)", {"never-true"}),
    ],
)
def test_rules(text: str, rules: set[str]) -> None:
    assert set(found(text)) == rules


def test_messages_name_the_part() -> None:
    assert found("not exists x (price < x.price)")["missing-policy"] == (
        'where exists d (price < d.price) is unknown, events may match under missing="false" but not under '
        'missing="unknown"'
    )
    assert found("exists d (shop = 'A' and price < d.price)")["event-in-part"].startswith(
        "shop = 'A' is about the event alone and can stand outside exists d ("
    )
    assert "exists d (author != d.author)" in found("exists d (author != d.author)")["missing-policy"]


def test_parts_that_say_the_same_are_duplicates() -> None:
    pairs = {1: parse("exists d (price < d.price)"), 2: parse("exists x (x.price > price and true)")}
    assert [(finding.id, finding.rule, finding.other_id) for finding in lint(pairs)] == [(2, "duplicate", 1)]
    pairs = {1: parse("exists d (price < d.price)"), 2: parse("exists d (price < d.price) and a = 1")}
    assert [(finding.id, finding.rule, finding.other_id) for finding in lint(pairs)] == [(2, "subsumed", 1)]
