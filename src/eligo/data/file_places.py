"""May a job read here, and write there? Found out before anything is started."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from eligo.data.file_format import WRITTEN, FileFormat, format_of
from eligo.errors import InputError


def require_there(path: str) -> None:
    """Refuse a path of this machine that leads nowhere; URIs and patterns are Spark's to look up."""
    if "://" not in path and not glob.has_magic(path) and not os.path.exists(path):
        raise InputError(f"there is no file {path}")


def require_apart(target: str, *sources: str) -> None:
    """Refuse to write where a job reads from: to the same place, into it, or to a directory above it."""
    written = Path(target).resolve()
    for source in sources:
        read = Path(source).resolve()
        if "://" not in source and (written == read or written in read.parents or read in written.parents):
            raise InputError(f"{target} would overwrite {source}, which is read", help="give another path")


def require_writable(path: str, format: FileFormat | None = None, *, overwrite: bool = False) -> FileFormat:
    """The format that a table will be written in, unless it cannot be."""
    found = writable_format(path, format)
    if os.path.exists(path) and not overwrite:
        raise InputError(f"{path} is there already", help="give another path, or --overwrite")
    return found


def writable_format(path: str, format: FileFormat | None = None) -> FileFormat:
    """The format that a table will be written in: what is given, or what the path says."""
    found = format or format_of(path, WRITTEN)
    if found in WRITTEN:
        return found
    raise InputError(f"tables are not written as {found}", help="end the path in .parquet, .jsonl or .csv")
