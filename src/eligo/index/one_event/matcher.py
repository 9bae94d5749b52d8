"""How is an index asked millions of times? Through a matcher: what can be known before the event is looked at once.

A matcher follows its index: each answer is that of the moment when it was asked, whatever was inserted, deleted or
merged before. What it prepares belongs to one state of the index, and is prepared anew when there is another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from weakref import ReferenceType, ref

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_source import ExpressionId
from eligo.index.live.live_set import LiveSet
from eligo.index.live.live_state import State
from eligo.index.one_event.json_event import JsonText
from eligo.index.part import IsLive, Part
from eligo.index.settings import Settings
from eligo.index.view import known_event

LongWay = Callable[[Mapping[str, Any]], list[ExpressionId]]
"""Asks for what is not prepared: what is in the tails, and what is about documents."""
JsonWay = Callable[[JsonText], list[ExpressionId]]
"""Asks about an event as JSON."""


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
            return self._ids(parts[0], event)
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
        if not state.num_in_tails and not any(live.part.joins(self._settings) for live in state.parts):
            parts = tuple(Prepared(ref(live.part), state.living(live)) for live in state.parts)
        self._prepared = (state.moment, parts)
        return parts


class Matcher:
    """Asks an index which expressions events satisfy, one event at a time; made by `Index.matcher`.

    Any number of threads may share one, and a process that was forked may go on with it; it waits for no one.
    """

    def __init__(self, live: LiveSet, settings: Settings, long_way: LongWay, match_json: JsonWay) -> None:
        self._quick = QuickPath(live, settings)
        self._long_way = long_way
        self._match_json = match_json

    def match(self, event: Mapping[str, Any]) -> list[ExpressionId]:
        """The ids of the expressions that the event satisfies, in the order of `Index.ids`.

        An error where expressions are about documents: these are for `Index.match`.
        """
        found = self._quick.match(event)
        return found if found is not None else self._long_way(event)

    def match_json(self, text: JsonText) -> list[ExpressionId]:
        """The same for an event as a JSON object, a text or its bytes; see `Index.match_json`."""
        return self._match_json(text)

    def count(self, event: Mapping[str, Any]) -> int:
        """How many expressions the event satisfies."""
        found = self._quick.count(event)
        return found if found is not None else len(self._long_way(event))
