"""How is a table written in a file? Its extension says; a caller may say otherwise."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from pathlib import Path, PurePosixPath

from eligo.arguments import path as local_path
from eligo.errors import InputError, shown
from eligo.stores.address import is_address

COMPRESSED = ".gz"


class FileFormat(StrEnum):
    """The kinds of file that tables are read from and written to."""

    JSON_LINES = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    TEXT = "text"


_EXTENSIONS = {
    ".jsonl": FileFormat.JSON_LINES,
    ".ndjson": FileFormat.JSON_LINES,
    ".json": FileFormat.JSON_LINES,
    ".csv": FileFormat.CSV,
    ".parquet": FileFormat.PARQUET,
    ".txt": FileFormat.TEXT,
    ".eligo": FileFormat.TEXT,
}


TABLES = (FileFormat.JSON_LINES, FileFormat.CSV, FileFormat.PARQUET)
"""What tables are read from."""
WRITTEN = (FileFormat.JSON_LINES, FileFormat.PARQUET, FileFormat.CSV)
"""What tables are written to."""


def format_of(path: str, among: Collection[FileFormat] = tuple(FileFormat)) -> FileFormat:
    """The format that the name of a file says, or the names of the files in a directory; `.gz` may follow it.

    `among` has those that can be used here.
    """
    found = _by_name(path) or (None if is_address(path) else _by_content(Path(local_path(path))))
    if found is None or found not in among:
        extensions = [extension for extension, format in _EXTENSIONS.items() if format in among]
        what = "does not say what kind of file it is" if found is None else f"says {found}, which cannot be used here"
        raise InputError(
            f"the name {shown(path)} {what}",
            help=f"end it in {', '.join(extensions)}, or name the format: {', '.join(map(str, among))}",
        )
    return found


def _by_name(path: str) -> FileFormat | None:
    name = PurePosixPath(path).name.lower().removesuffix(COMPRESSED)
    return _EXTENSIONS.get(PurePosixPath(name).suffix)


def _by_content(directory: Path) -> FileFormat | None:
    """What the files in a directory say, or, where there are only directories such as `country=FR`, those below."""
    while directory.is_dir():
        entries = [entry for entry in directory.iterdir() if not entry.name.startswith(("_", "."))]
        found = {_by_name(entry.name) for entry in entries} - {None}
        if found:
            return found.pop() if len(found) == 1 else None
        columns = [entry for entry in entries if "=" in entry.name]
        if not columns:
            return None
        directory = min(columns)
    return None
