"""What does an event make true, before any expression is looked at? Facts: a predicate is hit, an attribute is present.

Each key of the event leads to the facts that it makes true, each of which is noted once, however many keys lead to it.
Engines refer to facts by number:

    keys of the event        facts                                    truth
    age = 3      ──────▶     0  age in (3, 4)     1  age < 5          1 1 0 1
    age present  ──────▶     3  age is there                          true_facts  0 1 3
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events
from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Int64s, Integer, Integers, UInt8s, UInt32s
from eligo.ranges.kernels.segment_tree_walks import climb

ONE = np.uint64(1)


class FactKeys(NamedTuple):
    """Which facts each key makes true."""

    key_offsets: npt.NDArray[np.uint32]
    """Key k makes true `key_facts[key_offsets[k]:key_offsets[k + 1]]`; after the vocabulary come nodes of axes."""
    key_facts: npt.NDArray[np.uint32]
    axis_base: npt.NDArray[np.uint32]
    """For each axis: the key of its node 0; see `ranges.segment_tree`."""
    axis_size: npt.NDArray[np.uint32]
    """For each axis: the size of its segment tree, or 1 where lists are elementary."""
    fact_predicates: npt.NDArray[np.uint32]
    """For each fact: its predicate, or the number of predicates plus the attribute that is present."""


@hot_loop
def _note_key(key: Integer, count: Integer, keys: FactKeys, truth: UInt8s, true_facts: UInt32s) -> Any:
    for place in range(keys.key_offsets[key], keys.key_offsets[key + ONE]):
        fact = np.uint64(keys.key_facts[place])
        true_facts[count] = fact
        count += np.int64(truth[fact] ^ np.uint8(1))  # kept if it is new
        truth[fact] = 1
    return count


@hot_loop
def note_facts(event: Integer, events: Events, keys: FactKeys, truth: UInt8s, true_facts: UInt32s) -> Any:
    """Make true what the event's keys say; returns how many facts that are. `true_facts` has room for one more."""
    count = np.int64(0)
    for place in range(events.key_offsets[event], events.key_offsets[event + 1]):
        count = _note_key(np.uint64(events.keys[place]), count, keys, truth, true_facts)
    for place in range(events.cell_offsets[event], events.cell_offsets[event + 1]):
        axis = events.cell_axes[place]
        for key in climb(events.cells[place], keys.axis_size[axis], keys.axis_base[axis]):
            count = _note_key(key, count, keys, truth, true_facts)
    return count


@hot_loop
def forget_facts(count: Integer, truth: UInt8s, true_facts: UInt32s) -> None:
    """Undo `note_facts`."""
    for number in range(count):
        truth[true_facts[number]] = 0


@hot_loop
def count_facts(events: Events, keys: FactKeys, truth: UInt8s, true_facts: UInt32s, totals: Int64s) -> None:
    """Write for how many of the events each fact is true."""
    for event in range(len(events.key_offsets) - 1):
        count = note_facts(event, events, keys, truth, true_facts)
        for number in range(count):
            totals[true_facts[number]] += 1
        forget_facts(count, truth, true_facts)


@kernel
def group_by(values: Integers, num_values: Integer, rows: UInt32s) -> Any:
    """The rows by their value, in the order in which they stand: offsets by value, and rows."""
    offsets = np.zeros(num_values + 1, np.int64)
    for value in values:
        offsets[np.int64(value) + 1] += 1
    for value in range(num_values):
        offsets[value + 1] += offsets[value]
    places = offsets[:-1].copy()
    grouped = np.empty_like(rows)
    for number in range(len(values)):
        value = values[number]
        grouped[places[value]] = rows[number]
        places[value] += 1
    return offsets.astype(np.uint32), grouped
