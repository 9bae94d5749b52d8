"""Do rewrites keep the meaning of quantified parts? Each is a leaf, whose body is simplified by itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given

import strategies
from eligo.language.canonical import canonical_text
from eligo.language.document_truth import Received
from eligo.language.evaluate import Missing, evaluate
from eligo.language.rewrites.normalize import dnf_tree, to_dnf
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.rewrites.simplify import simplify
from eligo.language.text.parse import parse
from eligo.language.tree import Expression

NOW = datetime(2025, 1, 1, tzinfo=UTC)


@given(strategies.expressions_with_parts(), strategies.events(), strategies.documents(), strategies.policies())
def test_rewrites_keep_the_truth(
    tree: Expression, event: dict[str, Any], documents: list[Received], missing: Missing
) -> None:
    truth = evaluate(tree, event, missing, documents=documents, at=NOW)
    simple = simplify(tree, missing=missing)
    assert evaluate(simple, event, missing, documents=documents, at=NOW) is truth
    assert simplify(simple, missing=missing) == simple
    assert parse(canonical_text(simple)) == simple
    nnf = push_negations(tree, missing)
    for form in (nnf, simplify(nnf, missing=missing)):
        assert evaluate(form, event, missing, documents=documents, at=NOW) is (truth is True)


@pytest.mark.parametrize(
    ("given_text", "unknown", "false"),
    [
        ("exists d (d.a > 1 and d.a > 2)", "exists d (d.a > 2)", None),
        ("exists d (price < d.price and true)", "exists d (price < d.price)", None),
        ("exists d (d.a and d.a or d.a in (2, 1, 2))", "exists d (d.a in (true, 1, 2))", None),
        ("exists d (d.a and false)", "false", None),
        ("forall d (d.a or true)", "true", None),
        ("exists d (d.a or true)", "exists d (d.a or true)", None),
        ("exists d (a = 1 and (d.a or true))", "exists d (a = 1 and (d.a or true))", None),
        ("not not exists d (d.a)", "exists d (d.a)", None),
        ("not exists d (d.a)", "not exists d (d.a)", None),
        ("exists d (d.a) and exists x (x.a)", "exists d (d.a)", None),
        ("exists d (d.a) and not exists x (x.a)", "exists d (d.a) and not exists d (d.a)", "false"),
        ('exists d ("d.a" = 1 and not not d.a = 1)', 'exists d ("d.a" = 1 and d.a = 1)', None),
        ("exists d (not a = d.a)", "exists d (not a = d.a)", None),
    ],
)
def test_simplified_parts(given_text: str, unknown: str, false: str | None) -> None:
    assert canonical_text(simplify(parse(given_text))) == canonical_text(parse(unknown))
    assert canonical_text(simplify(parse(given_text), missing="false")) == canonical_text(parse(false or unknown))


def test_opposite_parts_in_negation_normal_form() -> None:
    both = parse("exists d (d.a) and not exists d (d.a)")
    assert canonical_text(simplify(push_negations(both, "unknown"))) == "false"
    either = parse("exists d (d.a) or not exists d (d.a)")
    assert canonical_text(simplify(push_negations(either, "false"))) == "true"
    assert canonical_text(simplify(push_negations(either, "unknown"))) == canonical_text(either)


def test_normal_forms_take_a_part_as_a_leaf() -> None:
    conjunctions = to_dnf(parse("(a or exists d (d.x or d.y)) and b"), "unknown")
    assert canonical_text(dnf_tree(conjunctions)) == "a and b or exists d (d.x or d.y) and b"
