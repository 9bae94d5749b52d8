"""How do CSV files become one table? Each file by its own header, so that columns meet by name and never by position.

    a.csv   event_id,x,y        event_id  x  y  z
            1,2,3               1         2  3
    b.csv   event_id,z,x        2         5     4
            2,4,5

Files with the same header are read together. A column that a file lacks is missing there, and one that only some files
have is a column like any other; a column without a name is passed over. All values are texts here: `csv_types` finds
out what they stand for.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial, reduce
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamReader
from pyspark.sql.types import StringType, StructField, StructType

from eligo.data.csv_texts import text_rows
from eligo.errors import InputError
from eligo.index.written.table_files import DELIMITER
from eligo.spark.tables.spark_addresses import spark_address

CSV_OPTIONS = {"header": "true", "multiLine": "true", "quote": '"', "escape": '"'}
"""As RFC 4180 has it: a field in quotes may hold line ends, and a quote is doubled."""
SEPARATORS = (DELIMITER, ";", "\t", "|")
_BYTE_ORDER_MARK = "\ufeff"


class CsvHeader(NamedTuple):
    """The first record of a file."""

    file: str
    """As Spark addresses it."""
    names: tuple[str, ...]

    @property
    def shown(self) -> str:
        """The file for people."""
        parts = urlsplit(self.file)
        return unquote(parts.path if parts.scheme == "file" else self.file)


def read_csv(
    spark: SparkSession, path: str, *, needed: Sequence[str] = (), option: str = "", delimiter: str = DELIMITER
) -> DataFrame:
    """A file or a directory of CSV files, with a column of texts for each name; every file must have those `needed`."""
    headers = read_headers(spark, path, delimiter)
    is_case_sensitive = spark.conf.get("spark.sql.caseSensitive") == "true"
    _require_distinct(headers, is_case_sensitive=is_case_sensitive)
    for header in headers:
        _require_names(header, needed, option, delimiter)
    files_of: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for header in headers:
        files_of[header.names].append(header.file)
    in_directories = directory_columns(spark, path)
    reader = spark.read.options(**CSV_OPTIONS, sep=delimiter)
    with spark_address(path) as known:
        tables = [_read_files(reader, known, names, files_of, in_directories) for names in files_of]
    return reduce(partial(DataFrame.unionByName, allowMissingColumns=True), tables)


def directory_columns(spark: SparkSession, path: str) -> list[str]:
    """The columns that stand in the names of directories, as `country=FR`; files beside such are refused."""
    try:
        with spark_address(path) as known:
            lines = spark.read.schema("value string").text(known)
        names = lines.columns[1:]
        if names:
            _require_like_directories(path, lines.inputFiles())
        return names
    except (PySparkException, Py4JError) as error:
        raise InputError(f"{path} cannot be read: {first_line(error)}") from error


def read_headers(spark: SparkSession, path: str, delimiter: str = DELIMITER) -> list[CsvHeader]:
    """The header of each file that is not empty, by the name of the file."""
    try:
        with spark_address(path) as known:
            lines = spark.read.text(known)
        _require_like_directories(path, lines.inputFiles())
        place = F.col("_metadata.file_path").alias("file")
        first = lines.where("_metadata.file_block_start = 0").select(F.col("value").cast("binary"), place)
        function = partial(_first_records, delimiter=delimiter)
        found = first.mapInArrow(function, "file string, names array<string>").toArrow().to_pylist()
    except (PySparkException, Py4JError) as error:
        raise InputError(f"{path} cannot be read as csv: {first_line(error)}") from error
    if not found:
        raise InputError(f"{path} has no header", help="the first line of CSV names the columns, such as id,expression")
    return sorted(CsvHeader(row["file"], tuple(row["names"])) for row in found)


def _require_like_directories(path: str, files: Sequence[str]) -> None:
    """Refuse files beside directories such as `country=FR`, which Spark would leave out without a word."""
    named: dict[tuple[str, ...], str] = {}
    for file in sorted(files):
        folders = file.split("/")[:-1]
        named.setdefault(tuple(folder.partition("=")[0] for folder in folders if "=" in folder), file)
    if len(named) > 1:
        one, other, *_ = (CsvHeader(file, ()).shown for file in named.values())
        raise InputError(
            f"{path} has files in directories of different names: {one} and {other}",
            help="give all files the same columns in the names of their directories, or none",
        )


def first_line(error: Exception) -> str:
    """What an error of Spark's says, without the stack of Java."""
    text = str(error).strip()
    causes = [line for line in text.split("\n") if line.startswith(("Caused by: ", ": "))]
    told = causes[-1].split(": ", 1)[1] if causes else text.split("\n", 1)[0]
    return re.sub(r"^[\w.$]+(Exception|Error): ", "", told.strip())


