"""How is a kernel compiled that other kernels call? As a part of those, and not by itself.

Numba gives every function that it compiles a way in from Python and another from C, optimises it and makes machine code
of it, and then does all of that again inside each caller. The way in from Python takes long to compile: it takes apart
every array of every argument. A kernel that Python does not call needs none of this: what it is lowered to is linked
into its callers and optimised there, with them.

A kernel that is both a part and called by Python is compiled for both.
"""

from __future__ import annotations

from typing import Any

from eligo.kernels.numba_inside import CodeLibrary, Compiler, Flags, FunctionCompiler

WAYS_IN = ("no_compile", "no_cpython_wrapper", "no_cfunc_wrapper", "release_gil")
"""Flags that say how a function is called, and nothing of what it does."""


class KernelFlags(Flags):  # type: ignore[misc]
    """Numba's flags, compared quickly and without what does not matter.

    With every call of a function of its own Numba looks for one that was compiled with equal flags, for which it makes
    two dictionaries of all of them. A copy is what Numba compares; so kernels and parts share such functions.
    """

    def copy(self) -> KernelFlags:
        made = KernelFlags(self)
        for name in WAYS_IN:
            made.discard(name)
        return made

    def __hash__(self) -> int:
        return _HASH

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Flags):
            return NotImplemented
        ours, theirs = self._values, other._values
        return bool(ours == theirs) or (ours.keys() != theirs.keys() and bool(super().__eq__(other)))


_HASH = hash(Flags())
"""That of all flags: Numba computes it of their names."""


class PartLibrary(CodeLibrary):  # type: ignore[misc]
    """Code that is only linked into other code: it is neither optimised as a whole nor made machine code."""

    def _optimize_final_module(self) -> None:
        """Left to those that it is linked into."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class KernelPipeline(Compiler):  # type: ignore[misc]
    """Numba's compiler, with a library of its own for parts."""

    def __init__(
        self, typingctx: Any, targetctx: Any, library: Any, args: Any, return_type: Any, flags: Any, locals: Any
    ) -> None:
        if flags.no_compile and library is None:
            library = PartLibrary(targetctx.codegen(), "part")
            library.enable_object_caching()
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)


class KernelCompiler(FunctionCompiler):  # type: ignore[misc]
    """Compiles a kernel to be called by Python for the types that were named so, and as a part for others."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.entries: set[tuple[Any, ...]] = set()
        self._is_entry = True

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        self._is_entry = tuple(args) in self.entries
        return super()._compile_core(args, return_type)

    def _customize_flags(self, flags: Any) -> Any:  # called first thing by the above
        flags = KernelFlags(flags)
        flags.no_cfunc_wrapper = True
        if not self._is_entry:
            flags.no_cpython_wrapper = True
            flags.no_compile = True
        return flags
