"""Is this what the call can take? Checks of what callers pass, each with an `InputError` that names the argument.

whole_number(n, "n", least=0)          n is a whole number, 0 or more, not 1.5
one_of(missing, "missing", POLICIES)   missing is "unknown" or "false", not 'maybe'
"""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from eligo.errors import InputError, shown

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://|(file|s3a?|gs|abfss|hdfs):/", re.IGNORECASE)
"""How an address begins; of a known one also with the one slash that a `Path` leaves."""

Kind = TypeVar("Kind")
Name = TypeVar("Name", bound=str)


def whole_number(value: Any, name: str, *, least: int | None = None, most: int = 2**63 - 1, help: str = "") -> int:
    """An int, also one of numpy's; a bool is none."""
    number: int | None = None
    if not _is_flag(value):
        with suppress(TypeError):
            number = operator.index(value)
    if number is None or (least is not None and number < least) or number > most:
        bounds = f", {least:,} or more" if least is not None and (number is None or number < least) else ""
        bounds = bounds or (f", at most {most:,}" if number is not None else "")
        raise InputError(f"{name} is a whole number{bounds}, not {shown(value)}", help=help)
    return number


def number(value: Any, name: str, *, least: float | None = None, help: str = "") -> float:
    """A finite number; a bool and a text are none."""
    try:
        found = float("nan") if _is_flag(value) or isinstance(value, str | bytes) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = float("nan")
    if not float("-inf") < found < float("inf") or (least is not None and found < least):
        bounds = f", {least:g} or more" if least is not None else ""
        raise InputError(f"{name} is a finite number{bounds}, not {shown(value)}", help=help)
    return found


def one_of(value: Any, name: str, choices: Sequence[Name], *, help: str = "") -> Name:
    """One of some words."""
    for choice in choices:
        if isinstance(value, str) and value == choice:
            return choice
    words = [f'"{choice}"' for choice in choices]
    raise InputError(f"{name} is {', '.join(words[:-1])} or {words[-1]}, not {shown(value)}", help=help)


def flag(value: Any, name: str) -> bool:
    """True or False, also numpy's."""
    if not _is_flag(value):
        raise InputError(f"{name} is True or False, not {shown(value)}")
    return bool(value)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool) or (type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"))


def text(value: Any, name: str, *, help: str = "") -> str:
    """A string of whole characters."""
    if not isinstance(value, str):
        raise InputError(f"{name} is a string, not {shown(value)}", help=help)
    if not is_unicode(value):
        raise InputError(f"{name} is not Unicode text: {shown(value)}", help="it holds half a surrogate pair")
    return value


def is_unicode(value: str) -> bool:
    """Whether a string can be written as UTF-8; half a surrogate pair cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def texts(value: Any, name: str) -> tuple[str, ...]:
    """Several strings; one stands for itself."""
    if isinstance(value, str):
        return (text(value, name),)
    if not isinstance(value, Iterable) or isinstance(value, bytes | Mapping):
        raise InputError(f"{name} are strings, not {shown(value)}", help="give a list of them")
    return tuple(text(each, f"each of {name}") for each in items(value, name))


def items(value: Any, name: str) -> list[Any]:
    """What an iterable gives; some that seem to be one are not, such as an array without dimension."""
    try:
        return list(value)
    except TypeError:
        raise InputError(f"{name} cannot be read one by one: {shown(value)}") from None


def named_path(value: Any, name: str = "path") -> str:
    """What names a file, a directory or a place in a store, which may not be there."""
    given = value.__fspath__() if isinstance(value, os.PathLike) else value
    if not isinstance(given, str):
        raise InputError(f"{name} is a string or a Path, not {shown(value)}")
    try:
        is_usable = bool(given) and b"\0" not in os.fsencode(given)
    except UnicodeEncodeError:
        is_usable = False
    if not is_usable:
        raise InputError(f"{name} cannot be {shown(given)}", help="name a file or a directory")
    return given


def scheme_of(text: str) -> str | None:
    """The scheme of an address; None for a path."""
    found = _SCHEME.match(text)
    return (found[1] or found[2]).lower() if found else None


def path(value: Any, name: str = "path") -> str:
    """The path of a file or directory of this machine, which may not be there; `file://` may stand before it."""
    given = named_path(value, name)
    scheme = scheme_of(given)
    if scheme is None:
        return given
    if scheme != "file":
        raise InputError(
            f"{name} is an address of {scheme}://, and can only be a path of this machine",
            help="bring the file here first, and give its path",
        )
    local = re.fullmatch(r"file:(?://(?:localhost)?)?(/.*)", given, re.IGNORECASE | re.DOTALL)
    if local is None or local[1].startswith("//"):
        raise InputError(f"{name} names another machine: {shown(given)}", help="write file:///path")
    return local[1]


def instance(value: Any, name: str, kind: type[Kind], what: str, *, help: str = "") -> Kind:
    """An object of a class; `what` says in words which."""
    if not isinstance(value, kind):
        raise InputError(f"{name} is {what}, not {shown(value)}", help=help)
    return value


def mapping(value: Any, name: str, what: str = "a mapping", *, help: str = "") -> Mapping[Any, Any]:
    """Any mapping."""
    if not isinstance(value, Mapping):
        raise InputError(f"{name} is {what}, not {shown(value)}", help=help)
    return value
