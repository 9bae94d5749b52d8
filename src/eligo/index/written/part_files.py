"""Which files of a job count, when tasks are tried again or run twice? Those that the job's own result names.

    OUT/_temporary/1f0c…/part-00000-9a3e….parquet     written by an attempt at a task, under a name of its own
    OUT/part-00000-9a3e….parquet                      after the commit: renamed, if that attempt is the one that counts
    OUT/_SUCCESS                                      all of them are there

An attempt that fails, is killed or loses against another leaves a file that nobody names, and that goes away with the
directory aside. The one who writes late finds no directory. Readers of tables pass over what begins with `_`.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from eligo.errors import InputError, StorageError
from eligo.index.written.store_part_files import ASIDE, DONE, StorePartFiles
from eligo.storage.refusal import unusable
from eligo.stores.address import Address, Place


class PartFiles:
    """A directory that tasks fill, all of it or nothing."""

    def __init__(self, path: Path, *, overwrite: bool) -> None:
        self.path = path
        self._is_file = os.path.lexists(path) and not path.is_dir()
        # A file stays until the commit, so what is written meanwhile is beside it.
        self.aside = (path.with_name(f"{ASIDE}-{path.name}") if self._is_file else path / ASIDE) / secrets.token_hex(8)
        """Where attempts write."""
        self._overwrite = overwrite
        self._is_new = not path.is_dir()

    def begin(self) -> None:
        """Make the directory aside."""
        if os.path.lexists(self.path) and not self._overwrite:
            raise InputError(f"{self.path} is there already", help="give another path, or overwrite it")
        try:
            self.aside.mkdir(parents=True)
        except OSError as error:
            raise unusable(self.path, "write", error) from error

    def commit(self, names: Sequence[str]) -> None:
        """Put these files in their place, instead of whatever was there."""
        missing = [name for name in names if not (self.aside / name).is_file()]
        if missing:
            raise StorageError(
                f"{len(missing)} of {len(names)} files that tasks wrote for {self.path} cannot be seen from here",
                help="give a path that all workers and the driver share",
            )
        try:
            if self._is_file:
                self.path.unlink()
                self.path.mkdir()
            for found in list(self.path.iterdir()):
                if found.name != ASIDE:
                    _remove(found)
            for name in names:
                os.replace(self.aside / name, self.path / name)
            self._clear()
            (self.path / DONE).touch()
        except OSError as error:
            raise unusable(self.path, "write", error) from error

    def abandon(self) -> None:
        """Remove what was written aside, and the directory if it is no older."""
        with suppress(OSError):
            self._clear()
        if self._is_new and not self._is_file:
            with suppress(OSError):
                self.path.rmdir()

    def _clear(self) -> None:
        shutil.rmtree(self.aside)
        with suppress(OSError):  # another job writes aside here
            self.aside.parent.rmdir()


@contextmanager
def part_files(path: Place, *, overwrite: bool = False) -> Iterator[PartFiles | StorePartFiles]:
    """The directory while tasks fill it; what is not committed at the end is gone."""
    if isinstance(path, Address):
        parts: PartFiles | StorePartFiles = StorePartFiles(path, overwrite=overwrite)
    else:
        parts = PartFiles(path, overwrite=overwrite)
    parts.begin()
    try:
        yield parts
    except BaseException:
        parts.abandon()
        raise


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
