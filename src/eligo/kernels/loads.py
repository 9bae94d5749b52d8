"""How does a hot loop read an array that it was given by its address? One element at a time.

`addresses.flat` makes an array of an address, which counts references, so a loop without such counts cannot use it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types

from eligo.kernels.numba_inside import lower_builtin, type_callable


def address_of(array: npt.NDArray[Any]) -> Any:
    """What the functions below take. Keep the array alive."""
    if array.ndim != 1 or not array.flags.c_contiguous:
        raise ValueError("only flat arrays without gaps can be given by their address")
    return array.ctypes.data


def _loading(number: Any, code: Any, plain: Any, made: Any) -> Callable[[Any, Any], Any]:
    """A load of one type of number, in the words of Numba, LLVM, C and numpy."""
    size = ctypes.sizeof(plain)

    def load(address: Any, place: Any) -> Any:
        return made(plain.from_address(int(address) + size * int(place)).value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, place = (
            context.cast(builder, argument, kind, types.int64)
            for argument, kind in zip(arguments, signature.args, strict=True)
        )
        return builder.load(builder.gep(builder.inttoptr(address, code.as_pointer()), [place]))

    type_callable(load)(lambda _context: lambda _address, _place: number)
    lower_builtin(load, types.Integer, types.Integer)(generate)
    return load


uint8_at = _loading(types.uint8, ir.IntType(8), ctypes.c_uint8, np.uint8)
int32_at = _loading(types.int32, ir.IntType(32), ctypes.c_int32, np.int32)
int64_at = _loading(types.int64, ir.IntType(64), ctypes.c_int64, np.int64)
uint64_at = _loading(types.uint64, ir.IntType(64), ctypes.c_uint64, np.uint64)
float64_at = _loading(types.float64, ir.DoubleType(), ctypes.c_double, np.float64)
"""The element at a place."""
