"""How does a loop run? Compiled over arrays, or interpreted over lists; the loop is the same.

Few things are done interpreted, which needs no compiler and does not wait for one; then lists are much faster than
arrays, whose every element is made a number object when it is read. What a loop takes and gives passes through here.

    compiled       loop             array            room of 3 words    array([?, ?, ?])
    interpreted    its Python       array.tolist()   room of 3 words    [0, 0, 0]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.kernels.compiled import IS_INTERPRETED
from eligo.kernels.interning import EMPTY, ROOM
from eligo.kernels.kernel import call_compiled


@dataclass(frozen=True)
class Running:
    """One of the two ways."""

    is_compiled: bool

    def loop(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """The kernel as it is to be called."""
        return partial(call_compiled, kernel) if self.is_compiled else getattr(kernel, "py_func", kernel)

    def given(self, array: npt.NDArray[Any]) -> Any:
        """An array as the loop takes it."""
        return array if self.is_compiled else array.tolist()

    def bytes(self, array: npt.NDArray[np.uint8]) -> Any:
        """Bytes as the loop takes them."""
        return array if self.is_compiled else array.tobytes()

    def columns(self, columns: Any) -> Any:
        """A NamedTuple of arrays as the loop takes it."""
        return columns if self.is_compiled else type(columns)(*(array.tolist() for array in columns))

    def room(self, size: int, dtype: Any) -> Any:
        """Where the loop writes so many elements."""
        return np.empty(size, dtype) if self.is_compiled else [0] * size

    def filled(self, size: int, value: int, dtype: Any) -> Any:
        """The same, with a value in every place."""
        return np.full(size, value, dtype) if self.is_compiled else [int(value)] * size

    def room_for_bytes(self, size: int) -> Any:
        """Where the loop writes texts."""
        return np.empty(size, np.uint8) if self.is_compiled else bytearray(size)

    def slots(self) -> Any:
        """An empty table of `interning`."""
        return self.filled(ROOM, EMPTY, np.uint64)

    def array(self, made: Any, dtype: Any, size: int | None = None) -> npt.NDArray[Any]:
        """What the loop wrote, or the first so many elements of it."""
        chosen = made if size is None else made[:size]
        if self.is_compiled:
            return np.asarray(chosen, dtype)
        return np.frombuffer(chosen, np.uint8) if isinstance(chosen, bytearray) else np.array(chosen, dtype)


COMPILED = Running(is_compiled=True)
INTERPRETED = Running(is_compiled=False)


def running_for(size: int, compiled_from: int, last: Callable[..., Any]) -> Running:
    """How to run loops over so much: interpreted where it is little, unless the last of them is compiled already."""
    is_worth_it = size >= compiled_from or bool(getattr(last, "signatures", None))
    return COMPILED if is_worth_it and not IS_INTERPRETED else INTERPRETED
