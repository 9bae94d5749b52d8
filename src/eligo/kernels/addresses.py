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
from numba import carray, types  # type: ignore[attr-defined]
from numba.core import cgutils
from numba.extending import intrinsic

from eligo.kernels.compiled import inlined, interpreted_as
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


@intrinsic
def _pointer(_typing_context: Any, address: Any) -> Any:
    """An address as a pointer."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


def _interpreted_flat(noted: Int64s, place: Integer, dtype: Any) -> Any:
    address, length = int(noted[2 * place]), int(noted[2 * place + 1])
    if not length:
        return np.empty(0, dtype)
    return np.frombuffer((ctypes.c_char * (length * np.dtype(dtype).itemsize)).from_address(address), dtype)


@inlined
@interpreted_as(_interpreted_flat)
def flat(noted: Int64s, place: Integer, dtype: Any) -> Any:
    """The array at a place among those that were noted."""
    return carray(
        _pointer(noted[2 * place]),  # type: ignore[call-arg]
        noted[2 * place + 1],
        dtype,
    )
