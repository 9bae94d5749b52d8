"""How does a table become one file of JSON lines or CSV? Spark renders its rows; the driver puts them together.

Where the workers are on the driver's machine, they write parts, which are put one behind the other. Where they are
elsewhere, a part that they write is not seen here: then the lines come through the driver, partition by partition.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import BinaryIO

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from eligo.data.file_format import FileFormat
from eligo.index.written.landed_file import landed_file
from eligo.index.written.table_files import DELIMITER, header_line, require_flat
from eligo.spark.session.reachable import is_one_machine
from eligo.spark.session.session import has_local_files
from eligo.spark.spark_versions import arrow_schema
from eligo.stores.address import Address

_JSON_OPTIONS = {"ignoreNullFields": "false"}


def put_lines(frame: DataFrame, address: Address, format: FileFormat, delimiter: str = DELIMITER) -> None:
    """Write a table as one file of a store, whole or not at all."""
    with landed_file(address) as whole, whole.open("wb") as file:
        if is_one_machine(frame.sparkSession) and has_local_files(frame.sparkSession):
            with tempfile.TemporaryDirectory(prefix="eligo-") as scratch:
                write_lines(frame, file, Path(scratch) / "parts", format, delimiter)
        else:
            _write_through_driver(frame, file, format, delimiter)


def write_lines(
    frame: DataFrame,
    file: BinaryIO,
    parts: Path,
    format: FileFormat = FileFormat.JSON_LINES,
    delimiter: str = DELIMITER,
) -> None:
    """Write a table as JSON lines or CSV to an open file; Spark's own files go to the directory `parts` before."""
    if format is FileFormat.CSV:
        _write_header(frame, file, delimiter)
        frame.write.options(**_csv_options(delimiter)).csv(str(parts))
    else:
        frame.write.options(**_JSON_OPTIONS).json(str(parts))
    for part in sorted(parts.glob("part-*")):
        with part.open("rb") as piece:
            shutil.copyfileobj(piece, file)


def _write_through_driver(frame: DataFrame, file: BinaryIO, format: FileFormat, delimiter: str) -> None:
    row = F.struct(*(F.col(_quoted(name)) for name in frame.columns))
    if format is FileFormat.CSV:
        _write_header(frame, file, delimiter)
        text: Column = F.to_csv(row, _csv_options(delimiter))
    else:
        text = F.to_json(row, _JSON_OPTIONS)
    for (line,) in frame.select(text).toLocalIterator(prefetchPartitions=True):
        file.write(f"{line}\n".encode())


def _csv_options(delimiter: str) -> dict[str, str]:
    return {"sep": delimiter, "quote": '"', "escape": '"', "emptyValue": ""}


def _write_header(frame: DataFrame, file: BinaryIO, delimiter: str) -> None:
    require_flat(arrow_schema(frame.schema))
    file.write(header_line(frame.columns, delimiter).encode("utf-8"))


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
