"""Which attributes of expressions has no column of the events? They are told once: predicates on them match nothing.

A misspelt column, or rules of another table, would otherwise give fewer matches and no word.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.types as pt

from eligo.data.schema.guards import GUARDS
from eligo.language.canonical import attribute_text
from eligo.language.quantified import stands_for_part
from eligo.language.text.suggest import nearest

logger = logging.getLogger("eligo")

NEAR = 0.6
"""How like a column must be to be suggested for an attribute."""
NAMED = 8
"""So many attributes are named."""
MOST_TOLD = 1_000
_told: set[tuple[str, ...]] = set()
"""What this process has told already."""


class GivenColumn(NamedTuple):
    """A column of events, or a field of one."""

    name: str
    below: tuple[GivenColumn, ...] = ()
    """The fields of a struct."""
    is_map: bool = False
    """It may give whatever is below its name."""


def arrow_columns(fields: Iterable[pa.Field]) -> tuple[GivenColumn, ...]:
    """The columns of a table of Arrow's."""
    return tuple(
        GivenColumn(field.name, arrow_columns(field.type) if pt.is_struct(field.type) else (), pt.is_map(field.type))
        for field in fields
    )


def absent_attributes(attributes: Iterable[str], columns: Sequence[GivenColumn]) -> list[str]:
    """The attributes that no column gives, in order; a struct gives its fields, a map whatever it may hold."""
    names = {column.name for column in columns}
    nested = [column for column in columns if column.below or column.is_map]
    asked = (name for name in attributes if name not in names and name not in GUARDS and not stands_for_part(name))
    return sorted(name for name in asked if not _is_below(name, nested))


def _is_below(name: str, columns: Iterable[GivenColumn]) -> bool:
    """Whether a field of these columns has the name."""
    pending = [(name, column) for column in columns]
    while pending:
        rest, column = pending.pop()
        if not rest.startswith(f"{column.name}."):
            continue
        below = rest[len(column.name) + 1 :]
        if column.is_map or any(field.name == below for field in column.below):
            return True
        pending += [(below, field) for field in column.below if field.below or field.is_map]
    return False


def tell_absent(attributes: Iterable[str], columns: Sequence[GivenColumn]) -> None:
    """Log the attributes that no column gives, once in this process for the same ones."""
    absent = absent_attributes(attributes, columns)
    names = [column.name for column in columns]
    key = (*absent, "", *names)
    if not absent or key in _told:
        return
    if len(_told) >= MOST_TOLD:
        _told.clear()
    _told.add(key)
    named = ", ".join(_with_suggestion(name, names) for name in absent[:NAMED])
    more = f" and {len(absent) - NAMED:,} more" if len(absent) > NAMED else ""
    logger.warning("no column of the events gives what expressions ask for: %s%s", named, more)


def _with_suggestion(name: str, columns: Iterable[str]) -> str:
    near = nearest(name, columns, cutoff=NEAR)
    return f"{attribute_text(name)} (did you mean {attribute_text(near)}?)" if near else attribute_text(name)
