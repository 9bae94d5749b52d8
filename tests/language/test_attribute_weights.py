"""Do the weights of a table reach the predicates that have none of their own?"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from eligo.errors import InputError
from eligo.language.attribute_weights import read_weights, with_attribute_weights
from eligo.language.canonical import canonical_text
from eligo.language.score import score
from eligo.language.text.parse import parse

WEIGHTS = {"a": 2.0, "b": 0.5}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1", "a = 1^2"),
        ("a = 1^3", "a = 1^3"),
        ("a = 1^1", "a = 1^2"),
        ("a in (1, 2^3) and b contains all ('x')", "a in (1^2, 2^3) and b contains all ('x'^0.5)"),
        ("a > 1 or b between 1 and 2", "a > 1^2 or b between 1 and 2^0.5"),
        ("a starts with 'x' xor b under 'y'", "a starts with 'x'^2 xor b under 'y'^0.5"),
        ("a", "a = true^2"),
        ("not (a = 1 or not b = 2)", "not (a = 1^2 or not b = 2^0.5)"),
        (
            "a exists and b is missing and a != 1 and b not in (1)",
            "a exists and b is missing and a != 1 and b not in (1)",
        ),
        ("c = 1 and true", "c = 1 and true"),
    ],
)
def test_predicates_without_a_weight_get_one(text: str, expected: str) -> None:
    assert canonical_text(with_attribute_weights(parse(text), WEIGHTS)) == expected


def test_scores_follow() -> None:
    tree = with_attribute_weights(parse("a and not not b = 1"), WEIGHTS)
    assert score(tree, {"a": True, "b": 1}) == 2.5
    assert score(tree, {"a": False, "b": 1}) is None


def test_a_deep_tree_does_not_recurse() -> None:
    tree = parse("a = 1")
    for _ in range(5_000):
        tree = ~tree
    assert with_attribute_weights(tree, WEIGHTS).depth == tree.depth


@pytest.mark.parametrize(
    "given", ['{"a": 2, "b": null}', {"a": Decimal("2.0"), "b": None}, [("a", 2)], (("a", 2.0), ("b", None))]
)
def test_forms_of_weights(given: Any) -> None:
    assert read_weights(given) == {"a": 2.0}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("{", "not JSON"),
        ("[1]", "weights are a map"),
        ("3", "weights are a map"),
        ('{"a": -1}', "weight of 'a' is -1"),
        ('{"a": NaN}', "weight of 'a' is nan"),
        ('{"a": "2"}', "weight of 'a' is '2'"),
        ({"a": True}, "weight of 'a' is True"),
        ({1: 2.0}, "by name, not to 1"),
    ],
)
def test_bad_weights(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_weights(given)
