"""Which events of a file are looked at? The first ones, read without Spark: Parquet, JSON lines or CSV.

In JSON a text may stand for a date, in CSV for anything; what is said of such attributes allows for all of it. A file
may be in a store, as anywhere.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import PurePosixPath
from typing import IO, Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.dataset as ds

from eligo.data.file_format import COMPRESSED, TABLES, FileFormat, format_of
from eligo.data.lint.seen_attribute import moments_of, readings_of_text
from eligo.data.lint.seen_events import SAMPLE, SeenEvents
from eligo.errors import EligoError, InputError, shown
from eligo.stores.address import Address, Place, place
from eligo.stores.arrow_files import arrow_file_system
from eligo.stores.remote_file import opened_file
from eligo.stores.store import store_of

LONGEST_LINE = 10_000_000
"""Characters of a line; longer ones are no events."""
HIDDEN = ("_", ".")
"""What the names of files and directories begin with that are not part of a table."""
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What Spark writes as the name of a directory for null."""


def seen_in_file(
    path: str, *, format: FileFormat | None = None, sample: int = SAMPLE, delimiter: str = ","
) -> SeenEvents:
    """What the first events of a file, or of a directory of files, have; one without events is refused."""
    format = format or format_of(path, TABLES)
    files = _files(path)
    seen = SeenEvents()
    try:
        if format is FileFormat.PARQUET:
            _add_parquet(seen, path, sample)
        elif format is FileFormat.JSON_LINES:
            seen.add_mappings(islice(_json_events(files), sample), moments_of)
        else:
            _add_csv(seen, files, sample, delimiter)
        if format is not FileFormat.JSON_LINES:  # whose attributes stand in the lines
            for file in files:
                _add_directories(seen, path, file)
    except EligoError:
        raise
    except (pa.ArrowException, OSError, EOFError, ValueError, zlib.error, csv.Error) as error:
        raise InputError(f"{shown(path)} cannot be read as {_NAMES[format]}: {error}") from None
    if not seen.num_events and not seen.attributes:
        lines = ", and no line that is a JSON object" if format is FileFormat.JSON_LINES else ""
        raise InputError(f"{shown(path)} has no events{lines}", help="give a file that has some, of which to tell")
    return seen


_NAMES = {FileFormat.PARQUET: "Parquet", FileFormat.JSON_LINES: "JSON lines", FileFormat.CSV: "CSV"}


def _files(path: str) -> list[Place]:
    """The file, or the files of a directory and of those below it."""
    top = place(path, "the file of events")
    files: list[Place]
    if isinstance(top, Address):
        store = store_of(top)
        if top.key and store.status(top.key) is not None:
            return [top]
        names = sorted(found.key.removeprefix(top.prefix) for found in store.list(top.prefix))
        files = [top / name for name in names if not _is_hidden(name)]
        if not names:
            raise InputError(f"{shown(path)} is not there")
    elif not top.exists():
        raise InputError(f"{shown(path)} is not there")
    elif not top.is_dir():
        return [top]
    else:
        below = sorted(file for file in top.rglob("*") if not _is_hidden(file.relative_to(top).as_posix()))
        files = [file for file in below if file.is_file()]
    if not files:
        raise InputError(f"{shown(path)} has no files")
    return files


def _is_hidden(name: str) -> bool:
    return any(part.startswith(HIDDEN) for part in PurePosixPath(name).parts)


def _add_parquet(seen: SeenEvents, path: str, sample: int) -> None:
    top = place(path, "the file of events")
    system = arrow_file_system() if isinstance(top, Address) else None
    events = ds.dataset(str(top), format="parquet", filesystem=system)
    seen.add_table(events.schema.empty_table())
    for batch in events.to_batches(batch_size=65_536):
        seen.add_table(batch.slice(0, sample - seen.num_events))
        if seen.num_events >= sample:
            break


def _add_directories(seen: SeenEvents, path: str, file: Place) -> None:
    """The columns in the names of directories, as in `country=FR/a.parquet`: texts that stand for what they may."""
    top = place(path, "the file of events")
    if file == top:
        return
    name = str(file).removeprefix(str(top)).strip("/")
    for part in PurePosixPath(name).parts[:-1]:
        column, is_named, text = part.partition("=")
        if is_named and column:
            seen.add_names([unquote(column)])
            if text != NO_VALUE:
                seen.add_value(unquote(column), unquote(text), readings_of_text)


def _json_events(files: Sequence[Place]) -> Iterator[dict[str, Any]]:
    """The objects of the lines; a line that is none is passed over, as matching rejects it."""
    for file in files:
        with _opened(file) as text:
            for line in _lines(text):
                try:
                    event = json.loads(line)
                except (ValueError, RecursionError):
                    continue
                if isinstance(event, dict):
                    yield event


def _add_csv(seen: SeenEvents, files: Sequence[Place], sample: int, delimiter: str) -> None:
    """The rows by their header, without blank fields; a column counts where all of them are blank, too."""
    for file in files:
        with _opened(file) as text:
            rows = csv.DictReader(_lines(text), delimiter=delimiter)
            seen.add_names(name for name in rows.fieldnames or () if name)
            events = ({name: field for name, field in row.items() if name and _has_text(field)} for row in rows)
            seen.add_mappings(islice(events, sample - seen.num_events), readings_of_text)
        if seen.num_events >= sample:
            return


def _has_text(field: Any) -> bool:
    return isinstance(field, str) and bool(field.strip())


@contextmanager
def _opened(file: Place) -> Iterator[IO[str]]:
    """A file as text, decompressed where its name says so."""
    with opened_file(file) as raw:
        content: Any = gzip.GzipFile(fileobj=raw, mode="rb") if file.name.endswith(COMPRESSED) else raw
        with io.TextIOWrapper(content, encoding="utf-8-sig", errors="replace", newline="") as text:
            yield text


def _lines(file: IO[str]) -> Iterator[str]:
    """The lines of a file, of which none may take all memory."""
    while line := file.readline(LONGEST_LINE):
        yield line
