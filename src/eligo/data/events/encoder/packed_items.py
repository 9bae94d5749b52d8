"""How do the items of an event get to where a kernel reads them? Packed by the interpreter, for lists of any length."""

from __future__ import annotations

from struct import Struct
from typing import Any, cast

import numpy as np
import numpy.typing as npt

MOST_PACKED = 512
"""Longer lists are written by numpy, which takes longer to begin."""

_PACKERS = [Struct(f"={length}Q") for length in range(MOST_PACKED + 1)]


def fill(room: npt.NDArray[np.uint64], items: list[int]) -> None:
    """Write items to the beginning of an array that has room for them."""
    if len(items) <= MOST_PACKED:
        _PACKERS[len(items)].pack_into(cast(Any, room), 0, *items)
    else:
        room[: len(items)] = items
