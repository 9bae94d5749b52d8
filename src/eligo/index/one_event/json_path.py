"""How is an index asked with a JSON text? By its bytes, encoded for each frozen part, with no object for any value.

Only the newest expressions, which are not frozen yet, are asked with a mapping.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from eligo.data.events.json_encoder import JsonEncoder
from eligo.data.expressions.expression_source import ExpressionId
from eligo.index.live.live_set import FewEvents, LiveSet
from eligo.index.live.live_state import State
from eligo.index.one_event.json_block import JsonBlock
from eligo.index.one_event.json_event import NO_BITS, json_encoders, json_event
from eligo.index.one_event.quick_path import is_about_documents
from eligo.index.part import IsLive
from eligo.index.settings import Settings
from eligo.language.value import Kind


class Ready(NamedTuple):
    """What asks the parts of a state."""

    moment: int
    """Of the state."""
    encoders: tuple[JsonEncoder, ...] | None
    """For each part; None when the long way has to be gone."""
    living: tuple[IsLive | None, ...]
    """For each part: tells which positions are still there; None when all are."""
    kinds: dict[str, Kind]
    """What the texts of attributes stand for."""
    tail_kinds: dict[str, Kind]
    """The same for attributes of the tail."""


class JsonPath:
    """Asks an index that has no schema, and is not about documents."""

    def __init__(self, live: LiveSet, settings: Settings) -> None:
        self._live = live
        self._settings = settings
        self._ready = Ready(-1, None, (), {}, {})
        self._encoders: tuple[JsonEncoder, ...] = ()
        """Those that were made last."""

    def match(self, text: bytes) -> list[ExpressionId] | None:
        """The ids of the expressions that the event satisfies; None when the long way has to be gone."""
        state = self._live.state
        if state.tail is None:
            ready = self._ready if self._ready.moment == state.moment else self._prepare(state)
            if len(state.parts) > self._live.few_parts:
                self._live.was_read(1)
            return self._of_parts(text, state, ready)
        with self._live.reading() as state:
            ready = self._ready if self._ready.moment == state.moment else self._prepare(state)
            found = self._of_parts(text, state, ready)
            if found is None or state.tail is None:
                return found
            event = json_event(text, ready.tail_kinds, None, self._settings.limits)
            found += [entry.id for entry in state.tail.match(event)]
        self._live.was_read(1)
        return found

    def few(self, texts: Sequence[bytes]) -> Callable[[State], FewEvents | None]:
        """Some texts, for a state whose tail the caller reads; None when the long way has to be gone."""

        def prepared(state: State) -> FewEvents | None:
            ready = self._ready if self._ready.moment == state.moment else self._prepare(state)
            if ready.encoders is None:
                return None
            limits = self._settings.limits
            events = [json_event(text, ready.tail_kinds, None, limits) for text in texts]
            return FewEvents(events, JsonBlock(texts, ready.kinds, None, limits).all_good)

        return prepared

    def _of_parts(self, text: bytes, state: State, ready: Ready) -> list[ExpressionId] | None:
        if ready.encoders is None:
            return None
        found: list[ExpressionId] = []
        for live, encoder, is_live in zip(state.parts, ready.encoders, ready.living, strict=True):
            positions = live.part.match_items(encoder.items(text, self._settings.limits))
            if len(positions):
                found += live.part.ids_at(positions if is_live is None else positions[is_live(positions)])
        return found

    def _prepare(self, state: State) -> Ready:
        """For a state, whose tail the caller reads."""
        bits = NO_BITS if state.tail is None else state.tail.kind_bits()
        ready = Ready(state.moment, None, (), {}, {})
        if bits is not None and self._settings.schema is None and not is_about_documents(state, self._settings):
            encoders, kinds = json_encoders([live.part.vocabulary for live in state.parts], self._encoders, bits)
            self._encoders = encoders
            living = tuple(state.living(live) for live in state.parts)
            tail_kinds = {name: kinds[name] for name in bits if name in kinds}
            ready = Ready(state.moment, encoders, living, kinds, tail_kinds)
        self._ready = ready
        return ready
