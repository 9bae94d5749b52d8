from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import strategies
from eligo.language.evaluate import Missing
from eligo.language.text.parse import parse
from growing_cases import MATCHING, expected, grown_from

every_matching = pytest.mark.parametrize("options", MATCHING, ids=str)


@every_matching
@pytest.mark.parametrize("missing", strategies.POLICIES)
def test_many_ranges_on_one_attribute(options: dict[str, bool], missing: Missing) -> None:
    random = np.random.default_rng(7)
    texts = []
    for low, width in random.integers((-50, 1), (50, 40), (120, 2)).tolist():
        texts += [f"a between {low} and {low + width}", f"a not between {low} and {low + width / 4}"]
        texts += [f"a < {low}", f"a <= {low / 2}", f"a > {low}", f"a >= {low / 2}", f"not (a > {low})"]
    trees = {position: parse(text) for position, text in enumerate(texts)}
    tree = grown_from(trees, missing=missing, **options)
    for position in random.permutation(len(texts))[:300].tolist():
        tree.delete(position)
        del trees[position]
    tree.check()
    values: Sequence[Any] = (-60, -7, 0, 0.25, 3.5, 49, 90, float("inf"), float("-inf"), [1, 30], "x", None, True)
    for value in values:
        assert tree.match({"a": value}).tolist() == expected(trees, {"a": value}, missing)


def test_numbers_that_a_float_cannot_tell_apart() -> None:
    large = 2**53
    texts = [f"a <= {large}", f"a < {large + 1}", f"a > {large}", f"a between {large + 1} and {large + 2}"]
    texts += [f"a >= {2**63 - 1}", f"a < {2**63 - 1}", "a >= 1e19", f"a = {large + 1}"]
    trees = {position: parse(text) for position, text in enumerate(texts)}
    tree = grown_from(trees)
    for value in (large - 1, large, large + 1, large + 2, 2**63 - 1, 2**63 - 2, -(2**63), 2.0**63, 1e19, 0.5):
        assert tree.match({"a": value}).tolist() == expected(trees, {"a": value}), value


def test_strings_in_order_and_by_prefix() -> None:
    texts = ["a < 'b'", "a <= 'b'", "a > 'b'", "a >= 'b'", "a between 'a' and 'b'", "a starts with 'b'"]
    texts += ["a starts with ''", "a starts with 'bc'", "a > ''", "a between 'é' and '\U00010000'"]
    trees = {position: parse(text) for position, text in enumerate(texts)}
    tree = grown_from(trees)
    for value in ("", "a", "b", "bc", "bcd", "c", "é", "\uffff", "\U00010000", 1, True):
        assert tree.match({"a": value}).tolist() == expected(trees, {"a": value}), value
    for position in range(len(texts)):
        tree.delete(position)
        tree.check()


def test_negatives_are_not_enumerated_unless_someone_hears_them() -> None:
    tree = grown_from({number: parse(f"a = {number} and b != {number}") for number in range(100)})
    assert tree.match({"a": 7, "b": 1}).tolist() == [7]
    assert tree.stats().last_match.num_predicates == 2


def test_a_quantified_part_is_a_bare_attribute() -> None:
    tree = grown_from({0: parse("exists d (price < d.price)"), 1: parse("a = 1 and not exists x (x.price > price)")})
    assert tree.match({"@exists d (price < d.price)": True, "a": 1}).tolist() == [0]
    assert tree.match({"@exists d (price < d.price)": False, "a": 1}).tolist() == [1]
