"""What does one thread need to match single events in a frozen tree? Room for what it reads and learns of an event."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.ranges.kernels.segment_tree_walks import longest_climb

MORE_EVENTS = 1_024
MORE_POSITIONS = 1 << 18
"""Room for the matches of so many further events that satisfy every expression, but no more than so many matches."""

# The places in `counts`.
NUM_TOUCHED = 0
NUM_ENTRIES = 1
NUM_CANDIDATES = 2
NUM_TESTS = 3
NUM_EVENTS = 4
MOST_CANDIDATES = 5
NUM_WAITING = 6
ANY_NUMBER = 2**62
"""As MOST_CANDIDATES: all events are walked."""


class FrozenScratch(NamedTuple):
    """What one thread needs to match an event."""

    lists: npt.NDArray[np.uint32]
    """The lists that the event meets; those that entries refer to are added on the way."""
    list_seen: npt.NDArray[np.uint8]
    """For each list that entries refer to: 1 when it is among `lists`; 0 between events."""
    candidates: npt.NDArray[np.uint32]
    """Where to read on for the entries that passed their inline test, and for the plain ones."""
    node_state: npt.NDArray[np.uint8]
    """For each node: what is known of it; UNKNOWN between events."""
    touched: npt.NDArray[np.uint32]
    """The nodes of which something is known."""
    pending: npt.NDArray[np.uint32]
    """Where to read on for the parents of true nodes."""
    stack_node: npt.NDArray[np.uint32]
    stack_place: npt.NDArray[np.uint32]
    """The nodes under evaluation and how far each has come."""
    bits: npt.NDArray[np.uint64]
    """A bit for each expression, to put many matches in order; zero between events."""
    counts: npt.NDArray[np.int64]
    """Touched nodes; and since the beginning: entries read, candidates, literals tested beyond the inline ones, events.

    Then how many candidates an event may have to be walked, and how many one has that waits for having more, or 0.
    """
    positions: npt.NDArray[np.uint32]
    """The matches of events, one after another; room for those of one event at least."""


def new_scratch(tree: FrozenTree, most_values: int) -> FrozenScratch:
    """Scratch for events of at most so many keys and cells together; arrays that are not zero are only reserved."""
    num_nodes = len(tree.node_is_and)
    depth = int(tree.node_level.max(initial=1)) + 2
    num_expressions = int(tree.num_expressions[0])
    num_referred = len(tree.list_offsets) - int(tree.universal[0])
    return FrozenScratch(
        lists=np.empty(most_values * longest_climb(tree.axis_size) + num_referred + 1, np.uint32),
        list_seen=np.zeros(num_referred, np.uint8),
        candidates=np.empty(len(tree.list_entries) // 4 + len(tree.plain) + 1, np.uint32),
        node_state=np.zeros(num_nodes, np.uint8),
        touched=np.empty(num_nodes + 1, np.uint32),
        pending=np.empty(len(tree.parents) + 2, np.uint32),
        stack_node=np.empty(depth, np.uint32),
        stack_place=np.empty(depth, np.uint32),
        bits=np.zeros(num_expressions // 64 + 1, np.uint64),
        counts=np.array([0, 0, 0, 0, 0, ANY_NUMBER, 0], np.int64),
        positions=np.empty(num_expressions + min(MORE_POSITIONS, MORE_EVENTS * num_expressions), np.uint32),
    )
