"""How is a loop compiled? To machine code that is cached and releases the interpreter lock; a hot one counts nothing.

Numba counts references to every array that a function touches, with an atomic instruction each time. A loop that makes
no array does not need that: without it, matching one event is four times as fast. Numba has the switch (`_nrt`) but
does not document it; it is used here and nowhere else.

Every kernel takes its decorator from here. So this module is loaded before any of them is compiled or read from the
cache, and it is here that code of other sources is dropped; see `cache_guard`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar, cast

from numba import config, njit
from numba.core.compiler_lock import global_compiler_lock

from eligo.kernels.cache_guard import drop_outdated

Loop = TypeVar("Loop", bound=Callable[..., object])

IS_INTERPRETED: bool = bool(vars(config)["DISABLE_JIT"])
"""Whether kernels run as plain Python in this process: `NUMBA_DISABLE_JIT` is set."""

# A process that is forked in the middle of compiling would wait for ever for a thread that it does not have.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )

with suppress(OSError):  # an installation that cannot be read or written file by file keeps no code either
    drop_outdated(Path(__file__).resolve().parents[1])


def kernel(function: Loop) -> Loop:
    """Compile a loop, when it is first called."""
    return cast(Loop, njit(cache=True, nogil=True)(function))


def hot_loop(function: Loop) -> Loop:
    """Compile a loop that makes no arrays, when it is first called."""
    return cast(Loop, njit(cache=True, nogil=True, _nrt=False)(function))  # type: ignore[call-overload]


def generator(function: Loop) -> Loop:
    """Compile a loop that hands out one thing after another to the kernels that go through it; it makes no arrays.

    It becomes part of those, and is cached with them but not by itself: Numba does not know how to go through a
    generator that it has read from the cache, and fails to compile the next kernel that does.
    """
    return cast(Loop, njit(nogil=True, _nrt=False)(function))  # type: ignore[call-overload]


def inlined(function: Loop) -> Loop:
    """Write a loop out in each kernel that calls it."""
    return cast(Loop, njit(inline="always")(function))
