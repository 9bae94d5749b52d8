"""What decides, beside the records, what a service knows? The policy for missing attributes, and what documents stay.

A log is applied again by the rules under which it was written: so every checkpoint has them. The policy is that of the
directory for ever; the rules for documents can be changed when a service is opened.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import timedelta

from eligo.data.encoded_value import MICROSECOND
from eligo.joins.keep_rules import KeepRules
from eligo.language.canonical import canonical_text
from eligo.language.evaluate import Missing
from eligo.storage.canonical_json import Json, to_canonical
from eligo.storage.json_fields import JsonFields


@dataclass(frozen=True)
class Rules:
    """What records are applied by."""

    missing: Missing
    keep_last: int | None
    keep_for: timedelta | None
    keep_if: str | None
    """Canonical text."""
    remember_publications: timedelta

    @classmethod
    def of(cls, missing: Missing, keep: KeepRules, remember_publications: timedelta) -> Rules:
        """The rules of a caller, checked."""
        keep_if = None if keep.keep_if is None else canonical_text(keep.keep_if)
        return cls(missing, keep.keep_last, keep.keep_for, keep_if, remember_publications)

    @property
    def keep(self) -> KeepRules:
        """The rules of the document base."""
        return KeepRules.of(self.keep_last, self.keep_for, self.keep_if)

    def to_json(self) -> dict[str, Json]:
        """As a checkpoint has them; lengths of time in microseconds."""
        return {
            "missing": self.missing,
            "keep_last": self.keep_last,
            "keep_for": None if self.keep_for is None else self.keep_for // MICROSECOND,
            "keep_if": self.keep_if,
            "remember_publications": self.remember_publications // MICROSECOND,
        }

    @property
    def crc(self) -> int:
        """A number by which two services find out that they go by different rules."""
        return zlib.crc32(to_canonical(self.to_json()))

    @classmethod
    def from_json(cls, fields: JsonFields) -> Rules:
        """What `to_json` gave."""
        missing: Missing = "unknown" if fields.text("missing", allowed=("unknown", "false")) == "unknown" else "false"
        has_if = fields.document.get("keep_if") is not None
        return cls(
            missing,
            fields.number("keep_last") if fields.document.get("keep_last") is not None else None,
            _time(fields, "keep_for") if fields.document.get("keep_for") is not None else None,
            fields.text("keep_if") if has_if else None,
            _time(fields, "remember_publications"),
        )


def _time(fields: JsonFields, name: str) -> timedelta:
    return fields.number(name) * MICROSECOND
