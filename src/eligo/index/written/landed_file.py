"""How does a process write a file of a store that a library wants to write to a path? Beside, and then up, whole."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from eligo.stores.address import Address, Place
from eligo.stores.store import store_of

UPLOADED_AT_ONCE = 8 << 20


@contextmanager
def landed_file(target: Place) -> Iterator[Path]:
    """The path to write to; when the block ends well, what was written there is at the target, if anything was."""
    if not isinstance(target, Address):
        yield target
        return
    with tempfile.TemporaryDirectory(prefix="eligo-") as scratch:
        path = Path(scratch, target.name)
        yield path
        if path.exists():
            with path.open("rb") as file:
                store_of(target).put(target.key, iter(partial(file.read, UPLOADED_AT_ONCE), b""))
