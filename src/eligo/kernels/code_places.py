"""Where is compiled code kept? In the first place that can be written, apart for each state of the kernels.

Kernels are compiled into one another, so a change of one makes the code of all others old, and old code means wrong
answers. So all code stands in a directory that is named by a digest of all kernels: what other kernels were compiled to
is never looked at, whether or not it could be removed.

    ELIGO_CACHE_DIR                                 a given place, if there is one (or else NUMBA_CACHE_DIR)
    site-packages/eligo/kernels/__pycache__/…       beside the package
    ~/.cache/eligo/…                                the user's
    /tmp/eligo-…                                    this process's own, removed when it ends
        3f9c52a0814be6d7                            what these kernels were compiled to

Code is looked for in each place down to the first that can be written, which is where new code goes. So an image can be
warmed up by one user and used by another, who keeps elsewhere what was not foreseen.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

FOLDER = "kernels"
"""The name of every folder that holds kernels, wherever it stands below the package."""
GIVEN = ("ELIGO_CACHE_DIR", "NUMBA_CACHE_DIR")
"""The variables that name a place; the first one counts."""
KEPT = 4
"""Directories that a place has for kernels of different states; those that were made before are removed."""


@dataclass(frozen=True)
class CodePlaces:
    """The directories with the code of the kernels as they are now."""

    read: tuple[Path, ...]
    """Where code is looked for, in this order."""
    written: Path | None
    """Where code is put, the last of those; None if there is no such place."""


def kernel_folders(package: Path) -> list[Path]:
    """Every folder of kernels below a package."""
    return sorted(Path(folder) for folder, _, _ in os.walk(package) if Path(folder).name == FOLDER)


def source_digest(package: Path) -> str:
    """A digest of all kernels of a package."""
    digest = hashlib.sha256()
    for folder in kernel_folders(package):
        for path in sorted(folder.glob("*.py")):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(package).as_posix()} {len(content)}\n".encode())
            digest.update(content)
    return digest.hexdigest()


def cache_directory() -> Path:
    """Where Eligo keeps what it can make again, for each user."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification: a relative path is to be ignored.
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "eligo"


def possible_places(package: Path) -> Iterator[Path]:
    """Where code may be kept, the best first."""
    given = next((os.environ[name] for name in GIVEN if os.environ.get(name)), None)
    if given:
        yield Path(given).absolute()
    yield package / FOLDER / "__pycache__" / "compiled"
    with suppress(RuntimeError):  # a user without a home
        yield cache_directory() / "compiled"


def find_places(package: Path) -> CodePlaces:
    """Where the code of a package's kernels is looked for and put."""
    try:
        name = source_digest(package)[:16]
    except OSError:  # an installation that is not made of files
        return CodePlaces((), None)
    read: list[Path] = []
    for place in possible_places(package):
        directory = place / name
        if _is_writable(directory):
            return CodePlaces((*read, directory), directory)
        if directory.is_dir():
            read.append(directory)
    own = _own_place()
    if own is None or not _is_writable(own / name):
        return CodePlaces(tuple(read), None)
    return CodePlaces((*read, own / name), own / name)


@functools.cache
def code_places() -> CodePlaces:
    """The same for Eligo's own kernels, as long as this process lives; see `keep_code_in`."""
    return find_places(Path(__file__).resolve().parents[1])


def keep_code_in(place: Path) -> None:
    """Have what is compiled from now on kept in a place of which this process was not told when it began."""
    os.environ[GIVEN[0]] = str(place.absolute())
    code_places.cache_clear()


def _is_writable(directory: Path) -> bool:
    """Whether files can be put into a directory, which is made if need be."""
    try:
        directory.mkdir(parents=True)
    except FileExistsError:
        pass
    except OSError:
        return False
    else:
        _remove_older(directory)
    return os.access(directory, os.W_OK | os.X_OK)


def _remove_older(made: Path) -> None:
    """Remove the directories of kernels that have long been others; a process that still uses one compiles again."""
    with suppress(OSError):
        others = [path for path in made.parent.iterdir() if re.fullmatch("[0-9a-f]{16}", path.name) and path != made]
        others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in others[KEPT - 1 :]:
            shutil.rmtree(path, ignore_errors=True)


def _own_place() -> Path | None:
    """A place for this process alone."""
    try:
        made = Path(tempfile.mkdtemp(prefix="eligo-"))
    except OSError:
        return None
    atexit.register(_remove_own, made, os.getpid())
    return made


def _remove_own(place: Path, owner: int) -> None:
    if os.getpid() == owner:  # and not a process that was forked from it
        shutil.rmtree(place, ignore_errors=True)
