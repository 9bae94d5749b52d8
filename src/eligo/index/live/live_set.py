"""How do expressions change while others read them? By one state after another; readers take the last one as it is.

A reader takes the state that is last, and notes on its tails that it reads them. It waits for no one and holds no lock,
so it may come from a signal handler or in a forked process. It sees every update whole or not at all.

A writer makes the next state beside the last one, with copies of the tails that it changes, and hangs it behind the
last one by a single step. Whatever is raised before that step leaves everything as it was; whatever is raised after it
comes too late. Writers of different threads take turns. A signal handler that changes the index in the middle of a
change of its own thread does not wait: it comes first, and the change in whose middle it came is begun again.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Container, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.data.expressions.expression_source import NAMED_IDS, ExpressionId, id_array
from eligo.engines.protocol import MatchArrays
from eligo.errors import DuplicateIdError, UnknownIdError
from eligo.index.document_questions import AskedEvents
from eligo.index.live.live_merge import (
    FEW_DELTAS,
    MOST_DELTAS,
    Merge,
    SupersededError,
    first_to_join,
    first_to_tidy,
    taken_up,
)
from eligo.index.live.live_part import LivePart
from eligo.index.live.live_reading import Reading
from eligo.index.live.live_state import NEXT, Found, Place, State
from eligo.index.live.live_tail import NewEntry, Tail, TailEntry
from eligo.index.matches import Matches, TakenIds, joined, row_arrays
from eligo.index.part import Encoder, Part, concatenated
from eligo.index.view import View, ViewedPart

logger = logging.getLogger("eligo")

MOST_IN_TAIL = 64
"""Expressions that the tail holds at most; then they become a part."""
MOST_PARTS = 16
"""More parts than these are not left to whoever asks: whoever adds one makes one of the newest."""
FEWEST_READS = 400
"""Events that meet a tail in the time that it takes to make a part of it."""
EXPRESSIONS_A_READ = 16
"""Expressions of deltas, few of which are frozen anew, for each event more."""
MORE_CHANGES = 16
"""So many changes later a merge for which there was no thread is tried again, at least."""

Freeze = Callable[[pa.Array, pa.Array], Part]
"""Makes a part of ids and texts."""


class FewEvents(NamedTuple):
    """Events that meet a tail one by one."""

    events: Sequence[Mapping[str, Any]]
    encode: Encoder
    """The same events, for the parts."""


class LiveSet:
    """Expressions that come and go, for many readers and one writer at a time."""

    def __init__(
        self,
        parts: list[LivePart],
        *,
        freeze: Freeze,
        freeze_base: Freeze,
        new_tail: Callable[[], Tail],
        new_view: Callable[[list[ViewedPart]], View],
    ) -> None:
        self._known = State.first(parts)
        """The last state, or one before it."""
        self._freeze = freeze
        self._freeze_base = freeze_base
        self._new_tail = new_tail
        self._new_view = new_view
        self._frozen_tail: tuple[int, Part] | None = None
        self._view: tuple[int, View] | None = None
        self._ids: tuple[int, pa.Array] | None = None
        """What was put together last, with the moment that it is of."""
        self._merge: weakref.ref[Merge] | None = None
        """The merge that is running: gone when the one who ran it is."""
        self._num_reads = 0
        """Events that have met a tail, or more than few parts, since the last time that these were tidied."""
        self.retry_at = 0
        """At how many changes the next merge begins by itself, after one that failed."""
        self.merge_error: BaseException | None = None
        """Why the last merge failed, if it did."""
        self.num_merges = 0
        self.merge_seconds = 0.0
        """What all of them took; one at a time works."""
        self.renew_locks()
        _live_sets.add(self)

    def renew_locks(self) -> None:
        """Locks that no one holds."""
        self._changing = threading.RLock()
        """For writers."""
        self._freezing = threading.RLock()
        """For those who freeze the tails, which one does for all."""

    @property
    def state(self) -> State:
        """The last state."""
        state = self._known
        while (later := state.after.get(NEXT)) is not None:
            state = later
        return state

    def find(self, id: ExpressionId) -> Place | None:
        """Where the expression of an id is now."""
        with Reading(self) as state:
            return state.find(id)

    def insert(self, new: NewEntry) -> None:
        """Add an expression, whose id must be new."""
        id = new.entry.id

        def after(state: State) -> State:
            if state.find(id) is not None:
                raise DuplicateIdError(
                    f"there is an expression {id!r} already", help="use replace(id, expression) to change it"
                )
            return self._with_entries(state, [new], ())

        self._change(after)

    def change(self, new: Sequence[NewEntry], deletes: Sequence[ExpressionId]) -> None:
        """Add expressions, each instead of the one that its id has, and give up others; no id stands in both."""
        self._change(lambda state: self._with_entries(state, new, deletes))

    def add_part(self, part: Part, deletes: Sequence[ExpressionId]) -> None:
        """The same for expressions that are frozen already."""
        ids = part.ids.to_pylist()
        part.order.prepare()
        self._change(lambda state: self._with_part(state, part, ids, deletes))
        self._keep_few()

    def _with_entries(self, state: State, new: Sequence[NewEntry], deletes: Sequence[ExpressionId]) -> State:
        """The next state, with new expressions at its end, each instead of the one that its id has, without others."""
        ids = [each.entry.id for each in new]
        id_type, gone, replaced = state.check_kind(ids), found(state, deletes), state.find_all(ids)
        if new and state.num_in_tail + len(new) > MOST_IN_TAIL:
            state = self._folded(state, {*gone.in_tail, *replaced.in_tail})
        tail = self._new_tail() if state.tail is None else state.tail
        return state.next(tail=tail.changed(new, gone.in_tail), id_type=id_type, **_numbers(state, gone, replaced))

    def _with_part(
        self, state: State, part: Part, ids: Sequence[ExpressionId], deletes: Sequence[ExpressionId]
    ) -> State:
        """The same for expressions that are frozen already."""
        id_type, gone, replaced = state.check_kind(ids), found(state, deletes), state.find_all(ids)
        state = self._folded(state, {*gone.in_tail, *replaced.in_tail})
        parts = (*self._filled(state), LivePart(part))
        return state.next(parts=parts, id_type=id_type, **_numbers(state, gone, replaced))

    def _folded(self, state: State, gone: Container[ExpressionId] = ()) -> State:
        """A state with what is in its tail as a part, but for some that are on their way out."""
        entries = [entry for entry in state.entries() if entry.id not in gone]
        if not entries:
            return state._replace(tail=None, num_in_tail=0)
        part = self._frozen(entries, state.tail.version if state.tail is not None and not gone else -1)
        part.order.prepare()
        return state._replace(parts=(*self._filled(state), LivePart(part)), tail=None, num_in_tail=0)

    def _filled(self, state: State) -> tuple[LivePart, ...]:
        """The parts of a state, without a base that holds nothing, unless a merge is to make another of it."""
        return state.parts if state.base_size or self._running() is not None else state.parts[1:]

    def _change(self, after: Callable[[State], State | None]) -> State:
        """Make the next state of the last one, and return it; `after` may be called again, and may decide for none."""
        with self._changing:
            while True:
                with Reading(self) as state:
                    state.settle()
                    new = after(state)
                    if new is None:
                        return state
                    if state.after.setdefault(NEXT, new) is new:
                        self._known = new
                        new.settle()
                        return new
                # A signal handler has made a change of its own meanwhile.

    def ask(
        self, event: Mapping[str, Any], compare: Callable[[State], AskedEvents | None]
    ) -> tuple[State, list[TailEntry], AskedEvents | None]:
        """The state, what the event satisfies of its tail, and what was found when it was compared with documents."""
        state = self.state
        if state.tail is None:
            return state, [], compare(state)
        with Reading(self) as state:
            asked = compare(state)
            truths = None if asked is None else asked.tail_attributes()
            return state, [] if state.tail is None else state.tail.match(event, truths), asked

    def reading(self) -> Reading:
        """For who reads the tail."""
        return Reading(self)

    def match_few(self, asked: Callable[[State], FewEvents | None]) -> Matches | None:
        """As `view().match_batch`, but without freezing the tail, which is worth it for many events only.

        What is asked may depend on the state, and may be nothing.
        """
        with Reading(self) as state:
            few = asked(state)
            if few is None:
                return None
            places = [] if state.tail is None else [state.tail.match_places(few.events)]
            newest = columns(state.entries())[0]
        view = self._view_of_parts(state)
        of_parts = view.match_batch(few.encode)
        sources = [MatchArrays(of_parts.offsets, of_parts.positions), *map(row_arrays, places)]
        matched = joined(sources, [0, view.num_live][: len(sources)], len(few.events))
        self.was_read(len(few.events))
        return Matches(matched.offsets, matched.positions, IdsWithTail(view, newest))

    @property
    def has_view(self) -> bool:
        """Whether `view` has nothing to freeze."""
        kept, state = self._view, self.state
        return not state.num_in_tail or (kept is not None and kept[0] == state.moment)

    def view(self) -> View:
        """All that is there now, with the tail frozen too; kept until something changes."""
        kept = self._view
        if kept is not None and kept[0] == self.state.moment:
            return kept[1]
        with Reading(self) as state:
            entries, version = state.entries(), 0 if state.tail is None else state.tail.version
        view = self._view_of_parts(state)
        if entries:
            view = self._new_view([*view.parts, ViewedPart(self._frozen(entries, version), None)])
        self._view = (state.moment, view)
        return view

    def ids(self) -> pa.Array:
        """The ids of all that is there now, by position; kept until something changes."""
        kept = self._ids
        if kept is not None and kept[0] == self.state.moment:
            return kept[1]
        with Reading(self) as state:
            more_ids, _ = columns(state.entries())
        ids = concatenated([self._view_of_parts(state).ids, more_ids])
        self._ids = (state.moment, ids)
        return ids

    def _view_of_parts(self, state: State) -> View:
        """What is there of the parts."""
        return self._new_view([state.viewed(live) for live in state.parts])

    def _frozen(self, entries: list[TailEntry], version: int) -> Part:
        """What is in a tail of that version; of no version when it is negative."""
        kept = self._frozen_tail
        if kept is not None and kept[0] == version >= 0:
            return kept[1]
        with self._freezing:
            kept = self._frozen_tail
            if kept is None or kept[0] != version or version < 0:
                kept = (version, self._freeze(*columns(entries)))
                self._frozen_tail = kept if version >= 0 else self._frozen_tail
            return kept[1]

    @property
    def merging(self) -> Future[None] | None:
        """The merge that is running, if one is."""
        merge = self._running()
        return None if merge is None else merge.future

    @property
    def merges_here(self) -> bool:
        """Whether this very thread runs a merge, and would wait for itself."""
        merge = self._running()
        return merge is not None and merge.thread == threading.get_ident()

    @property
    def changes_here(self) -> bool:
        """Whether this very thread is in the middle of a change, for whose end a merge of another thread waits."""
        return bool(self._changing._is_owned())  # type: ignore[attr-defined]

    def _running(self) -> Merge | None:
        merge = self._merge() if self._merge is not None else None
        return None if merge is None or merge.is_over else merge

    def merge(self, *, background: bool) -> Future[None]:
        """Freeze all that is there into one part; a merge that is running already is the one that is returned.

        One that fails, or for which there is no thread, changes nothing; it is noted and logged.
        """
        with self._changing:
            running = self._running()
            if running is not None and running.is_of_all:
                return running.future
            merge = Merge()
            self._merge = weakref.ref(merge)

        def work() -> None:
            if running is not None:
                running.future.exception()  # what came is being frozen: that is soon over
            with suppress(SupersededError):
                self._merge_all(merge)

        if background:
            merge.start(work, self._merge_failed, self._merge_not_started)
        else:
            merge.run(work, self._merge_failed)
        return merge.future

    def _merge_all(self, merge: Merge) -> None:
        """Freeze all that is there, and put it in the place of what it was made of."""
        before = self._claim(merge, lambda state, _: 0)
        if len(before.parts) != 1 or before.num_dead:
            self._join(before, before.parts, self._freeze_base)
        self.retry_at, self.merge_error = 0, None

    def _claim(self, merge: Merge, first: Callable[[State, bool], int]) -> State:
        """The last state, with its tail as a part, for a merge of its parts from one on.

        Which one that is may depend on whether there was a tail.
        """

        def fold(state: State) -> State | None:
            folded = self._folded(state)
            merge.claimed = folded.parts[first(folded, state.num_in_tail > 0) :]
            return None if state.tail is None else state.next(parts=folded.parts, tail=None)

        # Without those that come behind it, which it would keep in memory.
        return self._change(fold)._replace(after={})

    def freeze_tail(self) -> View:
        """As `view`, but what came is frozen for good: as a part, with those parts that are not much larger.

        While a merge of all is running nothing is taken up: it will be.
        """
        while True:
            with self._changing:
                running = self._running()
                if running is None:
                    merge = Merge(is_of_all=False)
                    self._merge = weakref.ref(merge)
                    break
            if running.is_of_all or self.merges_here or self.changes_here:
                return self.view()
            running.future.exception()  # what came is being frozen: that is soon over
        found: list[View] = []
        merge.run(lambda: found.append(self._freeze_what_came(merge)), lambda error: None)
        merge.future.result()
        return found[0]

    def _freeze_what_came(self, merge: Merge) -> View:
        def first(state: State, had_tail: bool) -> int:
            *sizes, newest = self._sizes(state) or [0]
            is_wanted = had_tail or len(sizes) > MOST_DELTAS
            return first_to_join(sizes, newest) if is_wanted else len(sizes) + 1

        before = self._claim(merge, first)
        view = self._view_of_parts(before)
        if len(merge.claimed) < 2:
            return view
        part = self._join(before, merge.claimed, self._freeze)
        return self._new_view([*view.parts[: -len(merge.claimed)], ViewedPart(part, None)])

    def tidy(self) -> None:
        """Make few parts of many and of the tail, in the background, so that events meet few; unless a merge runs."""
        with self._changing:
            if self._running() is not None:
                return
            merge = Merge(is_of_all=False)
            self._merge = weakref.ref(merge)

        def work() -> None:
            before = self._claim(merge, lambda state, _: first_to_tidy(self._sizes(state)))
            if merge.claimed:
                with suppress(SupersededError):
                    self._join(before, merge.claimed, self._freeze)

        merge.start(work, self._merge_failed, self._merge_not_started)

    @property
    def few_parts(self) -> int:
        """So many parts need no tidying."""
        return 1 + FEW_DELTAS

    def was_read(self, num_events: int) -> None:
        """Events have met a tail, or more than few parts; often enough, and it is worth it to tidy."""
        self._num_reads += num_events
        if self._num_reads < FEWEST_READS:
            return
        state = self.state
        if self._num_reads >= FEWEST_READS + (state.num_frozen - state.base_size) // EXPRESSIONS_A_READ:
            self._num_reads = 0
            if state.num_changes >= self.retry_at:
                self.tidy()

    def _sizes(self, state: State) -> list[int]:
        """How many expressions are there in each part of a state."""
        return [live.part.num_expressions - live.num_dead for live in state.parts]

    def _keep_few(self) -> None:
        """Make one of the newest parts when there are very many, without those that a merge works on."""
        state = self.state
        if len(state.parts) <= MOST_PARTS:
            return
        running = self._running()
        claimed = {id(live) for live in running.claimed} if running is not None else set()
        first, num_new = len(state.parts), 0
        while first > 1 and id(live := state.parts[first - 1]) not in claimed:
            size = live.part.num_expressions
            if num_new and size > num_new:
                break
            first, num_new = first - 1, num_new + size
        if len(state.parts) - first > 1:
            with suppress(SupersededError):
                self._join(state._replace(after={}), state.parts[first:], self._freeze)

    def _join(self, before: State, replaced: Sequence[LivePart], freeze: Freeze) -> Part:
        """Freeze parts of a state as one, and put it in their place."""
        began = time.perf_counter()
        older = self._new_view([ViewedPart(live.part, before.mask(live)) for live in replaced])
        part = freeze(older.ids, older.texts)
        part.order.prepare()
        self._change(lambda state: taken_up(part, replaced, before.moment, state))
        self._view = self._ids = self._frozen_tail = None  # which would keep the old parts in memory
        self.num_merges += 1
        self.merge_seconds += time.perf_counter() - began
        return part

    def _merge_failed(self, error: BaseException) -> None:
        # It is likely to fail again, for want of memory, say.
        self.retry_at, self.merge_error = 2 * self.state.num_changes, error
        logger.warning("changes could not be merged; they stay beside the base", exc_info=error)

    def _merge_not_started(self, error: BaseException) -> None:
        num_changes = self.state.num_changes
        self.retry_at, self.merge_error = num_changes + max(MORE_CHANGES, num_changes // 8), error
        logger.warning("there is no thread for merging; changes stay beside the base for now", exc_info=error)

    def leave_behind(self) -> None:
        """Forget what the threads of the process that this one was forked from were at."""
        self.renew_locks()
        merge = self._running()
        if merge is not None and merge.thread != threading.get_ident():
            self._merge = None
            merge.leave_behind()
        tail = self.state.tail
        if tail is not None:
            tail.spares.clear()
            for reader, thread in list(tail.readers.items()):
                if thread != threading.get_ident():
                    tail.readers.pop(reader, None)


class IdsWithTail(TakenIds):
    """The ids of a view, and of expressions that came since."""

    def __init__(self, view: View, newest: pa.Array) -> None:
        self._view, self._newest = view, newest

    def __call__(self) -> pa.Array:
        return concatenated([self._view.ids, self._newest])

    def take(self, positions: npt.NDArray[np.uint32]) -> pa.Array:
        num_frozen = self._view.num_live
        is_new = positions >= num_frozen
        if not is_new.any():
            return self._view.ids_at(positions)
        taken = concatenated(
            [self._view.ids_at(positions[~is_new]), self._newest.take(pa.array(positions[is_new] - num_frozen))]
        )
        places = np.empty(len(positions), np.int64)
        places[np.argsort(is_new, kind="stable")] = np.arange(len(positions))
        return taken.take(pa.array(places))


def found(state: State, ids: Sequence[ExpressionId]) -> Found:
    """Where the expressions of ids are, all of which must be somewhere."""
    places = state.find_all(ids)
    if places.nowhere:
        raise unknown_ids(places.nowhere)
    return places


def _numbers(state: State, gone: Found, replaced: Found) -> dict[str, Any]:
    """What the next state says of its size and of those who die, when some ids are gone and some have a new place."""
    num_dead = state.num_dead + gone.num_in_parts + replaced.num_in_parts
    num_gone = len(gone.in_tail) + gone.num_in_parts
    deaths = (*gone.in_parts, *replaced.in_parts)
    return {"num_live": state.num_live + len(replaced.nowhere) - num_gone, "num_dead": num_dead, "deaths": deaths}


def unknown_ids(ids: Sequence[ExpressionId]) -> UnknownIdError:
    """The error for ids that no expression has."""
    named = ", ".join(repr(id) for id in ids[:NAMED_IDS])
    what = "there is no expression" if len(ids) == 1 else f"there are no expressions for {len(ids):,} ids:"
    return UnknownIdError(f"{what} {named}{', …' if len(ids) > NAMED_IDS else ''} in this index")


def columns(entries: list[TailEntry]) -> tuple[pa.Array, pa.Array]:
    """The ids and the texts of expressions."""
    return id_array([entry.id for entry in entries]), pa.array([entry.text for entry in entries], pa.large_string())


_live_sets: weakref.WeakSet[LiveSet] = weakref.WeakSet()


def _leave_behind() -> None:
    for live in list(_live_sets):
        live.leave_behind()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_behind)
