"""How is an index asked with a JSON text? By its bytes, encoded for each frozen part, with no object for any value."""

from __future__ import annotations

from weakref import ref

import numpy as np
import numpy.typing as npt

from eligo.data.events.json_encoder import JsonEncoder
from eligo.data.expressions.expression_source import ExpressionId
from eligo.index.live.live_set import LiveSet
from eligo.index.live.live_state import State
from eligo.index.one_event.held_scratch import HeldJsonScratch, own_scratch
from eligo.index.one_event.json_event import json_encoders
from eligo.index.one_event.quick_path import is_all_frozen
from eligo.index.part import IsLive, Part
from eligo.index.settings import Settings
from eligo.language.limits import Limits
from eligo.sharing import ScratchPool


class JsonPart:
    """A part at one moment, and what encodes for it."""

    def __init__(self, part: Part, is_live: IsLive | None, encoder: JsonEncoder, limits: Limits) -> None:
        """`is_live` tells which positions are still there; None when all are."""
        self._part = ref(part)
        self._is_live = is_live
        self._encoder = encoder
        self._limits = limits
        self._held: ScratchPool[HeldJsonScratch] = ScratchPool()

    def ids(self, text: bytes) -> list[ExpressionId]:
        """The ids of those that the event satisfies."""
        part = self._part()
        assert part is not None, "the state was let go of while it was asked"
        positions = self._positions(part, text)
        return part.ids_at(positions if self._is_live is None else positions[self._is_live(positions)])

    def _positions(self, part: Part, text: bytes) -> npt.NDArray[np.uint32]:
        scratch = self._held.take() or self._new_scratch(part)
        if scratch is not None:
            found = scratch.match(text)
            self._held.give(scratch)
            if found is not None:
                return found
        return part.match_items(self._encoder.items(text, self._limits))

    def _new_scratch(self, part: Part) -> HeldJsonScratch | None:
        own = own_scratch(part)
        return None if own is None else HeldJsonScratch(self._encoder, own, self._limits)


class JsonPath:
    """Asks an index that has no tails and no schema, and is not about documents."""

    def __init__(self, live: LiveSet, settings: Settings) -> None:
        self._live = live
        self._settings = settings
        self._prepared: tuple[int, tuple[JsonPart, ...] | None] = (-1, None)
        """A moment, and what is asked then; None when the long way has to be gone."""
        self._encoders: tuple[JsonEncoder, ...] = ()
        """Those that were made last."""

    def match(self, text: bytes) -> list[ExpressionId] | None:
        """The ids of the expressions that the event satisfies; None when the long way has to be gone."""
        state = self._live.state  # which keeps the parts alive
        moment, parts = self._prepared
        if moment != state.moment:
            parts = self._prepare(state)
        if parts is None:
            return None
        if len(parts) == 1:
            return parts[0].ids(text)
        return [id for part in parts for id in part.ids(text)]

    def _prepare(self, state: State) -> tuple[JsonPart, ...] | None:
        parts = None
        if self._settings.schema is None and is_all_frozen(state, self._settings):
            self._encoders = json_encoders([live.part.vocabulary for live in state.parts], self._encoders)
            parts = tuple(
                JsonPart(live.part, state.living(live), encoder, self._settings.limits)
                for live, encoder in zip(state.parts, self._encoders, strict=True)
            )
        self._prepared = (state.moment, parts)
        return parts
