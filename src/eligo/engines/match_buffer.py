"""Where do kernels write matches before their number is known? In a buffer that is kept for the next call.

Memory that is new for every call costs more than matching does: the system has to clear it, page by page.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_batch import EventBatch
from eligo.engines.protocol import MatchArrays
from eligo.sharing import ScratchPool

Offsets = npt.NDArray[np.uint64]
Positions = npt.NDArray[np.uint32]


class MatchBuffer:
    """Room for the matches of one event, whatever they are; each call has its own."""

    def __init__(self, num_expressions: int) -> None:
        self._room = 64 * ((num_expressions + 63) // 64)
        self._kept: ScratchPool[Positions] = ScratchPool()

    def collect(self, events: EventBatch, match_from: Callable[[int, Offsets, Positions], int]) -> MatchArrays:
        """The matches of all events.

        `match_from` matches from an event on, writes positions and where those of each event end, and returns the
        first event that was not done for want of room.
        """
        kept = self._kept.take()
        kept = np.empty(self._room + 1, np.uint32) if kept is None else kept
        positions = kept
        offsets = np.zeros(events.num_events + 1, np.uint64)
        done = 0
        while done < events.num_events:
            done = match_from(done, offsets, positions)
            if done < events.num_events:
                positions = np.resize(positions, 2 * len(positions) + self._room)  # not kept: it may be very large
        found = MatchArrays(offsets, positions[: int(offsets[-1])].copy())
        self._kept.give(kept)
        return found
