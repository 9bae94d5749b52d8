"""May a job read here, and write there? Found out before anything is started."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from dataclasses import replace

from eligo.data.file_format import WRITTEN, FileFormat, format_of
from eligo.errors import InputError
from eligo.stores.address import Address, Place, is_address, named, place, resolved
from eligo.stores.store import store_of


def require_there(path: str) -> None:
    """Refuse an unknown scheme, and a path of this machine that leads nowhere; patterns are Spark's to look up."""
    known = named(path, "the input")
    if not is_address(known) and not glob.has_magic(known) and not os.path.exists(known):
        raise InputError(f"there is no file {path}")


def require_apart(target: str, *sources: str | Place) -> None:
    """Refuse to write where a job reads from: to the same place, into it, or to a directory above it."""
    for source in sources:
        written, read = _known_by(target, source)
        if f"{written}/".startswith(f"{read}/") or f"{read}/".startswith(f"{written}/"):
            raise InputError(f"{target} would overwrite {source}, which is read", help="give another path")


def require_writable(path: str, format: FileFormat | None = None, *, overwrite: bool = False) -> FileFormat:
    """The format that a table will be written in, unless it cannot be."""
    found = writable_format(path, format)
    if not overwrite and _is_there(place(path, "the output"), found):
        raise InputError(f"{path} is there already", help="give another path, or --overwrite")
    return found


def require_rejects(path: str | os.PathLike[str] | None, *sources: str | os.PathLike[str]) -> None:
    """Refuse a file of rejects that cannot be written, or that would be written over something else."""
    if path is not None:
        writable_format(os.fspath(path))
        require_apart(os.fspath(path), *(os.fspath(source) for source in sources))


def _is_there(target: Place, format: FileFormat) -> bool:
    """In a store, a table in Parquet is all that is below an address, which those who write it look at."""
    if isinstance(target, Address):
        return format is not FileFormat.PARQUET and store_of(target).status(target.key) is not None
    return os.path.exists(target)


def _known_by(*paths: str | Place) -> Iterator[str]:
    """Places when links are followed, without a slash at their ends."""
    found = [resolved(place(path)) for path in paths]
    # A name node that is configured, and named elsewhere, may be one: what could be overwritten is taken for the same.
    if any(isinstance(each, Address) and each.scheme == "hdfs" and not each.authority for each in found):
        found = [replace(each, authority="") if isinstance(each, Address) else each for each in found]
    return (str(each).rstrip("/") for each in found)


def writable_format(path: str, format: FileFormat | None = None) -> FileFormat:
    """The format that a table will be written in: what is given, or what the path says."""
    found = format or format_of(path, WRITTEN)
    if found in WRITTEN:
        return found
    raise InputError(f"tables are not written as {found}", help="end the path in .parquet, .jsonl or .csv")
