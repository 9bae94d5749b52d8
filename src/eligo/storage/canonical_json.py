"""How is JSON written so that equal data gives equal bytes, and read so that nothing doubtful passes?

Written: UTF-8, keys in order, no blanks. Read: a key given twice, NaN, infinity, an integer beyond 64 bits, half a
surrogate pair and nesting beyond `MAX_DEPTH` are refused, so whatever was read can be written again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
"""What JSON can say; lists come back as lists and objects as dicts."""

MAX_DEPTH = 64
"""Nesting of lists and objects; far more than a schema needs, far less than the interpreter's stack."""

INT_MIN = -(2**63)
INT_MAX = 2**64 - 1


def to_canonical(value: Json) -> bytes:
    """The one byte string for the value; a `ValueError` says what JSON cannot hold."""
    _check(value)
    return json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"), default=_plain
    ).encode()


def to_readable(value: Mapping[str, Json]) -> bytes:
    """The value for people: indented, keys in the order given, a newline at the end."""
    _check(value)
    return (json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2, default=_plain) + "\n").encode()


def from_bytes(data: bytes) -> Json:
    """The value of a JSON text; a `ValueError` says why there is none."""
    try:
        value: Json = json.loads(data.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError(f"nested more than {MAX_DEPTH} deep") from None
    _check(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise ValueError(f"key {name!r} is given twice")
        members[name] = value
    return members


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _plain(value: object) -> object:
    """What `json` needs in place of a mapping or sequence that is not a dict or list."""
    return dict(value) if isinstance(value, Mapping) else list(value)  # type: ignore[call-overload]


def _check(value: Json) -> None:
    """Walks the value with a stack of its own, so that neither depth nor a cycle can end the interpreter."""
    pending: list[tuple[object, int]] = [(value, 0)]
    while pending:
        item, depth = pending.pop()
        if depth >= MAX_DEPTH and isinstance(item, (Mapping, list, tuple)):
            raise ValueError(f"nested more than {MAX_DEPTH} deep")
        if isinstance(item, str):
            _check_text(item)
        elif isinstance(item, Mapping):
            for key, member in item.items():
                if not isinstance(key, str):
                    raise ValueError(f"key {key!r} is not a string")
                _check_text(key)
                pending.append((member, depth + 1))
        elif isinstance(item, (list, tuple)):
            pending.extend((member, depth + 1) for member in item)
        elif isinstance(item, float):
            if not math.isfinite(item):
                raise ValueError(f"{item} is not a JSON number")
        elif isinstance(item, int):
            if not INT_MIN <= item <= INT_MAX:
                raise ValueError("an integer has more than 64 bits")
        elif item is not None:
            raise ValueError(f"a {type(item).__name__} is not JSON")


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"{text!r} has half a surrogate pair") from None
