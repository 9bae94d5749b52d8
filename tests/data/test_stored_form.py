"""Does each declared form say what its arrays are, and is what does not fit told by name?"""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

from eligo.data import vocabulary_form
from eligo.data.expressions import expression_form
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.expressions.predicate_table import PredicateTable
from eligo.data.kernels.vocabulary_lookup import VocabularyArrays
from eligo.data.stored_form import Column, Form, Offsets, problems, require
from eligo.engines.a_tree import a_tree_form
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.kernels.facts import FactKeys
from eligo.engines.rivals import fact_form
from eligo.engines.rivals.kernels.candidates import PscanLists
from eligo.engines.rivals.kernels.clusters import Clusters
from eligo.engines.rivals.kernels.counters import SiftLists
from eligo.engines.rivals.kernels.fact_references import MatchRows
from eligo.engines.scan import scan_form
from eligo.engines.scan.kernels.jump_code import ScanCode
from eligo.engines.whang import list_form
from eligo.engines.whang.kernels.list_heads import KLists
from eligo.engines.whang.kernels.prefix_tree import PrefixTree
from eligo.errors import StorageError

FORMS: list[tuple[Form, tuple[Any, ...]]] = [
    (vocabulary_form.FORM, (VocabularyArrays,)),
    (expression_form.FORM, (PredicateTable, ExpressionTable)),
    (a_tree_form.FORM, (FrozenTree,)),
    (scan_form.FORM, (ScanCode,)),
    ((*list_form.FORM, *list_form.OF_CONJUNCTIONS), (KLists, PrefixTree)),
    ((*list_form.FORM, *list_form.OF_DISJUNCTIONS), (KLists, PrefixTree)),
    ((*fact_form.FORM, *fact_form.SIFT), (FactKeys, MatchRows, SiftLists)),
    ((*fact_form.FORM, *fact_form.CLUSTERS), (FactKeys, MatchRows, Clusters)),
    ((*fact_form.FORM, *fact_form.PSCAN), (FactKeys, MatchRows, PscanLists)),
]


@pytest.mark.parametrize(("form", "tuples"), FORMS)
def test_a_form_declares_every_array_with_its_type(form: Form, tuples: tuple[Any, ...]) -> None:
    declared = {field.name: set(field.dtype.split()) for field in form}
    hints = {name: hint for each in tuples for name, hint in get_type_hints(each).items() if name != "predicates"}
    assert declared.keys() == hints.keys()
    for name, hint in hints.items():
        types = {np.dtype(found).str[1:] for found in _scalar_types(hint)}
        assert not types or declared[name] == types, name


def _scalar_types(hint: Any) -> set[Any]:
    """The element types that an annotation of arrays names."""
    if isinstance(hint, type) and issubclass(hint, np.generic) and hint is not np.generic:
        return {hint}
    return {found for each in get_args(hint) for found in _scalar_types(each)}


ROWS: Form = (
    Offsets("starts", "u4", "rows", into="items"),
    Column("items", "u4", below="things", or_none=True),
    Column("flags", "u1", "rows", below=2),
    Column("weights", "f8", "rows", or_empty=True),
)


def rows(**changed: Any) -> dict[str, Any]:
    return {
        "starts": np.array([0, 2, 2, 3], np.uint32),
        "items": np.array([0, 4, 0xFFFFFFFF], np.uint32),
        "flags": np.array([0, 1, 1], np.uint8),
        "weights": np.zeros(0),
        **changed,
    }


def found(*, deep: bool, **changed: Any) -> list[str]:
    arrays = {name: array for name, array in rows(**changed).items() if array is not None}
    return list(problems(ROWS, arrays, {"things": 5}, deep=deep))


def test_what_fits_is_not_told() -> None:
    assert found(deep=True) == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"items": None}, "there is no array 'items'"),
        ({"items": np.zeros(3, np.int32)}, "array 'items' is of type i4, not u4"),
        ({"flags": np.zeros(2, np.uint8)}, "array 'flags' has 2 elements, not 3"),
        ({"weights": np.zeros(2)}, "array 'weights' has 2 elements, not 3"),
        ({"starts": np.array([1, 2, 2, 3], np.uint32)}, "array 'starts' begins with 1, not with 0"),
        ({"starts": np.array([0, 2, 2, 9], np.uint32)}, "array 'starts' ends with 9, and what it points into has 3"),
        ({"starts": np.zeros(0, np.uint32)}, "array 'starts' has 0 elements, not 1"),
    ],
)
def test_types_and_lengths_are_told_at_once(changed: Any, told: str) -> None:
    assert any(told in problem for problem in found(deep=False, **changed))


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"starts": np.array([0, 3, 2, 3], np.uint32)}, "array 'starts' falls at 1"),
        ({"items": np.array([0, 5, 1], np.uint32)}, "array 'items' has 5 at 1, which is not below 5"),
        ({"flags": np.array([0, 1, 2], np.uint8)}, "array 'flags' has 2 at 2, which is not below 2"),
        ({"weights": np.array([1.0, np.nan, 1.0])}, "array 'weights' has values that are no numbers"),
    ],
)
def test_elements_are_told_when_it_is_deep(changed: Any, told: str) -> None:
    assert found(deep=False, **changed) == []
    assert found(deep=True, **changed) == [told]


def test_everything_is_told_and_the_first_thing_raised() -> None:
    told = found(deep=True, items=None, flags=np.zeros(2, np.uint8))
    assert len(told) == 2
    with pytest.raises(StorageError, match=r"x\.eligo cannot be used: there is no array 'items'"):
        require(told, "x.eligo")
