"""How is a value of a wrong kind written as one of the kinds that an attribute has?

age = '30'                 write it without quotes: 30
ts >= date '2026-01-31'    write timestamp '2026-01-31T00:00:00Z'
vip = 1                    write true
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, time

from eligo.data.schema.attribute import parse_moment
from eligo.data.schema.schema_events import read_number
from eligo.errors import ExpressionValueError
from eligo.language.canonical import value_text
from eligo.language.value import Kind, Scalar, kind_of

_EXAMPLES = {
    Kind.DATE: "write a date, such as date '2024-01-31'",
    Kind.TIMESTAMP: "write a timestamp, such as timestamp '2024-01-31T10:00:00Z'",
}
_TRUTHS = {"true": "write it without quotes: true", "false": "write it without quotes: false"}


def kind_advice(value: Scalar, kinds: Collection[Kind]) -> str:
    """What to write in its place; an empty string where that cannot be said."""
    if isinstance(value, str) and (advice := _of_text(value.strip(), kinds)):
        return advice
    if Kind.STRING in kinds and kind_of(value) in (Kind.NUMBER, Kind.BOOL):
        return f"write it in quotes: '{value_text(value)}'"
    if Kind.BOOL in kinds and kind_of(value) is Kind.NUMBER and value in (0, 1):
        return f"write {'true' if value else 'false'}"
    if Kind.TIMESTAMP in kinds and kind_of(value) is Kind.DATE:
        assert isinstance(value, date)
        return f"write {value_text(datetime.combine(value, time(), tzinfo=UTC))}"
    if Kind.DATE in kinds and isinstance(value, datetime):
        return f"write {value_text(value.date())}"
    return next((_EXAMPLES[kind] for kind in sorted(kinds) if kind in _EXAMPLES), "")


def _of_text(text: str, kinds: Collection[Kind]) -> str:
    """For a value in quotes that reads as one of another kind."""
    if Kind.NUMBER in kinds and (number := read_number(text)) is not None:
        return f"write it without quotes: {number}"
    if Kind.BOOL in kinds and text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    for kind in (Kind.TIMESTAMP, Kind.DATE):
        if kind in kinds:
            try:
                return f"write {value_text(parse_moment(text, kind.name.lower()))}"
            except ExpressionValueError:
                continue
    return ""
