"""Where do kernels write matches before their number is known? In a buffer that a thread keeps for its next call.

Memory that is new for every call costs more than matching does: the system has to clear it, page by page.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from eligo.data.event_batch import EventBatch
from eligo.engines.protocol import MatchArrays

Offsets = npt.NDArray[np.uint64]
Positions = npt.NDArray[np.uint32]


class MatchBuffer(threading.local):
    """Room for the matches of one event, whatever they are; each thread has its own."""

    def __init__(self, num_expressions: int) -> None:
        self._room = 64 * ((num_expressions + 63) // 64)
        self._positions = np.empty(0, np.uint32)

    def collect(self, events: EventBatch, match_from: Callable[[int, Offsets, Positions], int]) -> MatchArrays:
        """The matches of all events.

        `match_from` matches from an event on, writes positions and where those of each event end, and returns the
        first event that was not done for want of room.
        """
        if not len(self._positions):
            self._positions = np.empty(self._room + 1, np.uint32)
        positions = self._positions
        offsets = np.zeros(events.num_events + 1, np.uint64)
        done = 0
        while done < events.num_events:
            done = match_from(done, offsets, positions)
            if done < events.num_events:
                positions = np.resize(positions, 2 * len(positions) + self._room)  # not kept: it may be very large
        return MatchArrays(offsets, positions[: int(offsets[-1])].copy())
