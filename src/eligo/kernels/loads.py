"""How does a hot loop read an array that it was given by its address? One element at a time.

`addresses.flat` makes an array of an address, which counts references, so a loop without such counts cannot use it.
Interpreted, the place of an address is taken by the array itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from eligo.kernels.compiled import IS_INTERPRETED


def address_of(array: npt.NDArray[Any]) -> Any:
    """What the functions below take: an address, or the array where kernels are interpreted. Keep the array alive."""
    if array.ndim != 1 or not array.flags.c_contiguous:
        raise ValueError("only flat arrays without gaps can be given by their address")
    return array if IS_INTERPRETED else array.ctypes.data


def _element(array: Any, place: Any) -> Any:
    return array[place]


def _loading(number: Any, code: Any) -> Callable[[Any, Any], Any]:
    """A load of one type of number, in Numba's words and in LLVM's."""

    @intrinsic
    def load(_typing_context: Any, _address: Any, _place: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            address, place = arguments
            return builder.load(builder.gep(builder.inttoptr(address, code.as_pointer()), [place]))

        return number(types.int64, types.int64), generate

    compiled: Callable[[Any, Any], Any] = load
    return _element if IS_INTERPRETED else compiled


uint8_at = _loading(types.uint8, ir.IntType(8))
int32_at = _loading(types.int32, ir.IntType(32))
int64_at = _loading(types.int64, ir.IntType(64))
uint64_at = _loading(types.uint64, ir.IntType(64))
float64_at = _loading(types.float64, ir.DoubleType())
"""The element at a place."""
