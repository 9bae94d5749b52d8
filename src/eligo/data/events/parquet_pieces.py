"""How are rows of Parquet files shared out, and read? In pieces: rows of one row group, or of several small ones.

    piece 0   events/a.parquet   row group 0   rows 0 – 131,071
    piece 1   events/a.parquet   row group 0   rows 131,072 – 200,000
    piece 2   events/b.parquet   row group 0   rows 0 – 500

Large row groups are cut and small ones put together, so that pieces are alike, however unequal the files are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from eligo.errors import InputError
from eligo.stores.address import is_address
from eligo.stores.arrow_files import arrow_file_system

INT96_UNIT = "us"
"""Spark's own timestamps have 96 bits; as the nanoseconds that Arrow makes of them they would end in the year 2262."""
ROWS_AT_ONCE = 1 << 16
LARGEST_PIECE = 1 << 18
SMALLEST_PIECE = 1 << 13
PIECES_PER_CORE = 4
"""Enough for cores to share evenly and for progress to be seen; few enough for large blocks of events."""
MOST_CUTS = 4
"""A row group is cut into at most so many pieces, because each has to decode the rows before it."""
WHOLE_PER_CORE = 2
"""For the same reason a row group is not cut at all when a core has so many of its size to read."""
WORD_BYTES = 3
"""A column may stay a dictionary where a value takes at most so many bytes of the file: a number, and a share of words.

Where there are many words, or Parquet gave its dictionary up on the way, Arrow would look strings up to make one.
"""


_LEGACY_KEYS = (b"org.apache.spark.legacyINT96", b"org.apache.spark.legacyDateTime")
_VERSION_KEY = b"org.apache.spark.version"
_FIRST_GREGORIAN = (3, 1)
"""Spark before this wrote old days by the Julian calendar; Spark itself knows how to read them."""


class RowRange(NamedTuple):
    """Consecutive rows of one row group of a file."""

    file: str
    row_group: int
    first: int
    num_rows: int
    partition: tuple[tuple[str, Any], ...]
    """Columns that stand in the names of directories, as `country=FR`."""


