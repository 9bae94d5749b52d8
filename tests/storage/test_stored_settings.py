"""Does a manifest keep the settings of a version as they were given, without knowing what they say?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eligo.errors import DamagedFileError, InputError
from eligo.storage.json_fields import JsonFields
from eligo.storage.stored_settings import StoredSettings

FIELDS: dict[str, Any] = {"missing": "false", "engine": "any", "schema": None, "hierarchies": {"é": [1, None]}}


def test_they_are_read_as_they_are() -> None:
    fields = JsonFields({**FIELDS, "more": 1}, Path("manifest.json"))
    assert StoredSettings.from_fields(fields) == StoredSettings(**FIELDS)
    assert json.loads(json.dumps(StoredSettings(**FIELDS).hierarchies)) == FIELDS["hierarchies"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"missing": "maybe"}, "'missing' cannot be 'maybe'"),
        ({"engine": 3}, "'engine' is not a string"),
        ({"schema": []}, "not an object"),
        ({"hierarchies": None}, "not an object"),
    ],
)
def test_a_damaged_field_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DamagedFileError, match=message):
        StoredSettings.from_fields(JsonFields({**FIELDS, **change}, Path("manifest.json")))


def test_a_policy_that_there_is_not() -> None:
    policy: Any = "maybe"
    with pytest.raises(InputError, match="'maybe' is not a missing policy"):
        StoredSettings(missing=policy, engine="scan")
