"""What is to change? Expressions that are put and ids that are deleted, all of them checked before anything changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from eligo import arguments
from eligo.data.expressions.expression_chunks import ROWS_AT_ONCE, ExpressionChunks, ReadingRules
from eligo.data.expressions.expression_source import NAMED_IDS, ExpressionId, checked_id, id_array, read_expression
from eligo.errors import BuildError, EligoError, InputError, Reject, shown
from eligo.index.bounded_build import build_part
from eligo.index.live.live_tail import NewEntry
from eligo.index.part import Part, require_shape
from eligo.index.settings import Settings

FEW_PUTS = 4
"""Up to so many expressions are put into the growing tree sooner than a part is made of them."""


class Changes(NamedTuple):
    """What is wanted: no id stands twice, nor in both."""

    puts: dict[ExpressionId, Any]
    """The form of each expression, in the order in which they come."""
    deletes: tuple[ExpressionId, ...]


def read_changes(puts: Sequence[tuple[Any, Any]], deletes: Sequence[Any]) -> Changes:
    """The changes that a caller asks for; a later put of an id takes the place of an earlier one."""
    wanted: dict[ExpressionId, Any] = {}
    for number, pair in enumerate(_listed(puts, "puts", "(id, expression)")):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InputError(f"item {number} of puts is not a pair of id and expression: {shown(pair)}")
        id = checked_id(pair[0])
        wanted.pop(id, None)
        wanted[id] = pair[1]
    gone = dict.fromkeys(checked_id(id) for id in _listed(deletes, "deletes", "ids"))
    if both := [id for id in gone if id in wanted]:
        named = ", ".join(repr(id) for id in both[:NAMED_IDS])
        raise InputError(
            f"ids are both put and deleted: {named}{', …' if len(both) > NAMED_IDS else ''}",
            help="leave them out of deletes: a put takes the place of what its id had",
        )
    return Changes(wanted, tuple(gone))


def _listed(given: Any, name: str, what: str) -> list[Any]:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise InputError(f"{name} is a sequence of {what}, not {shown(given)}")
    return arguments.items(given, name)


def new_entries(puts: Mapping[ExpressionId, Any], settings: Settings) -> list[NewEntry]:
    """What a tail takes of expressions, or one error that has all that cannot be."""
    made: list[NewEntry] = []
    rejects: list[Reject] = []
    for id, form in puts.items():
        try:
            text, tree = read_expression(form, schema=settings.schema, limits=settings.limits)
            require_shape(id, text, settings)  # refused now, not at a merge
            made.append(NewEntry.of(id, text, tree, settings.missing))
        except EligoError as error:
            rejects.append(Reject(id, form if isinstance(form, str) else shown(form, 200), error))
    if rejects:
        raise refused(rejects)
    return made


def new_part(puts: Mapping[ExpressionId, Any], settings: Settings) -> Part:
    """A part of expressions, or one error that has all that cannot be."""
    chunks = ExpressionChunks(_texts(puts) or puts, ReadingRules(settings.schema, settings.limits))
    part, rejects = build_part(chunks, settings, on_error="reject")
    if rejects:
        order = {id: place for place, id in enumerate(puts)}
        raise refused(sorted(rejects, key=lambda reject: order[reject.id]))
    return part


def _texts(puts: Mapping[ExpressionId, Any]) -> pa.Table | None:
    """Expressions as a table, which is read in chunks; None unless they are many texts."""
    if len(puts) <= ROWS_AT_ONCE or any(type(form) is not str or not form.isascii() for form in puts.values()):
        return None
    return pa.table({"id": id_array(list(puts)), "expression": pa.array(puts.values(), pa.large_string())})


def refused(rejects: Sequence[Reject]) -> BuildError:
    """The error for expressions that cannot be read or frozen."""
    return BuildError(rejects, help="nothing was changed; correct these, or leave them out")