def _first_records(batches: Iterator[pa.RecordBatch], *, delimiter: str) -> Iterator[pa.RecordBatch]:
    """In a worker: the fields of the first record of each file; one in quotes may go over several lines."""
    begun: dict[str, str] = {}
    done: set[str] = set()
    for batch in batches:
        for line, file in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
            if file in done:
                continue
            text = line.decode("utf-8", "replace")
            if file not in begun and not text.strip(_BYTE_ORDER_MARK):
                continue
            begun[file] = f"{begun[file]}\n{text}" if file in begun else text
            if begun[file].count('"') % 2 == 0:
                done.add(file)
    texts = (text.removeprefix(_BYTE_ORDER_MARK) for text in begun.values())
    names = [next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), []) for text in texts]
    yield pa.record_batch(
        [pa.array(list(begun), pa.string()), pa.array(names, pa.list_(pa.string()))], names=["file", "names"]
    )


def _require_distinct(headers: Sequence[CsvHeader], *, is_case_sensitive: bool) -> None:
    """Refuse names that come twice in a file, and names that Spark cannot tell apart."""
    seen: dict[str, tuple[str, CsvHeader]] = {}
    for header in headers:
        named = [name for name in header.names if name]
        twice = next((name for place, name in enumerate(named) if name in named[:place]), None)
        if twice is not None:
            raise InputError(f"{header.shown} has two columns {twice!r}", help="rename or drop one of them")
        for name in () if is_case_sensitive else named:
            other, place = seen.setdefault(name.lower(), (name, header))
            if other != name:
                raise InputError(
                    f"the columns {other!r} of {place.shown} and {name!r} of {header.shown} are alike but for case",
                    help="write the name in one way, or set spark.sql.caseSensitive to have two columns",
                )


def _require_names(header: CsvHeader, needed: Sequence[str], option: str, delimiter: str) -> None:
    lacking = next((name for name in needed if name not in header.names), None)
    if lacking is None:
        return
    signs = [sign for sign in SEPARATORS if sign != delimiter and len(header.names) == 1 and sign in header.names[0]]
    other = next(iter(signs), None)
    raise InputError(
        f"{header.shown} has no column {lacking!r}; it has {', '.join(map(repr, header.names))}",
        help=f"its fields are separated by {other!r}: give --delimiter" if other else f"name the column: {option}",
    )


def _read_files(
    reader: DataFrameReader,
    path: str,
    names: tuple[str, ...],
    files_of: dict[tuple[str, ...], list[str]],
    in_directories: Sequence[str],
) -> DataFrame:
    """The files that have this header; what stands in the names of directories is text too, as it is written."""
    numbered = _texts([*(f"_csv_{place}" for place in range(len(names))), *in_directories])
    rows = reader.schema(numbered).csv(path)
    if len(files_of) > 1:
        rows = rows.where(F.col("_metadata.file_path").isin(files_of[names]))
    if both := set(names) & set(in_directories):
        raise InputError(f"{path} has {min(both)!r} both in its files and in the names of its directories")
    columns = [F.col(f"_csv_{place}").alias(name) for place, name in enumerate(names) if name]
    return rows.select(*columns, *(F.col(f"`{name}`") for name in in_directories))


def _texts(names: Sequence[str]) -> StructType:
    return StructType([StructField(name, StringType()) for name in names])


def stream_csv(
    reader: DataStreamReader,
    directory: str,
    names: Sequence[str],
    in_directories: Sequence[str],
    delimiter: str = DELIMITER,
) -> DataFrame:
    """The CSV files that come into a directory, each by its own header, with texts for these names.

    A file is read as a whole by one worker, because only its beginning says what its columns are.
    """
    whole = reader.schema(_texts(["value", *in_directories])).text(directory, wholetext=True)
    schema = _texts([*(name for name in names if name not in in_directories), *in_directories])
    return whole.mapInArrow(partial(_rows_of_files, names=tuple(schema.names), delimiter=delimiter), schema)


def _rows_of_files(
    batches: Iterator[pa.RecordBatch], *, names: Sequence[str], delimiter: str
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        constants = dict(zip(batch.schema.names[1:], batch.columns[1:], strict=True))
        for place, text in enumerate(batch.column(0)):
            own = {name: column[place] for name, column in constants.items()}
            lines = text.cast(pa.large_binary()).as_py().decode("utf-8", "replace").removeprefix(_BYTE_ORDER_MARK)
            for rows in text_rows(io.StringIO(lines, newline=""), names, delimiter):
                columns = [
                    pa.repeat(own[name], len(rows)) if name in own else pa.array(cells, pa.string())
                    for name, cells in zip(names, zip(*rows, strict=True), strict=True)
                ]
                yield pa.record_batch(columns, names=list(names))
