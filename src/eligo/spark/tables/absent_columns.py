"""Which attributes of expressions has no column of the events? They are told once: predicates on them match nothing.

A misspelt column, or rules of another table, would otherwise give fewer matches and no word.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from pyspark.sql.types import MapType, StructType

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


def absent_attributes(attributes: Iterable[str], columns: StructType) -> list[str]:
    """The attributes that no column gives, in order; a struct gives its fields, a map whatever it may hold."""
    asked = (name for name in attributes if name not in GUARDS and not stands_for_part(name))
    return sorted(name for name in asked if not _is_given(name, columns))


def _is_given(name: str, columns: StructType) -> bool:
    pending = [(name, columns)]
    while pending:
        rest, fields = pending.pop()
        for field in fields:
            if field.name == rest:
                return True
            if rest.startswith(f"{field.name}."):
                below = rest[len(field.name) + 1 :]
                if isinstance(field.dataType, MapType):
                    return True
                if isinstance(field.dataType, StructType):
                    pending.append((below, field.dataType))
    return False


def tell_absent(attributes: Iterable[str], columns: StructType) -> None:
    """Log the attributes that no column gives, once in this process for the same ones."""
    absent = absent_attributes(attributes, columns)
    key = (*absent, "", *columns.names)
    if not absent or key in _told:
        return
    if len(_told) >= MOST_TOLD:
        _told.clear()
    _told.add(key)
    named = ", ".join(_with_suggestion(name, columns.names) for name in absent[:NAMED])
    more = f" and {len(absent) - NAMED:,} more" if len(absent) > NAMED else ""
    logger.warning("no column of the events gives what expressions ask for: %s%s", named, more)


def _with_suggestion(name: str, columns: Iterable[str]) -> str:
    near = nearest(name, columns, cutoff=NEAR)
    return f"{attribute_text(name)} (did you mean {attribute_text(near)}?)" if near else attribute_text(name)
