"""How do expressions change while others read them? Frozen parts, deaths beside them, and tails that grow.

    parts   base, delta, …       never change; the moment at which an expression died stands beside them
    tails   one, or two while    new expressions; the last one takes them
            parts are merged

All of it is one immutable `State`, replaced as a whole by each update. A reader takes the state once. It needs the
lock only for asking tails, and answers from the parts after it has let go: deaths of later moments are not for it.
So it sees every update whole or not at all, and a merge, however long, holds up no one.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from itertools import accumulate
from typing import Any, NamedTuple, cast

import pyarrow as pa

from eligo.data.expression_source import ExpressionId, id_array
from eligo.engines.protocol import MatchArrays
from eligo.errors import DuplicateIdError, InputError, UnknownIdError
from eligo.live_part import LivePart
from eligo.live_tail import Tail, TailEntry
from eligo.matches import Matches, joined, row_arrays
from eligo.part import Encoder, Part, concatenated
from eligo.view import View, ViewedPart

logger = logging.getLogger("eligo")

Freeze = Callable[[pa.Array, pa.Array], Part]
"""Makes a part of ids and texts."""

Place = tuple[Tail, TailEntry] | tuple[LivePart, int]
"""Where an expression is: in a tail, or at a position of a part."""


class State(NamedTuple):
    """An index between two updates."""

    moment: int
    """How many updates there were before."""
    parts: tuple[LivePart, ...]
    """From the oldest to the newest."""
    tails: tuple[Tail, ...]
    num_live: int
    num_in_tails: int

    @property
    def num_frozen(self) -> int:
        """Expressions in parts, dead ones too."""
        return sum(live.part.num_expressions for live in self.parts)

    @property
    def num_dead(self) -> int:
        return sum(live.num_dead for live in self.parts)

    @property
    def base_size(self) -> int:
        """Expressions in the oldest part, dead ones too."""
        return self.parts[0].part.num_expressions if self.parts else 0

    @property
    def num_changes(self) -> int:
        """How much there is beside the base or dead."""
        return self.num_in_tails + self.num_dead + self.num_frozen - self.base_size

    def entries(self) -> list[TailEntry]:
        """What the tails hold, in the order in which it came; for who holds the lock."""
        return [entry for tail in self.tails for entry in tail.entries.values()]

    def tail_versions(self) -> tuple[int, ...]:
        """Equal for equal tails only."""
        return tuple(tail.version for tail in self.tails if tail.entries)


class LiveSet:
    """Expressions that come and go, for many readers and one writer at a time."""

    def __init__(
        self, parts: list[LivePart], *, freeze: Freeze, freeze_base: Freeze, new_tail: Callable[[], Tail]
    ) -> None:
        num_live = sum(live.part.num_expressions - live.num_dead for live in parts)
        self.state = State(0, tuple(parts), (), num_live, 0)
        self._freeze = freeze
        self._freeze_base = freeze_base
        self._new_tail = new_tail
        self._lock = threading.RLock()
        """For tails, and for whoever replaces the state."""
        self._freezing = threading.Lock()
        self._frozen_tails: tuple[tuple[int, ...], Part] | None = None
        self._view: tuple[State, View] | None = None
        self._ids: tuple[State, pa.Array] | None = None
        self.changes_at_failure = 0
        """How many changes the last merge met, if it failed: it is likely to fail again."""
        self._merging: Future[None] | None = None
        self._deaths_while_merging: list[ExpressionId] = []

    def find(self, id: ExpressionId) -> Place | None:
        """Where the expression of an id is now."""
        with self._lock:
            return self._find(id)

    def _find(self, id: ExpressionId) -> Place | None:
        for tail in reversed(self.state.tails):
            if (slot := tail.slot(id)) is not None:
                return tail, tail.entries[slot]
        for live in reversed(self.state.parts):
            position = live.part.order.find(id)
            if position is not None and not live.is_dead(position):
                return live, position
        return None

    def insert(self, entry: TailEntry, *, replace: bool) -> None:
        """Add an expression; with `replace`, instead of the one that its id has."""
        with self._lock:
            self._check_kind(entry.id)
            place = self._find(entry.id)
            if place is not None and not replace:
                raise DuplicateIdError(
                    f"there is an expression {entry.id!r} already", help="use replace(id, expression) to change it"
                )
            tails = self.state.tails or (self._new_tail(),)
            tails[-1].insert(entry)
            if place is not None:
                self._forget(entry.id, place, newest=tails[-1])
            self._go_on(tails, self.state.num_live + (place is None))

    def delete(self, id: ExpressionId) -> None:
        """Give up the expression of an id."""
        with self._lock:
            place = self._find(id)
            if place is None:
                raise UnknownIdError(f"there is no expression {id!r} in this index")
            self._forget(id, place)
            self._go_on(self.state.tails, self.state.num_live - 1)

    def _forget(self, id: ExpressionId, place: Place, newest: Tail | None = None) -> None:
        """Take an expression from its place for the next moment; the newest tail has taken it up itself."""
        if self._merging is not None:
            self._deaths_while_merging.append(id)
        owner = place[0]
        if isinstance(owner, LivePart):
            owner.kill(cast(int, place[1]), self.state.moment + 1)
        elif owner is not newest:
            owner.delete(id)

    def _go_on(self, tails: tuple[Tail, ...], num_live: int) -> None:
        """The next moment."""
        num_in_tails = sum(len(tail) for tail in tails)
        self.state = State(self.state.moment + 1, self.state.parts, tails, num_live, num_in_tails)

    def _check_kind(self, id: ExpressionId) -> None:
        state = self.state
        known: type | None = None
        if state.num_in_tails:
            some_id = next(entry.id for tail in state.tails for entry in tail.entries.values())
            known = int if isinstance(some_id, int) else str
        elif state.num_frozen:
            filled = next(live.part for live in state.parts if live.part.num_expressions)
            known = int if pa.types.is_integer(filled.ids.type) else str
        if known is not None and not isinstance(id, known):
            raise InputError(f"the ids of this index are of type {known.__name__}, and {id!r} is not")

    def ask(self, event: Mapping[str, Any]) -> tuple[State, list[TailEntry]]:
        """The state, and what the event satisfies of its tails."""
        state = self.state
        if not state.num_in_tails:
            return state, []
        with self._lock:
            state = self.state
            return state, [entry for tail in state.tails for entry in tail.match(event)]

    def match_few(self, events: Sequence[Mapping[str, Any]], encode: Encoder) -> Matches:
        """As `view().match_batch(encode)`, but without freezing the tails, which is worth it for many events only."""
        with self._lock:
            state = self.state
            entries = state.entries()
            of_tails = [row_arrays(tail.match_places(events)) for tail in state.tails]
            lengths = [len(tail) for tail in state.tails]
        view = _view_of_parts(state)
        of_parts = view.match_batch(encode)
        starts = list(accumulate([view.num_live, *lengths]))[:-1]
        sources = [MatchArrays(of_parts.offsets, of_parts.positions), *of_tails]
        found = joined(sources, [0, *starts], len(events))
        return Matches(found.offsets, found.positions, lambda: concatenated([view.ids, columns(entries)[0]]))

    @property
    def has_view(self) -> bool:
        """Whether `view` has nothing to freeze."""
        kept = self._view
        return not self.state.num_in_tails or (kept is not None and kept[0] is self.state)

    def view(self) -> View:
        """All that is there now, with the tails frozen too; kept until something changes."""
        kept = self._view
        if kept is not None and kept[0] is self.state:
            return kept[1]
        with self._lock:
            state = self.state
            entries, versions = state.entries(), state.tail_versions()
        view = _view_of_parts(state)
        if entries:
            view = View([*view.parts, ViewedPart(self._frozen(entries, versions), None)])
        with self._lock:
            if state is self.state:
                self._view = (state, view)
        return view

    def ids(self) -> pa.Array:
        """The ids of all that is there now, by position; kept until something changes."""
        kept = self._ids
        if kept is not None and kept[0] is self.state:
            return kept[1]
        with self._lock:
            state = self.state
            more_ids, _ = columns(state.entries())
        ids = concatenated([_view_of_parts(state).ids, more_ids])
        with self._lock:
            if state is self.state:
                self._ids = (state, ids)
        return ids

    def _frozen(self, entries: list[TailEntry], versions: tuple[int, ...]) -> Part:
        with self._freezing:
            if self._frozen_tails is None or self._frozen_tails[0] != versions:
                self._frozen_tails = (versions, self._freeze(*columns(entries)))
            return self._frozen_tails[1]

    @property
    def merging(self) -> Future[None] | None:
        """The merge that is running, if one is."""
        return self._merging

    def merge(self, *, background: bool) -> Future[None]:
        """Freeze all that is there into one part; a merge that is running already is the one that is returned."""
        with self._lock:
            if self._merging is not None:
                return self._merging
            future: Future[None] = Future()
            future.set_running_or_notify_cancel()
            state = self.state
            if len(state.parts) == 1 and not state.num_dead and not state.num_in_tails:
                future.set_result(None)
                return future
            self._merging = future
            self._deaths_while_merging = []
            entries = state.entries()
            if state.tails:
                self.state = state._replace(tails=(*state.tails, self._new_tail()))
        if background:
            threading.Thread(target=self._merge, args=(future, state, entries), name="eligo merge", daemon=True).start()
        else:
            self._merge(future, state, entries)
        return future

    def _merge(self, future: Future[None], state: State, entries: list[TailEntry]) -> None:
        try:
            view = _view_of_parts(state)
            more_ids, more_texts = columns(entries)
            part = self._freeze_base(concatenated([view.ids, more_ids]), concatenated([view.texts, more_texts]))
            part.order.prepare()
            self._take_up(part, state)
        except BaseException as error:
            logger.warning("changes could not be merged; they stay beside the base", exc_info=error)
            with self._lock:
                self.changes_at_failure, self._merging = self.state.num_changes, None
            future.set_exception(error)
        else:
            with self._lock:
                self.changes_at_failure, self._merging = 0, None
            future.set_result(None)

    def _take_up(self, part: Part, merged: State) -> None:
        """Put a part in the place of the parts and tails that it was made of."""
        with self._lock:
            state = self.state
            live = LivePart(part)
            for id in self._deaths_while_merging:
                if (position := part.order.find(id)) is not None:
                    live.kill(position, state.moment)
            tails = state.tails[len(merged.tails) :]
            self.state = state._replace(parts=(live,), tails=tails, num_in_tails=sum(len(tail) for tail in tails))
            self._view = self._ids = self._frozen_tails = None  # which would keep the old parts in memory


def _view_of_parts(state: State) -> View:
    """What is there of the parts."""
    return View([ViewedPart(live.part, live.mask(state.moment)) for live in state.parts])


def columns(entries: list[TailEntry]) -> tuple[pa.Array, pa.Array]:
    """The ids and the texts of expressions."""
    return id_array([entry.id for entry in entries]), pa.array([entry.text for entry in entries], pa.large_string())
