"""How does a loop read and write memory that others laid out? By its address, a number at a time.

What Arrow, a bytes object or scratch holds need not be an array first. Addresses are of bytes, and need not be aligned.
Run without the compiler, the same addresses are read with ctypes. Whoever passes an address keeps alive what is there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from eligo.kernels.compiled import IS_INTERPRETED


def _reading(number: Any, code: Any, in_python: Any) -> Callable[[Any], Any]:
    """A read of one type of number, in Numba's words, in LLVM's and in Python's."""

    def interpreted(address: Any) -> Any:
        return in_python.from_address(int(address)).value

    @intrinsic
    def read(_typing_context: Any, _address: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.load(builder.inttoptr(arguments[0], code.as_pointer()), align=1)

        return number(types.int64), generate

    compiled: Callable[[Any], Any] = read
    return interpreted if IS_INTERPRETED else compiled


def _writing(number: Any, code: Any, in_python: Any) -> Callable[[Any, Any], None]:
    """A write of one type of number."""

    def interpreted(address: Any, value: Any) -> None:
        in_python.from_address(int(address)).value = int(value)

    @intrinsic
    def write(_typing_context: Any, _address: Any, _value: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            address, value = arguments
            builder.store(value, builder.inttoptr(address, code.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(types.int64, number), generate

    compiled: Callable[[Any, Any], None] = write
    return interpreted if IS_INTERPRETED else compiled


read_i8 = _reading(types.int8, ir.IntType(8), ctypes.c_int8)
read_i16 = _reading(types.int16, ir.IntType(16), ctypes.c_int16)
read_i32 = _reading(types.int32, ir.IntType(32), ctypes.c_int32)
read_i64 = _reading(types.int64, ir.IntType(64), ctypes.c_int64)
read_u8 = _reading(types.uint8, ir.IntType(8), ctypes.c_uint8)
read_u16 = _reading(types.uint16, ir.IntType(16), ctypes.c_uint16)
read_u32 = _reading(types.uint32, ir.IntType(32), ctypes.c_uint32)
read_u64 = _reading(types.uint64, ir.IntType(64), ctypes.c_uint64)
read_f32 = _reading(types.float32, ir.FloatType(), ctypes.c_float)
read_f64 = _reading(types.float64, ir.DoubleType(), ctypes.c_double)
"""The number at an address."""

write_u8 = _writing(types.uint8, ir.IntType(8), ctypes.c_uint8)
write_u32 = _writing(types.uint32, ir.IntType(32), ctypes.c_uint32)
write_u64 = _writing(types.uint64, ir.IntType(64), ctypes.c_uint64)
write_i64 = _writing(types.int64, ir.IntType(64), ctypes.c_int64)
"""Put a number at an address."""
