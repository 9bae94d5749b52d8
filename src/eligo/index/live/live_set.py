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
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from itertools import accumulate
from typing import Any

import pyarrow as pa

from eligo.data.expressions.expression_source import NAMED_IDS, ExpressionId, id_array
from eligo.engines.protocol import MatchArrays
from eligo.errors import DuplicateIdError, UnknownIdError
from eligo.index.document_questions import AskedEvents
from eligo.index.live.live_merge import Merge, SupersededError, first_to_join, taken_up
from eligo.index.live.live_part import LivePart
from eligo.index.live.live_reading import Reading
from eligo.index.live.live_state import NEXT, Place, State
from eligo.index.live.live_tail import NewEntry, Tail, TailEntry
from eligo.index.matches import Matches, joined, row_arrays
from eligo.index.part import Encoder, Part, concatenated
from eligo.index.view import View, ViewedPart

logger = logging.getLogger("eligo")

MORE_CHANGES = 16
"""So many changes later a merge for which there was no thread is tried again, at least."""

Freeze = Callable[[pa.Array, pa.Array], Part]
"""Makes a part of ids and texts."""


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
        self._frozen_tails: tuple[tuple[int, ...], Part] | None = None
        self._view: tuple[int, View] | None = None
        self._ids: tuple[int, pa.Array] | None = None
        """What was put together last, with the moment that it is of."""
        self._merge: weakref.ref[Merge] | None = None
        """The merge that is running: gone when the one who ran it is."""
        self.retry_at = 0
        """At how many changes the next merge begins by itself, after one that failed."""
        self.merge_error: BaseException | None = None
        """Why the last merge failed, if it did."""
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
            return self._changed(state, [new], ())

        self._change(after)

    def change(self, new: Sequence[NewEntry], deletes: Sequence[ExpressionId]) -> None:
        """Add expressions, each instead of the one that its id has, and give up others; no id stands in both."""
        self._change(lambda state: self._changed(state, new, deletes))

    def _changed(self, state: State, new: Sequence[NewEntry], deletes: Sequence[ExpressionId]) -> State:
        """The next state, with new expressions at its end, each instead of the one that its id has, without others."""
        for each in new:
            state.check_kind(each.entry.id)
        gone = {id: state.find(id) for id in deletes}
        unknown = [id for id, place in gone.items() if place is None]
        if unknown:
            raise unknown_ids(unknown)
        replaced = {each.entry.id: state.find(each.entry.id) for each in new}
        *older, newest = state.tails or (self._new_tail(),)
        out = [*gone, *replaced]
        tails = (*(tail.changed((), out) for tail in older), newest.changed(new, gone))
        num_new = sum(place is None for place in replaced.values())
        return state.next(
            tails=tails,
            num_live=state.num_live + num_new - len(gone),
            id_type=type(new[0].entry.id) if new else state.id_type,
            **state.with_deaths([*gone.values(), *replaced.values()]),
        )

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
                        return new
                # A signal handler has made a change of its own meanwhile.

    def ask(
        self, event: Mapping[str, Any], compare: Callable[[State], AskedEvents | None]
    ) -> tuple[State, list[TailEntry], AskedEvents | None]:
        """The state, what the event satisfies of its tails, and what was found when it was compared with documents."""
        state = self.state
        if not state.num_in_tails:
            return state, [], compare(state)
        with Reading(self) as state:
            asked = compare(state)
            truths = None if asked is None else asked.tail_attributes()
            return state, [entry for tail in state.tails for entry in tail.match(event, truths)], asked

    def reading(self) -> Reading:
        """For who reads the tails."""
        return Reading(self)

    def match_few(self, events: Sequence[Mapping[str, Any]], encode: Encoder) -> Matches:
        """As `view().match_batch(encode)`, but without freezing the tails, which is worth it for many events only."""
        with Reading(self) as state:
            entries = state.entries()
            of_tails = [row_arrays(tail.match_places(events)) for tail in state.tails]
            lengths = [len(tail) for tail in state.tails]
        view = self._view_of_parts(state)
        of_parts = view.match_batch(encode)
        starts = list(accumulate([view.num_live, *lengths]))[:-1]
        sources = [MatchArrays(of_parts.offsets, of_parts.positions), *of_tails]
        found = joined(sources, [0, *starts], len(events))
        return Matches(found.offsets, found.positions, lambda: concatenated([view.ids, columns(entries)[0]]))

    @property
    def has_view(self) -> bool:
        """Whether `view` has nothing to freeze."""
        kept, state = self._view, self.state
        return not state.num_in_tails or (kept is not None and kept[0] == state.moment)

    def view(self) -> View:
        """All that is there now, with the tails frozen too; kept until something changes."""
        kept = self._view
        if kept is not None and kept[0] == self.state.moment:
            return kept[1]
        with Reading(self) as state:
            entries, versions = state.entries(), state.tail_versions()
        view = self._view_of_parts(state)
        if entries:
            view = self._new_view([*view.parts, ViewedPart(self._frozen(entries, versions), None)])
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
        return self._new_view([ViewedPart(live.part, state.mask(live)) for live in state.parts])

    def _frozen(self, entries: list[TailEntry], versions: tuple[int, ...]) -> Part:
        with self._freezing:
            kept = self._frozen_tails
            if kept is None or kept[0] != versions:
                kept = self._frozen_tails = (versions, self._freeze(*columns(entries)))
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
                self._merge_all()

        if background:
            merge.start(work, self._merge_failed, self._merge_not_started)
        else:
            merge.run(work, self._merge_failed)
        return merge.future

    def _merge_all(self) -> None:
        """Freeze all that is there, and put it in the place of what it was made of."""
        before, aside = self._put_aside(
            lambda state: len(state.parts) != 1 or state.num_dead > 0 or state.num_in_tails > 0
        )
        if aside or len(before.parts) != 1 or before.num_dead:
            self._join(before, aside, 0)
        self.retry_at, self.merge_error = 0, None

    def freeze_tails(self) -> View:
        """As `view`, but what came is frozen for good: as a part, with those parts that are not much larger.

        While a merge is running nothing is taken up: it will be.
        """
        with self._changing:
            if self._running() is not None:
                return self.view()
            merge = Merge(is_of_all=False)
            self._merge = weakref.ref(merge)
        found: list[View] = []
        merge.run(lambda: found.append(self._freeze_what_came()), lambda error: None)
        merge.future.result()
        return found[0]

    def _freeze_what_came(self) -> View:
        before, aside = self._put_aside(lambda state: state.num_in_tails > 0)
        if not aside:
            return self._view_of_parts(before)
        sizes = [viewed.num_live for viewed in self._view_of_parts(before).parts]
        first = first_to_join(sizes, sum(map(len, aside)))
        part = self._join(before, aside, first)
        older = [ViewedPart(live.part, before.mask(live)) for live in before.parts[:first]]
        return self._new_view([*older, ViewedPart(part, None)])

    def _put_aside(self, wanted: Callable[[State], bool]) -> tuple[State, list[dict[int, TailEntry]]]:
        """The last state, if it is wanted, and what is in its tails, which from now on only lose."""
        aside: list[dict[int, TailEntry]] = []

        def put_aside(state: State) -> State | None:
            aside.clear()
            if not wanted(state):
                return None
            filled = [tail for tail in state.tails if len(tail)]
            aside[:] = [tail.entries.copy() for tail in filled]
            # What comes meanwhile goes to a tail of its own.
            return state.next(tails=(*filled, self._new_tail()) if filled else ())

        # Without those that come behind it, which it would keep in memory.
        return self._change(put_aside)._replace(tails=(), after={}), aside

    def _join(self, before: State, aside: list[dict[int, TailEntry]], first: int) -> Part:
        """Freeze the parts of a state, from `first` on, with what was put aside, and put them in its place."""
        older = self._new_view([ViewedPart(live.part, before.mask(live)) for live in before.parts[first:]])
        more_ids, more_texts = columns([entry for entries in aside for entry in entries.values()])
        freeze = self._freeze if first else self._freeze_base
        part = freeze(concatenated([older.ids, more_ids]), concatenated([older.texts, more_texts]))
        part.order.prepare()
        self._change(lambda state: taken_up(part, first, before, aside, state))
        self._view = self._ids = self._frozen_tails = None  # which would keep the old parts in memory
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
        for tail in self.state.tails:
            tail.spares.clear()
            for reader, thread in list(tail.readers.items()):
                if thread != threading.get_ident():
                    tail.readers.pop(reader, None)


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
