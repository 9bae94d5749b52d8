"""How does a loop wait less for memory? It asks for what it will need a few rounds ahead."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from eligo.kernels.numba_inside import lower_builtin, type_callable

READ, KEEP, DATA = 0, 3, 1
"""What the instruction is told: it is for reading, to be kept in all caches, and data."""


def prefetch(array: Any, place: Any) -> None:
    """Ask for an element of a flat array, by its place; interpreted, nothing is to be gained."""


def _generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The instruction that brings a line of memory into the caches; it never fails, whatever the place is."""
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    place = context.cast(builder, arguments[1], signature.args[1], types.uint64)
    pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
    function = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
    address = builder.bitcast(builder.gep(data, [place]), pointer)
    builder.call(function, [address, number(READ), number(KEEP), number(DATA)])
    return context.get_dummy_value()


type_callable(prefetch)(lambda _context: lambda _array, _place: types.void)
lower_builtin(prefetch, types.Array, types.Integer)(_generate)
