"""Which form of a kernel does a call run? Compiled code where there is some; else that is a matter of how much to do.

Compiling takes seconds, and a small input is done interpreted in milliseconds. So a call that has little to do runs the
kernel as Python, which asks another process to compile it meanwhile; see `background`. A call that has much to do
waits for the compiler, and so does one that comes when as much time has been spent interpreting as compiling takes.

    call ── compiled in this process? ── yes ─────────────────────────────────→ run it, as Numba does
              └ no ── kept on disk? ── yes ── load it ────────────────────────→ run it
                        └ no ── much to do, or ELIGO_COMPILE=now? ── compile ─→ run it
                                  └ no ── ask for it ── run as Python, with all kernels that it calls

Whatever form runs, the arrays are the same, and so are the answers.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eligo.kernels.background import ask_for
from eligo.kernels.code_cache import CodeCache, Types
from eligo.kernels.numba_inside import CPUDispatcher, OmittedArg
from eligo.kernels.parts import KernelCompiler, KernelPipeline
from eligo.kernels.work import work_of

logger = logging.getLogger("eligo")

WHEN = "ELIGO_COMPILE"
NOW = "now"
"""The value of the variable with which every kernel is compiled when it is first called."""
LITTLE = 200_000
"""Elements up to which a call is interpreted; scratch counts too, so most take far below a second."""
PATIENCE = 20.0
"""Seconds that a process interprets kernels before it compiles them itself."""
LOOKS_EACH = 0.25
"""Seconds from one look for what another process has compiled to the next."""


class _Calls(threading.local):
    """What a thread is doing."""

    is_interpreting: bool = False
    must_compile: bool = False
    is_compiling: bool = False
    """A signal handler may call kernels in the middle of it, and the compiler cannot be entered twice."""


_calls = _Calls()


@dataclass
class _Process:
    """What all threads share."""

    is_compiling_now: bool = False
    seconds_spent: float = 0.0
    """What all interpreted calls took."""
    said: set[str] = field(default_factory=set)
    """What was logged, which is done once."""


_process = _Process()


class Entry:
    """What stands for the way into a part, which has none."""


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function of Numba that can wait for its code."""

    def __init__(
        self,
        py_func: Callable[..., Any],
        locals: dict[str, Any] | None = None,
        targetoptions: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(py_func, locals, targetoptions, KernelPipeline)
        self.interpreted: Callable[..., Any] = getattr(py_func, "interpreted", py_func)
        self._looked: dict[Types, float] = {}

    def keep_code(self) -> None:
        """Keep its code on disk where Python calls it; for kernels that call it, compile it as a part of them."""
        self._cache = CodeCache(self.py_func)
        self._compiler = KernelCompiler(self.py_func, self.targetdescr, self.targetoptions, self.locals, KernelPipeline)

    def stand_for(self, function: Callable[..., Any]) -> None:
        """Be what is compiled where kernels call a function."""
        vars(function)["compiled"] = self  # Numba's types hold kernels weakly
        self.typingctx.insert_global(function, self._type)

    def compile_entry(self, types: Types) -> Any:
        """The code for arguments of these types, to be called by Python."""
        self._allow_entry(types)
        return self.compile(types)

    def add_overload(self, cres: Any) -> None:
        if cres.entry_point is not None:
            super().add_overload(cres)
            return
        part = cres._replace(entry_point=Entry())
        self.targetctx.insert_user_function(part.entry_point, part.fndesc, [part.library])
        self.overloads[tuple(part.signature.args)] = part

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """What Numba asks where this process has no code for some arguments; gives what is to be called with them."""
        if _calls.is_interpreting:
            return self._interpret_within
        types = tuple(self.typeof_pyval(argument) for argument in args)
        is_within = _calls.is_compiling and not _calls.must_compile
        if isinstance(self._cache, CodeCache) and (is_within or self._may_wait(types, args)):
            self._types_active_call.clear()
            return self._interpret
        self._allow_entry(types)
        before = _calls.is_compiling, _calls.must_compile
        _calls.is_compiling, _calls.must_compile = True, False
        try:
            return super()._compile_for_args(*args, **kws)
        finally:
            _calls.is_compiling, _calls.must_compile = before

    def _allow_entry(self, types: Types) -> None:
        if isinstance(self._compiler, KernelCompiler):
            self._compiler.entries.add(types)
        found = self.overloads.get(types)
        if found is not None and isinstance(found.entry_point, Entry):
            del self.overloads[types]

    def _may_wait(self, types: Types, arguments: tuple[Any, ...]) -> bool:
        """Whether a call is interpreted; then the code has been asked for."""
        if _process.is_compiling_now or _calls.must_compile or os.environ.get(WHEN) == NOW:
            return False
        is_little = work_of(arguments) <= LITTLE and _process.seconds_spent < PATIENCE
        looked, now = self._looked.get(types), time.monotonic()
        if is_little and looked is not None and now < looked + LOOKS_EACH:
            return True
        if self._cache.path_of(types, self.targetctx) is not None:
            return False
        if not is_little or not (looked is not None or ask_for(self, types)):
            _say("compiling for a large input; that is kept for all later runs")
            return False
        self._looked[types] = now
        _say("compiling in the background; small inputs are interpreted until that is done")
        return True

    def _interpret(self, *arguments: Any) -> Any:
        """Run the kernel as Python, and all that it calls."""
        started = time.perf_counter()
        _calls.is_interpreting = True
        try:
            with np.errstate(over="ignore"):  # numbers wrap around, as compiled
                return self._interpret_within(*arguments)
        finally:
            _calls.is_interpreting = False
            _process.seconds_spent += time.perf_counter() - started

    def _interpret_within(self, *arguments: Any) -> Any:
        return self.interpreted(
            *(argument.value if isinstance(argument, OmittedArg) else argument for argument in arguments)
        )


def call_compiled(kernel: Callable[..., Any], *arguments: Any) -> Any:
    """Call a kernel that does not run interpreted over arrays, but over lists."""
    before, _calls.must_compile = _calls.must_compile, True
    try:
        return kernel(*arguments)
    finally:
        _calls.must_compile = before


@contextmanager
def compiled_now() -> Iterator[None]:
    """Within this, whatever is called is compiled first."""
    before, _process.is_compiling_now = _process.is_compiling_now, True
    try:
        yield
    finally:
        _process.is_compiling_now = before


def _say(message: str) -> None:
    if message not in _process.said:
        _process.said.add(message)
        logger.info(message)
