"""Do settings say the same in memory, in a worker and in a manifest?"""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest

import eligo
from eligo.errors import InputError, SchemaError, UnknownEngineError
from eligo.index.settings import Settings
from eligo.language.limits import DEFAULT_LIMITS, UNBOUNDED, Limits
from eligo.storage.manifest import read_manifest

PLACES = eligo.Hierarchy.from_paths(["Earth/Asia", "Earth/Europe"])
TOPICS = eligo.Hierarchy.from_edges([("golf", "sport")])
GIVEN: dict[str, Any] = {
    "missing": "false",
    "engine": "scan",
    "schema": {"age": "int", "place": {"kind": "string", "hierarchy": PLACES}},
    "hierarchies": {"topic": TOPICS},
    "limits": Limits(depth=7),
    "ranges": "elementary",
}


def test_what_is_stored_comes_back_without_the_limits() -> None:
    settings = Settings.checked(**GIVEN)
    again = Settings.from_stored(settings.to_stored())
    assert again.to_stored() == settings.to_stored()
    assert (again.missing, again.engine, again.ranges, again.limits) == ("false", "scan", "elementary", DEFAULT_LIMITS)
    assert Settings.from_stored(settings.to_stored(), Limits(depth=3)).limits.depth == 3


def test_hierarchies_are_those_of_the_schema_too_and_ones_own_come_first() -> None:
    settings = Settings.checked(**GIVEN)
    assert settings.hierarchies == {"place": PLACES, "topic": TOPICS}
    assert list(settings.to_stored().hierarchies) == ["place", "topic"]
    assert Settings.checked(**{**GIVEN, "hierarchies": {"place": TOPICS}}).hierarchies == {"place": TOPICS}


def test_they_never_change_and_can_be_sent_to_a_worker() -> None:
    settings = Settings.checked(**GIVEN)
    frozen: Any = settings
    with pytest.raises(FrozenInstanceError):
        frozen.engine = "a_tree"
    sent = pickle.loads(pickle.dumps(settings))
    assert sent.to_stored() == settings.to_stored() and sent.limits == settings.limits


def test_only_what_is_named_differs() -> None:
    settings = Settings.checked(**GIVEN)
    assert settings.unbounded == replace(settings, limits=UNBOUNDED)
    assert settings.with_schema(None) == replace(settings, schema=None, known_strings=settings.only_strings)
    assert settings.with_schema(None).only_strings == settings.only_strings


@pytest.mark.parametrize(
    ("odd", "error"),
    [
        ({"missing": "maybe"}, InputError),
        ({"engine": "none"}, UnknownEngineError),
        ({"schema": 3}, InputError),
        ({"schema": {"age": "number"}}, SchemaError),
        ({"hierarchies": [TOPICS]}, InputError),
        ({"hierarchies": {"topic": "golf"}}, InputError),
        ({"limits": 5}, InputError),
        ({"ranges": "cluster"}, InputError),
    ],
)
def test_what_cannot_be_is_refused(odd: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Settings.checked(**{**GIVEN, **odd})


def test_a_version_says_what_its_index_says(tmp_path: Path) -> None:
    index = eligo.build({"a": "place under 'Earth' and age > 3"}, **GIVEN)
    index.save(tmp_path / "i")
    assert read_manifest(tmp_path / "i").settings == index.settings.to_stored()
    opened = eligo.open(tmp_path / "i", limits=Limits(depth=9))
    assert opened.settings.to_stored() == index.settings.to_stored()
    assert (opened.missing, opened.engine_name, opened.limits.depth) == ("false", "scan", 9)
    assert opened.match({"place": "Earth/Asia", "age": 4}) == ["a"] == index.match({"place": "Earth/Asia", "age": 4})
