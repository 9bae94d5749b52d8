"""How is compiled code kept? One file for each kernel and types of arguments, written whole or not at all.

    <place>/3f9c52a0814be6d7/engines.a_tree.kernels.frozen_tree/match_events-8d1f0c6a90b2e437.code

The name is a digest of everything that decides the code beside the kernels' sources: the types, the processor, and the
versions of Python and Numba. So two processes that compile at the same time cannot take one code for another, which
Numba's own numbered files allow. A file begins with the checksum of its name and of the rest, and is used only if that
holds and nobody but this user or root can have written it; one of somebody else is as good as none. What cannot be read
is compiled again; what cannot be written is not kept.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite
import numba

from eligo.kernels.code_places import code_places
from eligo.kernels.numba_inside import CompileResult, FunctionCache, dumps

Types = tuple[Any, ...]
"""Numba's types of a kernel's arguments."""

CHECKSUM_BYTES = hashlib.sha256().digest_size
VERSIONS = (numba.__version__, llvmlite.__version__, sys.version, sys.implementation.cache_tag)


class CodeCache(FunctionCache):  # type: ignore[misc]
    """The code of one kernel on disk, as Numba's dispatchers ask for it."""

    def __init__(self, py_func: Callable[..., Any]) -> None:  # Numba's own looks for a place now, and fails without one
        self._name = repr(py_func)
        self._py_func = py_func
        self._folder = py_func.__module__.removeprefix("eligo.")
        self._fixed: tuple[Any, ...] | None = None
        self.enable()

    @property
    def cache_path(self) -> str | None:
        written = code_places().written
        return None if written is None else str(written / self._folder)

    def path_of(self, types: Types, context: Any) -> Path | None:
        """The file with the code for these types, if there is one that may be used."""
        return next(self._paths(types, context), None)

    def _paths(self, types: Types, context: Any) -> Iterator[Path]:
        name = self._file_name(types, context)
        for place in code_places().read:
            path = place / self._folder / name
            with suppress(OSError):
                if _is_trusted(path.stat()):
                    yield path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        if not self._enabled or not isinstance(sig, tuple):
            return None
        for path in self._paths(sig, target_context):
            try:
                content = pickle.loads(_verified(path))
                return CompileResult._rebuild(target_context, *content)
            except Exception:  # damaged, whatever it says of that
                with suppress(OSError):
                    path.unlink()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        written = code_places().written
        if not self._enabled or written is None or data.entry_point is None or not isinstance(sig, tuple):
            return  # what has no entry point is part of other kernels only
        if data.library.has_dynamic_globals or data.lifted:
            return
        target = written / self._folder / self._file_name(sig, data.target_context)
        code = dumps(data._reduce())
        content = _checksum(target, code) + code
        with suppress(OSError):
            target.parent.mkdir(exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".", delete=False) as file:
                try:
                    file.write(content)
                    file.close()
                    os.chmod(file.name, 0o644)  # for the users of an image
                    os.replace(file.name, target)
                except BaseException:
                    os.unlink(file.name)
                    raise

    def flush(self) -> None:
        """Remove all code of this kernel that can be removed."""
        for place in code_places().read:
            for path in (place / self._folder).glob(f"{self._py_func.__name__}-*.code"):
                with suppress(OSError):
                    path.unlink()

    def _file_name(self, types: Types, context: Any) -> str:
        if self._fixed is None:  # the processor and the kernel's bytecode
            self._fixed = (*self._index_key((), context.codegen()), *VERSIONS)
        key = (tuple(map(str, types)), self._fixed)
        return f"{self._py_func.__name__}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.code"


def _is_trusted(found: os.stat_result) -> bool:
    """Whether only this user or root can have written a file."""
    return not found.st_mode & stat.S_IWOTH and (not hasattr(os, "getuid") or found.st_uid in (0, os.getuid()))


def _checksum(path: Path, code: bytes) -> bytes:
    """Of code and of what it is the code of, which is in the names of its file and of the two directories above."""
    digest = hashlib.sha256("/".join(path.parts[-3:]).encode())
    digest.update(code)
    return digest.digest()


def _verified(path: Path) -> bytes:
    """The code in a file of `save_overload`; a `ValueError` for one that is damaged, or may be another user's."""
    with path.open("rb") as file:
        if not _is_trusted(os.fstat(file.fileno())):
            raise ValueError("others can write it")
        content = file.read()
    checksum, code = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
    if _checksum(path, code) != checksum:
        raise ValueError("its checksum does not hold")
    return code
