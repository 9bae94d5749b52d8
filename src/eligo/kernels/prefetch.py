"""How does a loop wait less for memory? It asks for what it will need a few rounds ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from eligo.kernels.compiled import IS_INTERPRETED

READ, KEEP, DATA = 0, 3, 1
"""What the instruction is told: it is for reading, to be kept in all caches, and data."""


def _interpreted(array: Any, place: Any) -> None:
    """Nothing is to be gained."""


@intrinsic
def _compiled(_typing_context: Any, array: Any, place: Any) -> Any:
    """The instruction that brings a line of memory into the caches; it never fails, whatever the place is."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        address = builder.bitcast(builder.gep(data, [arguments[1]]), pointer)
        builder.call(function, [address, number(READ), number(KEEP), number(DATA)])
        return context.get_dummy_value()

    return types.void(array, types.uint64), generate


prefetch: Callable[[Any, Any], Any] = _interpreted if IS_INTERPRETED else _compiled
"""Ask for an element of a flat array, by its place, a 64-bit number."""
