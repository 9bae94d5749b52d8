"""What was read and tested for single events, by whomever? The counts of all scratch, of which each piece has its own.

Scratch comes and goes, with every matcher some. What it has counted stays: the next goes on from there, so that there
are only as many counts as there was scratch at once. Their sum is right at every moment, for no count is ever moved.
"""

from __future__ import annotations

from weakref import finalize

import numpy as np
import numpy.typing as npt

from eligo.engines.a_tree.kernels.frozen_scratch import NUM_TOUCHED, NUM_WAITING

Counts = npt.NDArray[np.int64]
"""See `FrozenScratch.counts`."""


class EventCounts:
    """The counts of one engine's scratch; they are lent and come back by single steps of the interpreter."""

    def __init__(self) -> None:
        self._all: list[Counts] = []
        self._free: list[Counts] = []
        """Those whose scratch is gone."""

    def lend(self, scratch: object, made: Counts) -> Counts:
        """The counts of scratch as long as it lives: those that were made for it, or those of scratch that is gone."""
        try:
            counts = self._free.pop()
        except IndexError:
            counts = made
            self._all.append(counts)
        counts[[NUM_TOUCHED, NUM_WAITING]] = 0  # something may have been raised in the middle of an event
        finalize(scratch, self._free.append, counts).atexit = False
        return counts

    def total(self) -> Counts:
        """What was counted since the beginning."""
        return sum(self._all, np.zeros(NUM_WAITING + 1, np.int64))
