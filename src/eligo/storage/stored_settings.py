"""What does a manifest say of its expressions? Three words, and two JSON forms that storage does not read.

`index.settings` turns them into a schema and hierarchies, and back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from eligo.errors import InputError
from eligo.storage.canonical_json import Json
from eligo.storage.json_fields import JsonFields

Missing = Literal["unknown", "false"]
"""What a missing attribute means; as in `language.evaluate`, but storage knows the words only."""


ANY_LISTS = "auto"
"""What lists ranges have, where a manifest does not say."""


@dataclass(frozen=True, kw_only=True)
class StoredSettings:
    """The settings of a version, as its manifest has them."""

    missing: Missing
    engine: str
    schema: Mapping[str, Json] | None = None
    hierarchies: Mapping[str, Json] = field(default_factory=dict)
    ranges: str = ANY_LISTS

    def __post_init__(self) -> None:
        if self.missing not in get_args(Missing):
            raise InputError(f"{self.missing!r} is not a missing policy", help="use 'unknown' or 'false'")

    @classmethod
    def from_fields(cls, fields: JsonFields) -> StoredSettings:
        """Those among the fields of a manifest."""
        return cls(
            missing="unknown" if fields.text("missing", allowed=get_args(Missing)) == "unknown" else "false",
            engine=fields.text("engine"),
            schema=fields.optional_object("schema"),
            hierarchies=fields.inner("hierarchies").document,
            ranges=fields.text("ranges") if "ranges" in fields.document else ANY_LISTS,
        )
