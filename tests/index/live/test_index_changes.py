"""Are many changes made as one, all of them or none?"""

from __future__ import annotations

import pytest

import eligo
from eligo.errors import BuildError, InputError, UnknownIdError
from eligo.language.forms.json_form import to_json

BASE = {f"ad-{number}": f"a = {number}" for number in range(5)}
MANY = 300


@pytest.fixture
def index() -> eligo.Index:
    return eligo.build(BASE, merge_at=None)


def test_puts_insert_and_replace_in_their_order_and_deletes_take_away(index: eligo.Index) -> None:
    index.insert("tail", "b = 1")
    index.change([("new", "a = 1 or b = 1"), ("ad-3", "a = 1"), ("tail", "a = 1")], ["ad-1", "ad-0"])
    assert index.ids == ["ad-2", "ad-4", "new", "ad-3", "tail"] and len(index) == 5
    assert index.match({"a": 1}) == ["new", "ad-3", "tail"] and index.text("ad-3") == "a = 1"
    assert index.match({"b": 1}) == ["new"] and index.match({"a": 0}) == []


@pytest.mark.parametrize("number", [1, MANY])
def test_of_several_puts_of_an_id_the_last_one_counts(index: eligo.Index, number: int) -> None:
    others = [(f"n-{each}", "b = 1") for each in range(number)]
    index.change([("ad-0", "a = 7"), *others, ("ad-0", "a = 9"), ("n-0", "a = 9")])
    assert index.match({"a": 9}) == ["ad-0", "n-0"] and index.match({"a": 7}) == []
    assert index.ids[-2:] == ["ad-0", "n-0"] and index.match({"b": 1}) == [id for id, _ in others[1:]]


def test_nothing_is_a_change_too(index: eligo.Index) -> None:
    index.change([], [])
    index.change()
    assert index.ids == list(BASE)


@pytest.mark.parametrize("number", [1, MANY])
def test_what_is_refused_changes_nothing(index: eligo.Index, number: int) -> None:
    good = [(f"n-{each}", "b = 1") for each in range(number)]
    with pytest.raises(UnknownIdError, match="'gone-1', 'gone-2'"):
        index.change(good, ["ad-1", "gone-1", "gone-2"])
    with pytest.raises(InputError, match="'ad-2'"):
        index.change([*good, ("ad-2", "a = 1")], ["ad-1", "ad-2"])
    with pytest.raises(InputError, match="type"):
        index.change([(7, "a = 1")] * number, ["ad-1"])
    with pytest.raises(BuildError) as told:
        index.change([("x", "a >"), *good, ("ad-2", "b ="), ("y", {"nonsense": 1})], ["ad-1"])
    assert [reject.id for reject in told.value.rejects] == ["x", "ad-2", "y"]
    assert "on_error" not in str(told.value) and "nothing was changed" in str(told.value)
    assert index.ids == list(BASE) and index.match({"a": 1}) == ["ad-1"] and index.match({"b": 1}) == []


def test_ids_that_are_deleted_twice_are_gone_once(index: eligo.Index) -> None:
    index.change(deletes=["ad-1", "ad-1"])
    assert len(index) == 4 and index.ids == ["ad-0", "ad-2", "ad-3", "ad-4"]


@pytest.mark.parametrize("number", [1, MANY])
def test_an_engine_refuses_what_it_cannot_freeze_together_with_the_rest(number: int) -> None:
    limits = eligo.Limits(normal_form=8)
    index = eligo.build(BASE, engine="k_index", merge_at=None, limits=limits)
    wide = " and ".join(f"(a{each} = 1 or b{each} = 1)" for each in range(6))
    good = [(f"n-{each}", "b = 1") for each in range(number)]
    with pytest.raises(BuildError) as told:
        index.change([("x", "a >"), *good, ("wide", wide)])
    assert [reject.id for reject in told.value.rejects] == ["x", "wide"]
    assert index.ids == list(BASE)


def test_every_form_of_an_expression_can_be_put(index: eligo.Index) -> None:
    form = to_json(eligo.parse("a = 1"))
    index.change([("text", "a = 1"), ("tree", eligo.parse("a = 1")), ("column", eligo.col("a") == 1), ("json", form)])
    assert index.match({"a": 1}) == ["ad-1", "text", "tree", "column", "json"]
    assert index.text("json") == "a = 1"


@pytest.mark.parametrize("odd", ["text", 5, None, {"ad-1": "a = 1"}])
def test_what_is_no_list_of_changes_is_refused(index: eligo.Index, odd: object) -> None:
    with pytest.raises(InputError, match="puts"):
        index.change(odd)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="deletes"):
        index.change([], odd)  # type: ignore[arg-type]
