"""How is CSV read without Spark? By the header of each file, with one type for a column over all files.

The types follow the same rule as on Spark (`spark/tables/csv_types.py`): what all values are, in one pass before.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from eligo.data.csv_texts import MOST_DIGITS, Seen, seen_in, text_rows
from eligo.data.lint.absent_columns import GivenColumn
from eligo.data.moment_texts import MOMENT, read_moments
from eligo.data.schema.guards import TENANT
from eligo.errors import InputError
from eligo.index.events.event_source import EventColumns
from eligo.index.local.event_layout import Kinds, LocalEvents, carried_names, chosen_columns, event_source
from eligo.language.value import Kind

Files = Callable[[], Iterable[AbstractContextManager[BinaryIO]]]
"""Opens each file, one after another."""

_TYPES: tuple[tuple[Seen, pa.DataType], ...] = (
    (Seen(0), pa.string()),
    (Seen.INT, pa.int32()),
    (Seen.INT | Seen.LONG, pa.int64()),
    (Seen.INT | Seen.LONG | Seen.WHOLE, pa.decimal128(MOST_DIGITS, 0)),
    (Seen.INT | Seen.LONG | Seen.WHOLE | Seen.NUMBER, pa.float64()),
    (Seen.BOOL, pa.bool_()),
    (Seen.DATE, pa.date32()),
    (Seen.DATE | Seen.TIMESTAMP, MOMENT),
)
"""The first that allows all that was seen."""


def csv_events(path: str, files: Files, columns: EventColumns, kinds: Kinds, delimiter: str) -> LocalEvents:
    """Events of CSV files, by the names in their headers."""
    names = _names(path, files, columns.event_id, delimiter)
    chosen = chosen_columns(path, [GivenColumn(name) for name in names], columns, kinds)
    texts = {columns.event_id, columns.tenant, TENANT}
    texts |= {name for name, own in kinds.items() if set(own) == {Kind.STRING}}
    types = dict.fromkeys(names, pa.string()) | _types(files, [name for name in names if name not in texts], delimiter)
    for name, kind in types.items():
        if kind == pa.date32() and set(kinds.get(name, ())) == {Kind.TIMESTAMP}:
            types[name] = MOMENT
    given = list(dict.fromkeys(column.given for column in chosen))

    def batches() -> Iterator[pa.RecordBatch]:
        for block in _blocks(files, given, delimiter):
            read = {name: as_type(texts, types[name]) for name, texts in zip(given, block, strict=True)}
            yield pa.record_batch([read[column.given] for column in chosen], names=[column.name for column in chosen])

    source = event_source(columns, kinds)._replace(names=tuple(column.name for column in chosen))
    return LocalEvents(source, tuple(pa.field(name, types[name]) for name in carried_names(columns)), batches)


def _names(path: str, files: Files, needed: str, delimiter: str) -> list[str]:
    """The columns of all files; each must have the ids."""
    names: dict[str, None] = {}
    for file in files():
        with file as content, _text(content) as lines:
            header = next((row for row in csv.reader(lines, delimiter=delimiter) if row), [])
        named = [name for name in header if name]
        twice = next((name for place, name in enumerate(named) if name in named[:place]), None)
        if twice is not None:
            raise InputError(f"{path} has two columns {twice!r}", help="rename or drop one of them")
        if header and needed and needed not in named:
            raise InputError(
                f"{path} has no column {needed!r}; it has {', '.join(map(repr, named))}",
                help="name the column, --event-id-column, or what separates the fields, --delimiter",
            )
        names |= dict.fromkeys(named)
    if not names:
        raise InputError(f"{path} has no header", help="the first line of CSV names the columns")
    return list(names)


def _types(files: Files, names: list[str], delimiter: str) -> dict[str, pa.DataType]:
    """The type of each of these columns, from all its values."""
    seen = [Seen(0)] * len(names)
    for block in _blocks(files, names, delimiter):
        for place, column in enumerate(block):
            if Seen.TEXT not in seen[place]:
                seen[place] |= seen_in(column)
    return {name: _type_of(own) for name, own in zip(names, seen, strict=True)}


def _type_of(seen: Seen) -> pa.DataType:
    return next((kind for allowed, kind in _TYPES if not seen & ~allowed), pa.string())


def _blocks(files: Files, names: list[str], delimiter: str) -> Iterator[list[pa.Array]]:
    """The texts of these columns, some rows at a time."""
    for file in files():
        with file as content, _text(content) as lines:
            for rows in text_rows(lines, names, delimiter):
                yield [pa.array(cells, pa.string()) for cells in zip(*rows, strict=True)]


def _text(content: BinaryIO) -> io.TextIOWrapper:
    return io.TextIOWrapper(content, encoding="utf-8-sig", errors="replace", newline="")


def as_type(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    """The values that texts stand for; null where one is blank."""
    if kind == pa.string():
        return texts
    trimmed = pc.utf8_trim_whitespace(texts)
    filled = pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.string()), trimmed)
    if kind == pa.bool_():
        return pc.equal(pc.utf8_lower(filled), "true")
    if pa.types.is_timestamp(kind):
        return read_moments(filled)[0]
    if pa.types.is_date(kind):
        return read_moments(filled)[0].cast(pa.timestamp("us")).cast(pa.date32())
    if pa.types.is_floating(kind):
        return pa.array([None if text is None else float(text) for text in filled.to_pylist()], kind)
    return pc.utf8_ltrim(filled, characters="+").cast(kind)
