"""What may be said of a table of the data source? Options by name, checked as arguments are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eligo.arguments import one_of, whole_number
from eligo.errors import InputError, shown
from eligo.spark.call_arguments import CHECKS
from eligo.spark.source.stored_tables import EXPRESSIONS, TABLES

READ = ("path", "table", "version")
WRITE = (
    "path",
    "id",
    "expression",
    "deleted",
    "missing",
    "engine",
    "ranges",
    "on_duplicate",
    "on_error",
    "rejects",
    "keep_versions",
    "max_shrink",
    "expected_version",
)
_NUMBERS = {"version": 1, "keep_versions": 1, "expected_version": 0}
"""Whole numbers, and the least that each may be; Spark passes every option on as text."""

_CHECKED = ("missing", "engine", "ranges", "on_duplicate", "rejects")
"""Texts that are checked as arguments of the same name are."""


def read_options(given: Mapping[str, str]) -> dict[str, Any]:
    """The options of a table that is read."""
    options = _checked(given, READ, "read")
    options.setdefault("table", EXPRESSIONS)
    one_of(options["table"], "table", TABLES)
    return options


def write_options(given: Mapping[str, str]) -> dict[str, Any]:
    """The options of a table that is written."""
    options = _checked(given, WRITE, "written")
    one_of(options.get("on_error", "raise"), "on_error", ("raise", "reject"))
    return options


def _checked(given: Mapping[str, str], known: tuple[str, ...], verb: str) -> dict[str, Any]:
    options: dict[str, Any] = {name.lower(): value for name, value in given.items()}
    for name, value in options.items():
        if name not in known:
            raise InputError(
                f"an index that is {verb} as a table has no option {shown(name)}", help=f"it has {', '.join(known)}"
            )
        if name in _NUMBERS:
            options[name] = _number(name, value)
        elif name in _CHECKED:
            CHECKS[name](value, name)
    if not options.get("path"):
        raise InputError("it is not said which index", help='spark.read.format("eligo").load("ads.index")')
    return options


def _number(name: str, value: str) -> int:
    try:
        number: object = int(value)
    except ValueError:
        number = value
    return whole_number(number, name, least=_NUMBERS[name])
