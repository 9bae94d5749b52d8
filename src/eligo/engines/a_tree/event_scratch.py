"""What does matching one event need beside the tree? Scratch that is made once and used again and again."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from eligo.data.events.kernels.event_items import new_event_room, noted_events
from eligo.data.kernels.tables import Literals
from eligo.data.vocabulary import Vocabulary
from eligo.engines.a_tree.event_counts import EventCounts
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.frozen_scratch import MOST_CANDIDATES, NUM_WAITING, new_scratch
from eligo.engines.a_tree.kernels.frozen_tree import match_items
from eligo.engines.a_tree.kernels.frozen_views import bundle
from eligo.engines.kernels.event_state import new_event_state
from eligo.engines.own_scratch import OwnScratch


class EventScratch(OwnScratch):
    """Scratch for single events of at most so many keys and cells together."""

    def __init__(
        self,
        tree: FrozenTree,
        table: Literals,
        vocabulary: Vocabulary,
        most: int,
        most_candidates: int,
        event_counts: EventCounts,
    ) -> None:
        """Events with more candidates wait for a choice of the way."""
        self.most = most
        self.state = new_event_state(vocabulary.num_keys + 1, vocabulary.num_axes)
        made = new_scratch(tree, most)
        self.scratch = made._replace(counts=event_counts.lend(self, made.counts))
        self.scratch.counts[MOST_CANDIDATES] = most_candidates
        self.bundled: Any = bundle(table, tree, self.state, self.scratch)
        """All that a match needs as one argument: addresses of the above and of the tree, which keep nothing alive."""
        self._room = new_event_room(most)
        self._noted = noted_events(self._room)
        self.items = self._room.items
        self.item_bytes = memoryview(cast(Any, self.items)).cast("B")

    def match(self, num_items: int) -> npt.NDArray[np.uint32] | None:
        num_matches = match_items(num_items, self._noted, self.bundled)
        if num_matches < 0:  # it waits for a choice of the way
            self.scratch.counts[NUM_WAITING] = 0
            return None
        return self.scratch.positions[:num_matches].copy()
