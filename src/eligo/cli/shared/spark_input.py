"""How does Spark read stdin? From a file that holds what came."""

from __future__ import annotations

import glob
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eligo.cli.shared.file_content import STANDARD_STREAM
from eligo.data.file_format import TABLES, FileFormat, format_of
from eligo.data.file_places import require_there
from eligo.stores.address import is_address


@contextmanager
def readable_path(path: str, format: FileFormat | None) -> Iterator[str]:
    """The path itself, or for `-` that of a temporary copy of stdin, JSON lines unless told otherwise.

    A path that leads nowhere or says no format is refused here, and so before Spark is started.
    """
    if path != STANDARD_STREAM:
        require_there(path)
        if format is None and not is_address(path) and not glob.has_magic(path):
            format_of(path, TABLES)
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="eligo-") as directory:
        copy = Path(directory) / f"stdin.{format or FileFormat.JSON_LINES}"
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield str(copy)
