"""How is a hot loop compiled? To machine code that is cached, releases the interpreter lock, and counts no references.

Numba counts references to every array that a function touches, with an atomic instruction each time. A loop that makes
no array does not need that: without it, matching one event is four times as fast. Numba has the switch (`_nrt`) but
does not document it; it is used here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import config, njit

Loop = TypeVar("Loop", bound=Callable[..., object])

IS_INTERPRETED: bool = bool(vars(config)["DISABLE_JIT"])
"""Whether kernels run as plain Python in this process: `NUMBA_DISABLE_JIT` is set."""


def hot_loop(function: Loop) -> Loop:
    """Compile a loop that makes no arrays, when it is first called."""
    return cast(Loop, njit(cache=True, nogil=True, _nrt=False)(function))  # type: ignore[call-overload]
