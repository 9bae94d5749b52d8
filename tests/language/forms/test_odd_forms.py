"""Does a JSON form with anything odd anywhere in it give a tree or an error of ours?"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from eligo.errors import EligoError
from eligo.language.forms.json_form import from_json, to_json
from eligo.language.text.parse import parse
from odd_values import odd_values

TEXTS = ["a in (1, 'x'^3) or not b", "a between 1 and 2^0.5 xor true", "a weak not in (1, date '2024-01-01')"]


def places(document: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield above
    steps: Any = document.items() if isinstance(document, dict) else ()
    for step, below in enumerate(document) if isinstance(document, list) else steps:
        yield from places(below, (*above, step))


def with_value(document: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    changed = copy.deepcopy(document)
    inner = changed
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    return changed


@pytest.mark.parametrize("text", TEXTS)
def test_odd_values_anywhere(text: str) -> None:
    document = to_json(parse(text))
    for place in places(document):
        for name, value in odd_values():
            for form in (with_value(document, place, value), with_value(document, place, {name: value})):
                try:
                    from_json(form)
                except EligoError as error:
                    assert str(error)


def test_odd_keys() -> None:
    for key in (None, 5, 1.5, True, (1,), b"x", 10**5_000, "\ud800"):
        with pytest.raises(EligoError):
            from_json({key: 1})  # type: ignore[dict-item]
        with pytest.raises(EligoError):
            from_json({**to_json(parse("a = 1")), key: 1})  # type: ignore[dict-item]
