"""With what is an engine asked again and again? With scratch that the caller keeps, and writes an event's items into.

So nothing is looked for, copied or handed over at each call that was not new with the event.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt


class OwnScratch(ABC):
    """Scratch for single events; used by one call at a time.

    It knows the arrays of its engine by their addresses, and does not keep them: whoever uses it holds the engine.
    """

    items: npt.NDArray[np.uint64]
    """What the event hits, in any order and repeated ones too; see `event_items`."""

    @abstractmethod
    def match(self, num_items: int) -> npt.NDArray[np.uint32]:
        """The matches of the event that has the first so many items, which may be put in order."""
