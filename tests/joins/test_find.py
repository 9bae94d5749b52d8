"""Does `find` find the documents for which the oracle says true?"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import eligo
from eligo.errors import InputError
from eligo.language.evaluate import matches
from eligo.language.quantified import Joined, Quantified
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.text.parse import parse
from eligo.language.tree import Expression
from strategies import any_expressions, any_scalars, events, expressions, policies

BORDERS = [2**53, 2**53 + 1, 2**53 - 1, 2**63 - 1, -(2**63), 2.0**63, -(2.0**63) * 1.5, 0.5, -0.5, 2**53 - 0.5, 1e300]
BORDERS += [float("inf"), -float("inf"), 0, True]


@given(st.lists(events(), max_size=8), expressions(), policies())
def test_find_agrees_with_the_oracle(documents: list[dict[str, Any]], tree: Expression, missing: Any) -> None:
    base = eligo.DocumentBase()
    base.add_batch(documents)
    wanted = [number for number, document in enumerate(documents) if matches(tree, document, missing)]
    assert base.find(tree, missing=missing).tolist() == wanted
    assert base.find(push_negations(tree, missing)).tolist() == wanted


@given(st.lists(st.dictionaries(st.sampled_from("ab"), any_scalars()), max_size=6), any_expressions(), policies())
def test_find_agrees_on_values_of_all_kinds(documents: list[dict[str, Any]], tree: Expression, missing: Any) -> None:
    base = eligo.DocumentBase()
    for document in documents:
        base.add(document)
    wanted = [number for number, document in enumerate(documents) if matches(tree, document, missing)]
    assert base.find(tree, missing=missing).tolist() == wanted


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "=", "!="])
def test_numbers_compare_exactly(operator: str) -> None:
    base = eligo.DocumentBase()
    base.add_batch([{"a": value} for value in BORDERS])
    for bound in BORDERS:
        if abs(bound) == float("inf") or (isinstance(bound, bool) and operator not in ("=", "!=")):
            continue
        tree = parse(f"a {operator} {str(bound).lower()}")
        wanted = [number for number, value in enumerate(BORDERS) if matches(tree, {"a": value})]
        assert base.find(tree).tolist() == wanted, bound


@given(st.lists(events(), min_size=1, max_size=8), expressions(), st.data())
@example([{"a": 1}], parse("true"), None)
def test_the_dead_are_not_found(documents: list[dict[str, Any]], tree: Expression, data: st.DataObject | None) -> None:
    base = eligo.DocumentBase()
    base.add_batch(documents)
    gone = data.draw(st.sets(st.sampled_from(range(len(documents))))) if data is not None else {0}
    base.remove(gone)
    alive = [number for number in range(len(documents)) if number not in gone]
    assert base.find(tree).tolist() == [number for number in alive if matches(tree, documents[number])]


def test_hierarchies_are_asked() -> None:
    base = eligo.DocumentBase()
    base.add_batch([{"a": "NY"}, {"a": ["x", "CA"]}, {"a": "US"}, {"a": 3}, {}])
    states = {"a": eligo.Hierarchy.from_edges([("NY", "US"), ("CA", "US"), ("x", "EU")])}
    assert base.find("a under 'US'", hierarchies=states).tolist() == [0, 1, 2]
    assert base.find("a under 'US'").tolist() == [2]


def test_the_example_of_the_page() -> None:
    base = eligo.DocumentBase()
    base.add({"price": 10, "year": 2000, "author": "Smith"})
    base.add({"price": 25, "year": 1999})
    assert base.find("price < 20 and year >= 2000").tolist() == [0]
    assert base.find("true").dtype == "int64"
    assert base.find("false").tolist() == []


def test_other_documents_are_not_spoken_of() -> None:
    with pytest.raises(InputError, match="cannot speak of others"):
        eligo.DocumentBase().find(Quantified("exists", Joined("a", "<", "a")))
