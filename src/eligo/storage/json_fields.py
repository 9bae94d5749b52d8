"""How are the fields of a JSON object taken out of it, each checked, and missed with a message that names the file?"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from eligo.storage.canonical_json import Json
from eligo.storage.refusal import damaged
from eligo.stores.address import Place


class JsonFields:
    """The fields of a JSON object, each checked when it is taken."""

    def __init__(self, document: Json, path: Place) -> None:
        if not isinstance(document, dict):
            raise damaged(path, "one of its entries is not an object")
        self.document: dict[str, Json] = document
        self.path = path

    def text(self, name: str, *, pattern: re.Pattern[str] | None = None, allowed: tuple[str, ...] = ()) -> str:
        """A string, which may have to fit a pattern or be one of a few."""
        value = self._take(name)
        if not isinstance(value, str):
            raise damaged(self.path, f"its {name!r} is not a string")
        if (pattern and not pattern.fullmatch(value)) or (allowed and value not in allowed):
            raise damaged(self.path, f"its {name!r} cannot be {value!r}")
        return value

    def number(self, name: str, *, least: int = 0) -> int:
        """An integer that is large enough."""
        value = self._take(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise damaged(self.path, f"its {name!r} is not a number from {least} on")
        return value

    def time(self, name: str) -> datetime:
        """A point in time, as ISO 8601 has it, in UTC."""
        value = self.text(name)
        try:
            time = datetime.fromisoformat(value)
            if time.tzinfo is None:
                raise damaged(self.path, f"its {name!r} has no zone: {value!r}")
            return time.astimezone(UTC)
        except (ValueError, OverflowError):
            raise damaged(self.path, f"its {name!r} is not a time: {value!r}") from None

    def items(self, name: str) -> list[Json]:
        """A list of anything."""
        value = self._take(name)
        if not isinstance(value, list):
            raise damaged(self.path, f"its {name!r} is not a list")
        return value

    def inner(self, name: str) -> JsonFields:
        """The fields of an object inside this one."""
        return JsonFields(self._take(name), self.path)

    def optional_object(self, name: str) -> dict[str, Json] | None:
        """An object, or None for null."""
        return None if self._take(name) is None else self.inner(name).document

    def _take(self, name: str) -> Json:
        if name not in self.document:
            raise damaged(self.path, f"it has no {name!r}")
        return self.document[name]
