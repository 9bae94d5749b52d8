"""How is one event asked about without detours? Of the frozen parts alone, where nothing else can have an answer.

What is prepared belongs to one state of the index, and is prepared anew when there is another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from weakref import ReferenceType, ref

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_source import ExpressionId
from eligo.index.live.live_set import LiveSet
from eligo.index.live.live_state import State
from eligo.index.part import IsLive, Part
from eligo.index.settings import Settings
from eligo.index.view import known_event


class Prepared(NamedTuple):
    """A part at one moment."""

    part: ReferenceType[Part]
    """It lives as long as the state does that it is of, and is not kept in memory for its matcher's sake."""
    is_live: IsLive | None
    """Tells which positions are still there; None when all are."""


class QuickPath:
    """Asks an index that has no tails, and is not about documents."""

    def __init__(self, live: LiveSet, settings: Settings) -> None:
        self._live = live
        self._settings = settings
        self._limits = settings.limits
        self._has_schema = settings.schema is not None
        self._prepared: tuple[int, tuple[Prepared, ...] | None] = (-1, None)
        """A moment, and what is asked then; None when the long way is."""

    def match(self, event: Mapping[str, Any]) -> list[ExpressionId] | None:
        """The ids of the expressions that the event satisfies; None when the long way has to be gone."""
        state = self._live.state  # which keeps the parts alive
        moment, parts = self._prepared
        if moment != state.moment:
            parts = self._prepare(state)
        if parts is None:
            return None
        if self._has_schema or type(event) is not dict:
            event = known_event(event, self._settings)
        if len(parts) == 1:
            own, is_live = parts[0]  # as `_ids`, without a call
            part = own()
            assert part is not None
            positions = part.match_event(event, self._limits)
            return part.ids_at(positions if is_live is None else positions[is_live(positions)])
        return [id for prepared in parts for id in self._ids(prepared, event)]

    def count(self, event: Mapping[str, Any]) -> int | None:
        """How many expressions the event satisfies; None when the long way has to be gone."""
        state = self._live.state
        moment, parts = self._prepared
        if moment != state.moment:
            parts = self._prepare(state)
        if parts is None:
            return None
        known = known_event(event, self._settings)
        return sum(len(self._positions(prepared, known)[1]) for prepared in parts)

    def _ids(self, prepared: Prepared, event: Mapping[str, Any]) -> list[ExpressionId]:
        part, positions = self._positions(prepared, event)
        return part.ids_at(positions)

    def _positions(self, prepared: Prepared, event: Mapping[str, Any]) -> tuple[Part, npt.NDArray[np.uint32]]:
        part = prepared.part()
        assert part is not None, "the state was let go of while it was asked"
        positions = part.match_event(event, self._limits)
        return part, positions if prepared.is_live is None else positions[prepared.is_live(positions)]

    def _prepare(self, state: State) -> tuple[Prepared, ...] | None:
        parts = None
        if is_all_frozen(state, self._settings):
            parts = tuple(Prepared(ref(live.part), state.living(live)) for live in state.parts)
        self._prepared = (state.moment, parts)
        return parts


def is_all_frozen(state: State, settings: Settings) -> bool:
    """Whether the parts of a state answer an event by themselves: nothing is in its tails, or about documents."""
    return not state.num_in_tail and not any(live.part.joins(settings) for live in state.parts)
