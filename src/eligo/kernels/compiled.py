"""How is a loop compiled? To machine code that is kept and releases the interpreter lock; a hot one counts nothing.

Numba counts references to every array that a function touches, with an atomic instruction each time. A loop that makes
no array does not need that: without it, matching one event is four times as fast. Numba has the switch (`_nrt`) but
does not document it; it is used here and nowhere else.

Every kernel takes its decorator from here. When it is compiled, and what runs until then, says `kernel`; where its code
is kept, `code_places`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import config
from numba.core.compiler_lock import global_compiler_lock

from eligo.kernels.kernel import Kernel

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


def kernel(function: Loop) -> Loop:
    """Compile a loop, when it is called or soon after."""
    return _compiled(function, is_kept=True, nogil=True)


def hot_loop(function: Loop) -> Loop:
    """Compile a loop that makes no arrays, when it is called or soon after."""
    return _compiled(function, is_kept=True, nogil=True, _nrt=False)


def object_loop(function: Loop) -> Loop:
    """Compile a loop that looks at Python's objects: it makes no arrays, and keeps the interpreter lock."""
    return _compiled(function, is_kept=True, _nrt=False)


def brief(function: Loop) -> Loop:
    """Compile a loop that takes some microseconds, which keeps the interpreter lock.

    To give the lock away and get it back takes longer than such a loop where other threads compute.
    """
    return _compiled(function, is_kept=True)


def brief_hot_loop(function: Loop) -> Loop:
    """The same for a loop that makes no arrays."""
    return _compiled(function, is_kept=True, _nrt=False)


def generator(function: Loop) -> Loop:
    """Compile a loop that hands out one thing after another to the kernels that go through it; it makes no arrays.

    It becomes part of those, and is kept with them but not by itself: Numba does not know how to go through a
    generator that it has read from disk, and fails to compile the next kernel that does.
    """
    return _compiled(function, is_kept=False, nogil=True, _nrt=False)


def inlined(function: Loop) -> Loop:
    """Write a loop out in each kernel that calls it."""
    return _compiled(function, is_kept=False, inline="always")


def part(function: Loop) -> Loop:
    """Compile a function for the kernels that call it; Python, and so an interpreted kernel, calls it as it is."""
    return compiled_form_of(function)(function)


def compiled_form_of(function: Callable[..., object]) -> Callable[[Loop], Loop]:
    """Have a function stand for another one in the kernels that call that."""

    def register(form: Loop) -> Loop:
        if not IS_INTERPRETED:
            made = Kernel(form, {}, {"nopython": True})
            made.keep_code()
            made.stand_for(function)
        return form

    return register


def interpreted_as(form: Callable[..., object]) -> Callable[[Loop], Loop]:
    """Have something else run interpreted for a loop that only the compiler understands; stands below `inlined`."""

    def mark(function: Loop) -> Loop:
        vars(function)["interpreted"] = form
        return function

    return mark


def _compiled(function: Loop, is_kept: bool, **options: Any) -> Loop:
    if IS_INTERPRETED:
        return cast(Loop, getattr(function, "interpreted", function))
    made = Kernel(function, {}, {"nopython": True, **options})
    if is_kept:
        made.keep_code()
    return cast(Loop, made)
