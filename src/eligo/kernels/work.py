"""How much has a kernel to do? At most so much for each element of the arrays that it is given."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

_NOTED: dict[int, int] = {}
"""For arrays of addresses, by `id`: the elements of the arrays that they lead to."""


def note_work(addresses: npt.NDArray[np.int64], elements: int) -> None:
    """Say how many elements the arrays have that an array of addresses leads to."""
    name = id(addresses)
    _NOTED[name] = elements
    weakref.finalize(addresses, _NOTED.pop, name, None).atexit = False


def work_of(arguments: Iterable[Any]) -> int:
    """The elements of all arrays among the arguments of a kernel, also of those in tuples and behind addresses."""
    total = 0
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop()
        if isinstance(argument, tuple):
            waiting.extend(argument)
        elif isinstance(argument, np.ndarray):
            total += argument.size + _NOTED.get(id(argument), 0)
    return total
