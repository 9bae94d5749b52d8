"""What does one thread need for a sparse block? Room for who meets which list, and for what comes of it.

A sparse block is a block of events that differ, so that most lists are met by few of them; see `sparse_blocks`. Events
are numbered within the block from 0 on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.kernels.addresses import addresses_of, flat
from eligo.kernels.compiled import IS_INTERPRETED, kernel
from eligo.kernels.lanes import LANES
from eligo.kernels.parameter_types import Int64s

LANE_EVENTS = 64
"""Events that a list is read for at once: a bit each in a word."""
MOST_CELLS = 8
"""An event with more cells than this on one axis reads all of its lists itself."""
NO_NUMBER = np.uint32(0xFFFFFFFF)
"""No cell and no list."""
MOST_CANDIDATES = 1 << 22
"""So many (event, place) pairs one block may have as candidates; with more of them, masks do better."""

# The places in `counts`.
NUM_GROUPS = 0
NUM_CANDIDATES = 1
NUM_ENTRIES = 2
NUM_SIZES = 3


class SparseScratch(NamedTuple):
    """A group is a list with the events of the block that meet it."""

    pair_list: npt.NDArray[np.uint32]
    pair_event: npt.NDArray[np.uint32]
    """Which event meets which list, event by event; then, by list, which event is referred to which further one."""
    list_count: npt.NDArray[np.uint32]
    """For each list: how many events meet it, and then where the next goes in `group_events`; 0 between blocks."""
    list_bits: npt.NDArray[np.uint64]
    """For each list a bit: whether an event meets it; 0 between blocks."""
    group_list: npt.NDArray[np.uint32]
    """For each group: its list. Lists ascend; those that entries refer to come last."""
    group_first: npt.NDArray[np.uint32]
    group_last: npt.NDArray[np.uint32]
    """For each group: where its events begin and end in `group_events`."""
    group_events: npt.NDArray[np.uint32]
    is_together: npt.NDArray[np.uint8]
    """For each group: 1 when its list is read for all of its events at once, 0 when each event reads it itself."""
    last_list: npt.NDArray[np.uint32]
    """For each event: the last list that it was referred to."""
    own_offsets: npt.NDArray[np.uint32]
    own_lists: npt.NDArray[np.uint32]
    """For each event: the lists that it reads itself."""
    is_crowded: npt.NDArray[np.uint8]
    """For each event: 1 when it is in no group, because it has too many cells on an axis."""
    key_offsets: npt.NDArray[np.uint32]
    keys: npt.NDArray[np.uint32]
    """For each event: its keys that some entry tests."""
    key_mask: npt.NDArray[np.uint64]
    """For each key: which of the events that a list is read for have it; 0 in between."""
    lane_base: npt.NDArray[np.uint32]
    """For each axis: where its cells are in `lane_cells`."""
    lane_width: npt.NDArray[np.uint32]
    """For each axis: the most cells that an event of the block has on it."""
    lane_cells: npt.NDArray[np.uint32]
    """For each axis, and each of so many cells: that of each event that a list is read for; NO_NUMBER in between."""
    candidates: npt.NDArray[np.uint64]
    """Event · 2^32 + where to read on in `tests`, list by list."""
    place_offsets: npt.NDArray[np.uint32]
    places: npt.NDArray[np.uint32]
    """The same by event."""
    counts: npt.NDArray[np.int64]
    """Groups; candidates; and since the beginning: entries that were read for events at once, and for how many."""

    costs: npt.NDArray[np.int64]
    """See `Costs`."""


NotedSparse = Any
"""A `SparseScratch` as one argument: the addresses of its arrays, or when interpreted the arrays themselves."""


def noted_sparse(sparse: SparseScratch) -> NotedSparse:
    """The argument for `sparse_views`; the scratch must outlive it."""
    return sparse if IS_INTERPRETED else addresses_of(sparse)


@kernel
def _views(noted: Int64s) -> Any:
    u8, u32, u64, i64 = np.uint8, np.uint32, np.uint64, np.int64
    return SparseScratch(
        flat(noted, 0, u32), flat(noted, 1, u32), flat(noted, 2, u32), flat(noted, 3, u64), flat(noted, 4, u32),
        flat(noted, 5, u32), flat(noted, 6, u32), flat(noted, 7, u32), flat(noted, 8, u8), flat(noted, 9, u32),
        flat(noted, 10, u32), flat(noted, 11, u32), flat(noted, 12, u8), flat(noted, 13, u32), flat(noted, 14, u32),
        flat(noted, 15, u64), flat(noted, 16, u32), flat(noted, 17, u32), flat(noted, 18, u32), flat(noted, 19, u64),
        flat(noted, 20, u32), flat(noted, 21, u32), flat(noted, 22, i64), flat(noted, 23, i64),
    )  # fmt: skip


def _as_they_are(noted: Any) -> Any:
    return noted


sparse_views: Callable[[Any], SparseScratch] = _as_they_are if IS_INTERPRETED else _views
"""The scratch that was noted."""


class Costs(NamedTuple):
    """What reading takes, in thirds of what an event needs for an entry that it reads itself."""

    read_alone: int = 3
    """An entry, for one event."""
    read_at_once: int = 4
    """An entry, for up to 64 events."""
    load_key: int = 2
    """A key of an event, before and after a list is read at once."""


class SparseSizes(NamedTuple):
    """For which blocks there is room."""

    events: int
    pairs: int
    """Of events and lists that they meet."""
    keys: int

    def has_room_for(self, other: SparseSizes) -> bool:
        """Whether all of it is enough."""
        return self.events >= other.events and self.pairs >= other.pairs and self.keys >= other.keys


def new_sparse_scratch(
    tree: FrozenTree, num_keys: int, num_axes: int, sizes: SparseSizes, costs: Costs
) -> SparseScratch:
    """Scratch for blocks of these sizes; arrays that are not set to anything are only reserved."""
    num_lists = len(tree.list_offsets)
    # As many pairs again for lists that entries refer to.
    num_pairs = 2 * sizes.pairs + 1024
    num_groups = min(num_pairs, num_lists) + 1
    # An event has each entry as a candidate once at most; what is left is for the last entry's, which are not counted.
    every_entry = sizes.events * (len(tree.list_entries) // 4 + len(tree.plain))
    num_candidates = min(MOST_CANDIDATES, every_entry + 2 * LANE_EVENTS)
    return SparseScratch(
        pair_list=np.empty(num_pairs, np.uint32),
        pair_event=np.empty(num_pairs, np.uint32),
        list_count=np.zeros(num_lists + 1, np.uint32),
        list_bits=np.zeros(num_lists // 64 + 1, np.uint64),
        group_list=np.empty(num_groups, np.uint32),
        group_first=np.empty(num_groups, np.uint32),
        group_last=np.empty(num_groups, np.uint32),
        group_events=np.empty(num_pairs, np.uint32),
        is_together=np.empty(num_groups, np.uint8),
        last_list=np.empty(sizes.events, np.uint32),
        own_offsets=np.empty(sizes.events + 1, np.uint32),
        own_lists=np.empty(num_pairs, np.uint32),
        is_crowded=np.empty(sizes.events, np.uint8),
        key_offsets=np.empty(sizes.events + 1, np.uint32),
        keys=np.empty(sizes.keys + 1, np.uint32),
        key_mask=np.zeros(num_keys + 1, np.uint64),
        lane_base=np.zeros(num_axes, np.uint32),
        lane_width=np.zeros(num_axes, np.uint32),
        lane_cells=np.full(num_axes * MOST_CELLS * LANE_EVENTS + LANES, NO_NUMBER, np.uint32),
        candidates=np.empty(num_candidates, np.uint64),
        place_offsets=np.empty(sizes.events + 1, np.uint32),
        places=np.empty(num_candidates, np.uint32),
        counts=np.zeros(NUM_SIZES + 1, np.int64),
        costs=np.array(costs, np.int64),
    )
