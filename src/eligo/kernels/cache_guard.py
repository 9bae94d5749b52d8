"""When is compiled code out of date? When any kernel changed, for kernels are compiled into one another.

Numba keeps compiled functions on disk and asks only whether a function's own file changed. After an upgrade a function
could so run with an old form of what it calls, which means wrong answers. So each directory of compiled code names all
the sources that it may have been made from, and is emptied when they are others.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

STAMP = "eligo-kernels.sha256"
"""The file that names the sources."""
COMPILED = ("*.nbi", "*.nbc")
"""Numba's files: what there is, and the code."""
FOLDER = "kernels"
"""The name of every folder that holds kernels, wherever it stands below the package."""


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


def cache_directories(folder: Path) -> Iterator[Path]:
    """Where Numba may keep the code of a folder of kernels: beside them, or in the user's or a given directory."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    name = f"{folder.name}_{hashlib.sha1(str(folder).encode(), usedforsecurity=False).hexdigest()}"
    if given:
        yield Path(given) / name
    yield folder / "__pycache__"
    if sys.platform == "win32":
        yield Path(os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData" / "Local"))) / "numba" / "Cache" / name
    elif sys.platform == "darwin":
        yield Path.home() / "Library" / "Caches" / "numba" / name
    else:
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "numba" / name


def drop_outdated(package: Path) -> None:
    """Remove compiled code of a package that was made from other kernels than it has now.

    The directory that Numba will write to is made here if need be, so that it names its sources before any code is in
    it: the next process would take code without that for code of unknown age.
    """
    digest = source_digest(package)
    for folder in kernel_folders(package):
        is_ready = False
        for directory in cache_directories(folder):
            with suppress(OSError):  # what cannot be written is not what Numba writes to
                if not is_ready:
                    directory.mkdir(parents=True, exist_ok=True)
                if directory.is_dir():
                    _drop_outdated_in(directory, digest)
                    is_ready = is_ready or os.access(directory, os.W_OK)


def _drop_outdated_in(directory: Path, digest: str) -> None:
    stamp = directory / STAMP
    try:
        if stamp.read_text(encoding="ascii") == digest:
            return
    except (OSError, UnicodeDecodeError):
        pass  # never written, or damaged: what is there is of unknown age
    for pattern in COMPILED:
        for path in directory.glob(pattern):
            path.unlink(missing_ok=True)
    fresh = directory / f"{STAMP}.{os.getpid()}"
    fresh.write_text(digest, encoding="ascii")
    fresh.replace(stamp)
