"""What is a kernel given? Arrays of one type of number each, and numbers; here are their names.

A number may be Python's or numpy's, and is whatever Numba makes of it once it is compiled.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Integer = int | np.integer[Any]
"""A whole number; where it is a place, a count or a number of something, it is not below 0."""

UInt8s = npt.NDArray[np.uint8]
UInt16s = npt.NDArray[np.uint16]
UInt32s = npt.NDArray[np.uint32]
UInt64s = npt.NDArray[np.uint64]
Int64s = npt.NDArray[np.int64]
Float32s = npt.NDArray[np.float32]
Float64s = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.integer[Any]]
"""An array of whole numbers of a type that differs from use to use."""

Element = TypeVar("Element", bound=np.generic)
"""The type of an array's elements, where what comes back has the same."""
