"""What does matching one event need beside the tree? Scratch that is made once and used again and again."""

from __future__ import annotations

from typing import Any, cast
from weakref import ref

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.data.events.event_batch import EventBatch
from eligo.data.events.kernels.event_items import new_event_room, noted_events
from eligo.data.kernels.tables import Literals
from eligo.data.vocabulary import Vocabulary
from eligo.engines.a_tree.dense_event import LevelPasses
from eligo.engines.a_tree.event_counts import EventCounts
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.frozen_scratch import MOST_CANDIDATES, NUM_EVENTS, NUM_WAITING, new_scratch
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
        levels: LevelPasses,
        event_counts: EventCounts,
    ) -> None:
        """Events with more candidates than `levels` says wait for its choice of the way; it is not kept alive."""
        self.most = most
        self.state = new_event_state(vocabulary.num_keys + 1, vocabulary.num_axes)
        made = new_scratch(tree, most)
        self.scratch = made._replace(counts=event_counts.lend(self, made.counts))
        self.scratch.counts[MOST_CANDIDATES] = levels.fewest_candidates
        self.bundled: Any = bundle(table, tree, self.state, self.scratch)
        """All that a match needs as one argument: addresses of the above and of the tree, which keep nothing alive."""
        self._levels = ref(levels)
        self._room = new_event_room(most)
        self._event = EventBatch(*read_only_arrays(self._room[: len(EventBatch._fields)]))
        self._noted = noted_events(self._room)
        self.items = self._room.items
        self.item_bytes = memoryview(cast(Any, self.items)).cast("B")

    def match(self, num_items: int) -> npt.NDArray[np.uint32]:
        num_matches = match_items(num_items, self._noted, self.bundled)
        return self._match_waiting() if num_matches < 0 else self.scratch.positions[:num_matches].copy()

    def _match_waiting(self) -> npt.NDArray[np.uint32]:
        """The matches of the event in the room, which waits for a choice of the way."""
        levels = self._levels()
        assert levels is not None, "the engine was let go of while it was asked"
        counts, positions, offsets = self.scratch.counts, self.scratch.positions, self._room.match_offsets
        num_waiting, counts[NUM_WAITING] = int(counts[NUM_WAITING]), 0
        if levels.prefers_pass(num_waiting):
            counts[NUM_EVENTS] += 1
            return levels.match(0, self._event, self.state, positions)
        levels.timed_walk(num_waiting, 0, self._noted, self.bundled, counts, offsets)
        return positions[: int(offsets[1])].copy()
