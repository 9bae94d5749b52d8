"""How does a kernel ask whether an event satisfies a literal? Through a small state that holds one event at a time.

The event's keys are marked in a byte array and its cells are found by axis; both are unmarked afterwards, so that
loading an event costs its own size and not the vocabulary's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events, Literals, Predicates
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Integer

ONE = np.uint64(1)
NO_CELL = np.uint32(0xFFFFFFFF)
"""Above every cell."""


class EventState(NamedTuple):
    """Scratch state for one event; each thread has its own."""

    has_key: npt.NDArray[np.uint8]
    """For each key: 1 while the loaded event has it."""
    weight_of_key: npt.NDArray[np.float64]
    """For each key: its weight in the loaded event, 1 otherwise. Empty where nothing is scored."""
    axis_first: npt.NDArray[np.uint64]
    """For each axis: where the loaded event's cells on it begin in the batch."""
    axis_last: npt.NDArray[np.uint64]
    """For each axis: where they end; equal to `axis_first` when there are none."""
    axis_cell: npt.NDArray[np.uint32]
    """For each axis: the loaded event's first cell on it, or NO_CELL."""


def new_event_state(num_keys: int, num_axes: int, *, scored: bool = False) -> EventState:
    """A state with no event loaded."""
    return EventState(
        np.zeros(num_keys, np.uint8),
        np.ones(num_keys if scored else 0, np.float64),
        np.zeros(num_axes, np.uint64),
        np.zeros(num_axes, np.uint64),
        np.full(num_axes, NO_CELL, np.uint32),
    )


@hot_loop
def load_event(event: Integer, events: Events, state: EventState) -> None:
    """Mark the event's keys and find its cells."""
    has_weights = len(state.weight_of_key) > 0 and len(events.key_weights) > 0
    for place in range(events.key_offsets[event], events.key_offsets[event + 1]):
        state.has_key[events.keys[place]] = 1
        if has_weights:
            state.weight_of_key[events.keys[place]] = events.key_weights[place]
    for place in range(events.cell_offsets[event], events.cell_offsets[event + 1]):
        axis = events.cell_axes[place]
        if state.axis_last[axis] == state.axis_first[axis]:
            state.axis_first[axis] = place
            state.axis_cell[axis] = events.cells[place]
        state.axis_last[axis] = np.uint64(place) + ONE


@hot_loop
def unload_event(event: Integer, events: Events, state: EventState) -> None:
    """Undo `load_event`."""
    has_weights = len(state.weight_of_key) > 0
    for place in range(events.key_offsets[event], events.key_offsets[event + 1]):
        state.has_key[events.keys[place]] = 0
        if has_weights:
            state.weight_of_key[events.keys[place]] = 1.0
    for place in range(events.cell_offsets[event], events.cell_offsets[event + 1]):
        axis = events.cell_axes[place]
        state.axis_first[axis] = 0
        state.axis_last[axis] = 0
        state.axis_cell[axis] = NO_CELL


@hot_loop
def predicate_hit(predicate: Integer, predicates: Predicates, events: Events, state: EventState) -> Any:
    """Whether some value of the loaded event satisfies the predicate."""
    for place in range(predicates.key_offsets[predicate], predicates.key_offsets[predicate + ONE]):
        if state.has_key[predicates.keys[place]]:
            return True
    for place in range(predicates.range_offsets[predicate], predicates.range_offsets[predicate + ONE]):
        axis = predicates.range_axis[place]
        for cell in range(state.axis_first[axis], state.axis_last[axis]):
            if predicates.range_low[place] <= events.cells[cell] <= predicates.range_high[place]:
                return True
    return False


@hot_loop
def literal_holds(
    literal: Integer, literals: Literals, predicates: Predicates, events: Events, state: EventState
) -> Any:
    """Whether the literal holds for the loaded event."""
    predicate = np.uint64(literals.literal_predicate[literal])
    # The key of (attribute, present) is the attribute's own number.
    if not state.has_key[predicates.attribute_of_predicate[predicate]]:
        return literals.literal_holds_when_missing[literal] != 0
    return predicate_hit(predicate, predicates, events, state) == (literals.literal_positive[literal] != 0)
