"""How is a value written in JSON? As itself, where JSON has the kind, else as an object that names the kind.

true   18   2.5   "CA"   {"date": "2024-01-31"}   {"timestamp": "2024-01-31T10:00:00Z"}
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from eligo.errors import ExpressionValueError, shown
from eligo.language.moment import parse_date, parse_timestamp
from eligo.language.value import Scalar, canonical_value

VALUE_HELP = (
    'a value is true, false, a number, a string, {"date": "2024-01-31"} or {"timestamp": "2024-01-31T10:00:00Z"}'
)


def value_to_json(value: Scalar) -> Any:
    """The JSON form of a value."""
    if isinstance(value, datetime):
        return {"timestamp": f"{value.replace(tzinfo=None).isoformat()}Z"}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    return value


def value_from_json(document: Any) -> Scalar:
    """The value of a JSON form, or an `ExpressionValueError`."""
    if isinstance(document, dict) and len(document) == 1:
        ((kind, text),) = document.items()
        if kind == "date" and isinstance(text, str):
            return parse_date(text)
        if kind == "timestamp" and isinstance(text, str):
            return parse_timestamp(text)
    if isinstance(document, bool | int | float | str):
        return canonical_value(document)
    raise ExpressionValueError(f"{described(document)} is not a value", help=VALUE_HELP)


def described(document: Any) -> str:
    """What a JSON value is, in a few words, for messages."""
    if document is None or isinstance(document, bool):
        return {None: "null", True: "true", False: "false"}[document]
    if isinstance(document, dict):
        keys = ", ".join(shown(key) for key in list(document)[:5])
        return f"an object with {keys}" if document else "an empty object"
    if isinstance(document, list):
        return f"a list of {len(document):,}" if document else "an empty list"
    return shown(document)