def piece_size(num_rows: int, cores: int) -> int:
    """How many rows a piece should have."""
    return max(SMALLEST_PIECE, min(LARGEST_PIECE, -(-num_rows // (cores * PIECES_PER_CORE))))


def cut(ranges: Sequence[RowRange], size: int, whole: int) -> tuple[tuple[RowRange, ...], ...]:
    """Pieces of `size` rows or more: short ranges are gathered, those longer than `whole` are cut into equal parts."""
    pieces: list[tuple[RowRange, ...]] = []
    gathered: list[RowRange] = []
    for part in ranges:
        num_cuts = min(MOST_CUTS, max(1, round(part.num_rows / max(size, whole))))
        step = max(1, -(-part.num_rows // num_cuts))
        for first in range(0, part.num_rows, step):
            gathered.append(part._replace(first=part.first + first, num_rows=min(step, part.num_rows - first)))
            if sum(range_.num_rows for range_ in gathered) >= size:
                pieces.append(tuple(gathered))
                gathered = []
    if gathered:
        pieces.append(tuple(gathered))
    return tuple(pieces)


class ParquetColumn(NamedTuple):
    """A column that workers read, and what they make of it."""

    given: str
    """In the file."""
    name: str
    """In the layout for workers (see `events`)."""
    cast: pa.DataType | None = None
    """The type in which it is needed; None for that of the file."""
    kind: pa.DataType | None = None
    """The type that Spark gives it, for what stands in the names of directories or is not in every file."""


def read_pieces(
    numbers: Iterator[pa.RecordBatch],
    pieces: Sequence[Sequence[RowRange]],
    columns: Sequence[ParquetColumn],
    as_words: Collection[str] = (),
) -> Iterator[pa.RecordBatch]:
    """The rows of the pieces whose numbers come, with these columns.

    Strings of the columns named by `as_words`, also in lists, stay the dictionaries that they are in the file.
    """
    for batch in numbers:
        for number in batch.column(0).to_pylist():
            for part in pieces[number]:
                yield from _read(part, columns, as_words)


def _read(part: RowRange, columns: Sequence[ParquetColumn], as_words: Collection[str]) -> Iterator[pa.RecordBatch]:
    constants = dict(part.partition)
    with _opened(part.file) as source:
        file = pq.ParquetFile(source, coerce_int96_timestamp_unit=INT96_UNIT)
        words = _word_columns(file, part.row_group, columns, set(as_words) - set(constants)) if as_words else {}
        if words:
            file = pq.ParquetFile(
                source, metadata=file.metadata, read_dictionary=list(words), coerce_int96_timestamp_unit=INT96_UNIT
            )
        are_words = set(words.values())
        present = set(file.schema_arrow.names)
        needed = list(dict.fromkeys(column.given for column in columns if column.given in present))
        skipped, left = part.first, part.num_rows
        # Columns that only some files have are missing from these events; with none at all, rows are still counted.
        for batch in file.iter_batches(ROWS_AT_ONCE, row_groups=[part.row_group], columns=needed):
            if skipped >= batch.num_rows:
                skipped -= batch.num_rows
                continue
            rows = batch.slice(skipped, left)
            skipped, left = 0, left - rows.num_rows
            yield pa.record_batch(
                [
                    rows.column(column.given)
                    if column.given in are_words
                    else _column(rows, column, constants, part.file)
                    for column in columns
                ],
                names=[column.name for column in columns],
            )
            if not left:
                return


def _opened(file: str) -> pa.NativeFile:
    """The bytes of an address, or of a path of this machine, which is mapped."""
    return arrow_file_system().open_input_file(file) if is_address(file) else pa.memory_map(file)


def _word_columns(
    file: pq.ParquetFile, row_group: int, columns: Sequence[ParquetColumn], as_words: Collection[str]
) -> dict[str, str]:
    """The columns whose strings may stay dictionaries, by the path of their strings in the file."""
    others = {column.given for column in columns if column.name not in as_words}
    asked = {column.given: column.cast for column in columns if column.given not in others}
    names = {
        path: field.name for field in file.schema_arrow if field.name in asked for path in _paths_of_strings(field)
    }
    casts = {field.name for field in file.schema_arrow if asked.get(field.name) not in (None, field.type)}
    found = file.metadata.row_group(row_group)
    leaves = [found.column(place) for place in range(found.num_columns)] if names else []
    return {
        leaf.path_in_schema: names[leaf.path_in_schema]
        for leaf in leaves
        if leaf.path_in_schema in names and names[leaf.path_in_schema] not in casts and _has_few_words(leaf)
    }


def _paths_of_strings(field: pa.Field) -> tuple[str, ...]:
    """Where a file may have the strings of a column, or of its lists."""
    if pa.types.is_string(field.type):
        return (field.name,)
    if pa.types.is_list(field.type) and pa.types.is_string(field.type.value_type):
        return (f"{field.name}.list.element", f"{field.name}.list.item")
    return ()


def _has_few_words(leaf: pq.ColumnChunkMetaData) -> bool:
    return bool(leaf.has_dictionary_page and leaf.total_uncompressed_size <= WORD_BYTES * leaf.num_values)


def _column(rows: pa.RecordBatch, column: ParquetColumn, constants: dict[str, Any], file: str) -> pa.Array:
    try:
        # What a directory's name says counts, as it does for Spark, also where the file has such a column.
        if column.given in rows.schema.names and column.given not in constants:
            return _cast(rows.column(column.given), column.cast)
        constant = pa.repeat(pa.scalar(constants.get(column.given)), rows.num_rows)
        return _cast(_cast(constant, column.kind), column.cast)
    except pa.ArrowException as error:
        raise InputError(f"column {column.given!r} of {file} cannot be read as {column.cast}: {error}") from None


def _cast(array: pa.Array, kind: pa.DataType | None) -> pa.Array:
    if kind is None or array.type == kind:
        return array
    if pa.types.is_decimal(array.type) and pa.types.is_float64(kind):
        # Through text, which gives the nearest float; Arrow's own way may miss it by one place.
        return array.cast(pa.string()).cast(kind)
    return array.cast(kind)


def is_legacy(fragment: ds.ParquetFileFragment) -> bool:
    """Whether a file may have days of the Julian calendar."""
    said = fragment.metadata.metadata or {}
    if any(key in said for key in _LEGACY_KEYS):
        return True
    version = re.match(rb"(\d+)\.(\d+)", said.get(_VERSION_KEY, b""))
    return version is not None and (int(version[1]), int(version[2])) < _FIRST_GREGORIAN
