"""Where do large answers go? To memory that an answer before has given up.

Memory that the system gives anew is cleared page by page, and on a virtual machine the host may have to find it first:
that takes several times as long as writing the matches. So what a large answer was written to is kept when nobody
refers to it any more, and the next one is written to it.
"""

from __future__ import annotations

import weakref

import numpy as np
import numpy.typing as npt

FEWEST_ITEMS = 1 << 20
"""Smaller answers are not worth it."""
MOST_ITEMS = 1 << 28
"""Larger ones are not kept: a gigabyte."""
MOST_UNUSED = 4
"""Nor is memory used again for an answer that needs less than one in so many of its items."""


class KeptMemory:
    """Memory of the last large answer that is gone."""

    def __init__(self) -> None:
        self._free: list[npt.NDArray[np.uint32]] = []

    def take(self, count: int) -> npt.NDArray[np.uint32]:
        """Room for so many items, with anything in it; it comes back by itself."""
        if not FEWEST_ITEMS <= count <= MOST_ITEMS:
            return np.empty(count, np.uint32)
        try:
            memory = self._free.pop()
        except IndexError:
            memory = None
        if memory is None or not count <= len(memory) <= MOST_UNUSED * count:
            memory = np.empty(count + count // 8, np.uint32)
        # Every array over part of `room` refers to it, not to `memory`: between them stands a memoryview. So `room` is
        # gone when all of them are.
        room = np.frombuffer(memory.data, np.uint32)
        weakref.finalize(room, self._give, memory).atexit = False
        return room[:count]

    def _give(self, memory: npt.NDArray[np.uint32]) -> None:
        if not self._free:
            self._free.append(memory)
