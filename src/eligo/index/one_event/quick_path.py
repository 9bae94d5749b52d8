"""How is one event asked about without detours? Of the frozen parts and the newest expressions, without documents.

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
    """Asks an index that is not about documents."""

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
        if state.tail is not None:
            return self._match_with_tail(event)
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
        if len(parts) > self._live.few_parts:
            self._live.was_read(1)
        return [id for prepared in parts for id in self._ids(prepared, event)]

    def _match_with_tail(self, event: Mapping[str, Any]) -> list[ExpressionId] | None:
        with self._live.reading() as state:
            moment, parts = self._prepared
            if moment != state.moment:
                parts = self._prepare(state)
            if parts is None:
                return None
            if self._has_schema or type(event) is not dict:
                event = known_event(event, self._settings)
            found = [id for prepared in parts for id in self._ids(prepared, event)]
            if state.tail is not None:
                found += [entry.id for entry in state.tail.match(event)]
        self._live.was_read(1)
        return found

    def count(self, event: Mapping[str, Any]) -> int | None:
        """How many expressions the event satisfies; None when the long way has to be gone."""
        state = self._live.state
        if state.tail is not None:
            found = self._match_with_tail(event)
            return None if found is None else len(found)
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
        """For a state, whose tail the caller reads."""
        parts = None
        if not is_about_documents(state, self._settings):
            parts = tuple(Prepared(ref(live.part), state.living(live)) for live in state.parts)
        self._prepared = (state.moment, parts)
        return parts


def is_about_documents(state: State, settings: Settings) -> bool:
    """Whether some expression of a state, whose tail the caller reads, is about documents."""
    return any(live.part.joins(settings) for live in state.parts) or bool(state.part_names())
