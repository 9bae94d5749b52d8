"""Which files of a job count in a store? As in `part_files`: those that the job's own result names, moved at the end.

A store moves file by file, so who lists the directory at that moment may see some of them; `_SUCCESS` comes last.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress

from eligo.errors import InputError, StorageError
from eligo.stores.address import Address
from eligo.stores.store import store_of

ASIDE, DONE = "_temporary", "_SUCCESS"


class StorePartFiles:
    """An address below which tasks put files, all of them or none."""

    def __init__(self, path: Address, *, overwrite: bool) -> None:
        self.path = path
        self.aside = path / ASIDE / secrets.token_hex(8)
        """Where attempts write."""
        self._overwrite = overwrite

    def begin(self) -> None:
        """Refuse an address where something is already."""
        if not self.path.key:
            raise InputError(f"{self.path} is the top of a store", help="give an address below it")
        if not self._overwrite and next(iter(self._found()), None) is not None:
            raise InputError(f"{self.path} is there already", help="give another address, or overwrite it")

    def commit(self, names: Sequence[str]) -> None:
        """Put these files in their place, instead of whatever was there."""
        store = store_of(self.path)
        written = {status.key for status in store.list(self.aside.prefix)}
        missing = [name for name in names if (self.aside / name).key not in written]
        if missing:
            raise StorageError(f"{len(missing)} of {len(names)} files that tasks wrote for {self.path} are not there")
        store.delete(sorted(self._found(), key=lambda key: not key.endswith(DONE)))
        for name in names:
            store.move((self.aside / name).key, (self.path / name).key)
        self.abandon()
        store.put((self.path / DONE).key, [])

    def abandon(self) -> None:
        """Remove what was written aside."""
        with suppress(StorageError):
            store = store_of(self.path)
            store.delete([status.key for status in store.list(self.aside.prefix)])

    def _found(self) -> list[str]:
        """What is there, but for what this job and others write aside."""
        aside = (self.path / ASIDE).prefix
        own = (status.key for status in store_of(self.path).list(self.path.prefix))
        return [key for key in own if not key.startswith(aside)]
