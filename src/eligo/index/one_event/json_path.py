"""How is an index asked with a JSON text? By its bytes, encoded for each frozen part, with no object for any value.

Only the newest expressions, which are not frozen yet, are asked with a mapping.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple
from weakref import ref

import numpy as np
import numpy.typing as npt

from eligo.data.events.json_encoder import JsonEncoder
from eligo.data.expressions.expression_source import ExpressionId
from eligo.index.live.live_set import FewEvents, LiveSet
from eligo.index.live.live_state import State
from eligo.index.one_event.held_scratch import HeldJsonScratch, own_scratch
from eligo.index.one_event.json_block import JsonBlock
from eligo.index.one_event.json_event import NO_BITS, json_encoders, json_event
from eligo.index.one_event.quick_path import is_about_documents
from eligo.index.part import IsLive, Part
from eligo.index.settings import Settings
from eligo.language.limits import Limits
from eligo.language.value import Kind
from eligo.sharing import ScratchPool


class JsonPart:
    """A part at one moment, and what encodes for it."""

    def __init__(
        self,
        part: Part,
        is_live: IsLive | None,
        encoder: JsonEncoder,
        limits: Limits,
        before: Iterable[JsonPart] = (),
    ) -> None:
        """`is_live` tells which positions are still there; None when all are. Scratch is shared with those before."""
        self._part = ref(part)
        self._is_live = is_live
        self._encoder = encoder
        self._limits = limits
        same = next((other for other in before if other._part() is part and other._encoder is encoder), None)
        self._held: ScratchPool[HeldJsonScratch] = ScratchPool() if same is None else same._held

    def ids(self, text: bytes) -> list[ExpressionId]:
        """The ids of those that the event satisfies."""
        part = self._part()
        assert part is not None, "the state was let go of while it was asked"
        positions = self._positions(part, text)
        return part.ids_at(positions if self._is_live is None else positions[self._is_live(positions)])

    def _positions(self, part: Part, text: bytes) -> npt.NDArray[np.uint32]:
        scratch = self._held.take() or self._new_scratch(part)
        if scratch is None:
            return part.match_items(self._encoder.items(text, self._limits))
        found = scratch.match(text, part)
        self._held.give(scratch)
        return found

    def _new_scratch(self, part: Part) -> HeldJsonScratch | None:
        own = own_scratch(part)
        return None if own is None else HeldJsonScratch(self._encoder, own, self._limits)


class Ready(NamedTuple):
    """What asks a state."""

    moment: int
    """Of the state."""
    parts: tuple[JsonPart, ...] | None
    """None when the long way has to be gone."""
    kinds: dict[str, Kind]
    """What the texts of attributes stand for."""
    tail_kinds: dict[str, Kind]
    """The same for attributes of the tail."""


class JsonPath:
    """Asks an index that has no schema, and is not about documents."""

    def __init__(self, live: LiveSet, settings: Settings) -> None:
        self._live = live
        self._settings = settings
        self._ready = Ready(-1, None, {}, {})
        self._encoders: tuple[JsonEncoder, ...] = ()
        """Those that were made last."""

    def match(self, text: bytes) -> list[ExpressionId] | None:
        """The ids of the expressions that the event satisfies; None when the long way has to be gone."""
        state = self._live.state  # which keeps the parts alive
        if state.tail is not None:
            return self._match_with_tail(text)
        ready = self._ready if self._ready.moment == state.moment else self._prepare(state)
        parts = ready.parts
        if parts is None:
            return None
        if len(parts) == 1:
            return parts[0].ids(text)
        if len(parts) > self._live.few_parts:
            self._live.was_read(1)
        return [id for part in parts for id in part.ids(text)]

    def _match_with_tail(self, text: bytes) -> list[ExpressionId] | None:
        with self._live.reading() as state:
            ready = self._ready if self._ready.moment == state.moment else self._prepare(state)
            if ready.parts is None:
                return None
            found = [id for part in ready.parts for id in part.ids(text)]
            if state.tail is not None:
                event = json_event(text, ready.tail_kinds, None, self._settings.limits)
                found += [entry.id for entry in state.tail.match(event)]
        self._live.was_read(1)
        return found

    def few(self, texts: Sequence[bytes]) -> Callable[[State], FewEvents | None]:
        """Some texts, for a state whose tail the caller reads; None when the long way has to be gone."""

        def prepared(state: State) -> FewEvents | None:
            ready = self._ready if self._ready.moment == state.moment else self._prepare(state)
            if ready.parts is None:
                return None
            limits = self._settings.limits
            events = [json_event(text, ready.tail_kinds, None, limits) for text in texts]
            return FewEvents(events, JsonBlock(texts, ready.kinds, None, limits).all_good)

        return prepared

    def _prepare(self, state: State) -> Ready:
        """For a state, whose tail the caller reads."""
        bits = NO_BITS if state.tail is None else state.tail.kind_bits()
        ready = Ready(state.moment, None, {}, {})
        if bits is not None and self._settings.schema is None and not is_about_documents(state, self._settings):
            encoders, kinds = json_encoders([live.part.vocabulary for live in state.parts], self._encoders, bits)
            self._encoders = encoders
            limits, before = self._settings.limits, self._ready.parts or ()
            parts = tuple(
                JsonPart(live.part, state.living(live), encoder, limits, before)
                for live, encoder in zip(state.parts, encoders, strict=True)
            )
            tail_kinds = {name: kinds[name] for name in bits if name in kinds}
            ready = Ready(state.moment, parts, kinds, tail_kinds)
        self._ready = ready
        return ready
