"""How is one event asked about without detours? Of the frozen parts and the newest expressions, without documents.

What is prepared belongs to one state of the index, and is prepared anew when there is another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from weakref import ref

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_source import ExpressionId
from eligo.index.live.live_set import LiveSet
from eligo.index.live.live_state import State
from eligo.index.one_event.held_scratch import HeldScratch, own_scratch
from eligo.index.part import IsLive, Part
from eligo.index.settings import Settings
from eligo.index.view import known_event
from eligo.language.limits import Limits
from eligo.sharing import ScratchPool


class PreparedPart:
    """A part at one moment."""

    def __init__(self, part: Part, is_live: IsLive | None, limits: Limits, before: Iterable[PreparedPart] = ()) -> None:
        """`is_live` tells which positions are still there; None when all are. Scratch is shared with those before."""
        self._part = ref(part)  # which lives as long as its state, and is not kept in memory for its matcher's sake
        self._is_live = is_live
        self._limits = limits
        same = next((other for other in before if other._part() is part), None)
        self._held: ScratchPool[HeldScratch] = ScratchPool() if same is None else same._held

    def ids(self, event: Mapping[str, Any]) -> list[ExpressionId]:
        """The ids of those that the event satisfies."""
        part = self._part()
        assert part is not None, "the state was let go of while it was asked"
        return part.ids_at(self._positions(part, event))

    def count(self, event: Mapping[str, Any]) -> int:
        """How many of them the event satisfies."""
        part = self._part()
        assert part is not None, "the state was let go of while it was asked"
        return len(self._positions(part, event))

    def _positions(self, part: Part, event: Mapping[str, Any]) -> npt.NDArray[np.uint32]:
        found = None
        if type(event) is dict:
            scratch = self._held.take() or self._new_scratch(part)
            if scratch is not None:
                found = scratch.match(event, part)
                self._held.give(scratch)
        if found is None:
            found = part.match_event(event, self._limits)
        return found if self._is_live is None else found[self._is_live(found)]

    def _new_scratch(self, part: Part) -> HeldScratch | None:
        own = own_scratch(part)
        objects = None if own is None else part.encoder.scratch_for(own.items, self._limits)
        return None if own is None or objects is None else HeldScratch(own, objects, self._limits)


class QuickPath:
    """Asks an index that is not about documents."""

    def __init__(self, live: LiveSet, settings: Settings) -> None:
        self._live = live
        self._settings = settings
        self._has_schema = settings.schema is not None
        self._prepared: tuple[int, tuple[PreparedPart, ...] | None] = (-1, None)
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
            return parts[0].ids(event)
        if len(parts) > self._live.few_parts:
            self._live.was_read(1)
        return [id for part in parts for id in part.ids(event)]

    def _match_with_tail(self, event: Mapping[str, Any]) -> list[ExpressionId] | None:
        with self._live.reading() as state:
            moment, parts = self._prepared
            if moment != state.moment:
                parts = self._prepare(state)
            if parts is None:
                return None
            if self._has_schema or type(event) is not dict:
                event = known_event(event, self._settings)
            found = [id for part in parts for id in part.ids(event)]
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
        return sum(part.count(known) for part in parts)

    def _prepare(self, state: State) -> tuple[PreparedPart, ...] | None:
        """For a state, whose tail the caller reads."""
        parts = None
        if not is_about_documents(state, self._settings):
            limits, before = self._settings.limits, self._prepared[1] or ()
            parts = tuple(PreparedPart(live.part, state.living(live), limits, before) for live in state.parts)
        self._prepared = (state.moment, parts)
        return parts


def is_about_documents(state: State, settings: Settings) -> bool:
    """Whether some expression of a state, whose tail the caller reads, is about documents."""
    return any(live.part.joins(settings) for live in state.parts) or bool(state.part_names())
