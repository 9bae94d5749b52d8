"""How is an index asked with a JSON text? By its bytes, encoded for each frozen part, with no object for any value."""

from __future__ import annotations

from eligo.data.events.json_encoder import JsonEncoder
from eligo.data.expressions.expression_source import ExpressionId
from eligo.index.live.live_set import LiveSet
from eligo.index.live.live_state import State
from eligo.index.one_event.json_event import json_encoders
from eligo.index.one_event.quick_path import is_all_frozen
from eligo.index.settings import Settings


class JsonPath:
    """Asks an index that has no tails and no schema, and is not about documents."""

    def __init__(self, live: LiveSet, settings: Settings) -> None:
        self._live = live
        self._settings = settings
        self._prepared: tuple[int, tuple[JsonEncoder, ...] | None] = (-1, None)
        """A moment, and what encodes for each part then; None when the long way has to be gone."""
        self._encoders: tuple[JsonEncoder, ...] = ()
        """Those that were made last."""

    def match(self, text: bytes) -> list[ExpressionId] | None:
        """The ids of the expressions that the event satisfies; None when the long way has to be gone."""
        state = self._live.state
        moment, encoders = self._prepared
        if moment != state.moment:
            encoders = self._prepare(state)
        if encoders is None:
            return None
        found: list[ExpressionId] = []
        for live, encoder in zip(state.parts, encoders, strict=True):
            positions = live.part.match_items(encoder.items(text, self._settings.limits))
            is_live = state.living(live)
            found += live.part.ids_at(positions if is_live is None else positions[is_live(positions)])
        return found

    def _prepare(self, state: State) -> tuple[JsonEncoder, ...] | None:
        encoders = None
        if self._settings.schema is None and is_all_frozen(state, self._settings):
            encoders = json_encoders([live.part.vocabulary for live in state.parts], self._encoders)
            self._encoders = encoders
        self._prepared = (state.moment, encoders)
        return encoders
