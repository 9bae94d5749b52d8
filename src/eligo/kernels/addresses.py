"""How does a kernel take sixty arrays without paying for each one at every call? By their addresses, noted once.

Numba looks at every array argument anew when Python calls a kernel, which takes longer than a short match. Here the
arrays of an engine and of a thread's scratch are noted as one array of addresses and lengths, and the kernel makes its
views of them, which costs nothing. Whoever notes addresses keeps the arrays alive.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils

from eligo.kernels.numba_inside import lower_builtin, type_callable
from eligo.kernels.parameter_types import Int64s, Integer
from eligo.kernels.work import note_work


def addresses_of(arrays: Iterable[npt.NDArray[Any]]) -> npt.NDArray[np.int64]:
    """For each array: its address and its length."""
    noted, total = [], 0
    for array in arrays:
        if array.ndim != 1 or not array.flags.c_contiguous:
            raise ValueError("only flat arrays without gaps can be given by their address")
        noted += [array.ctypes.data, len(array)]
        total += len(array)
    made = np.array(noted, np.int64)
    note_work(made, total)
    return made


def flat(noted: Int64s, place: Integer, dtype: Any) -> Any:
    """The array at a place among those that were noted."""
    address, length = int(noted[2 * place]), int(noted[2 * place + 1])
    if not length:
        return np.empty(0, dtype)
    return np.frombuffer((ctypes.c_char * (length * np.dtype(dtype).itemsize)).from_address(address), dtype)


def _typed(_context: Any) -> Any:
    return lambda _noted, _place, dtype: types.Array(dtype.dtype, 1, "C")


def _generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Instructions, and no call of what Numba has for it, which takes several times as long to compile."""
    kind = signature.return_type
    noted = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    place = builder.shl(context.cast(builder, arguments[1], signature.args[1], types.int64), ir.IntType(64)(1))
    address = builder.load(builder.gep(noted, [place]))
    length = builder.load(builder.gep(noted, [builder.add(place, place.type(1))]))
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    made = context.make_array(kind)(context, builder)
    made.data = builder.inttoptr(address, context.get_data_type(kind.dtype).as_pointer())
    made.nitems = length
    made.itemsize = length.type(size)
    made.shape = cgutils.pack_array(builder, [length])  # type: ignore[no-untyped-call]
    made.strides = cgutils.pack_array(builder, [made.itemsize])  # type: ignore[no-untyped-call]
    # There is nothing that counts references to it: whoever noted the address keeps it alive.
    for owner in ("meminfo", "parent"):
        nothing = cgutils.get_null_value(getattr(made, owner).type)  # type: ignore[no-untyped-call]
        setattr(made, owner, nothing)
    return made._getvalue()


type_callable(flat)(_typed)
lower_builtin(flat, types.Array, types.Integer, types.NumberClass)(_generate)
