"""What is an index at one moment? A state: its parts, what has died of them, and its tail; and then comes another.

    parts   base, delta, …       never change; the moment at which an expression died stands beside them
    tail    the newest few       a growing tree

A state never changes. Each update makes the next one and hangs it behind the last, which is a single step of the
interpreter: whatever is raised, and wherever a signal handler or a fork comes between, there is the state before or the
state after. The deaths of a moment are part of its state, and are written beside the parts once it is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_source import ExpressionId
from eligo.errors import InputError
from eligo.index.live.live_part import LivePart, Positions
from eligo.index.live.live_tail import Tail, TailEntry
from eligo.index.part import IsLive
from eligo.index.view import ViewedPart
from eligo.storage.packed_ids import are_numbers

NEXT = "next"


class Death(NamedTuple):
    """An expression of a part, which may be there no longer."""

    live: LivePart
    position: int


class Deaths(NamedTuple):
    """Expressions of a part that are there no longer."""

    live: LivePart
    positions: Positions


Place = TailEntry | Death
"""Where an expression is: in the tail, or at a position of a part, where it may die."""


class Found(NamedTuple):
    """Where the expressions of some ids are."""

    in_tail: list[ExpressionId]
    in_parts: list[Deaths]
    nowhere: list[ExpressionId]

    @property
    def num_in_parts(self) -> int:
        return sum(len(positions) for _, positions in self.in_parts)


class State(NamedTuple):
    """An index between two updates."""

    moment: int
    """How many updates there were before."""
    parts: tuple[LivePart, ...]
    """From the oldest to the newest."""
    tail: Tail | None
    """What came after all parts; None for nothing."""
    num_live: int
    num_dead: int
    num_in_tail: int
    deaths: tuple[Deaths, ...]
    """Who died at this moment."""
    id_type: type | None
    """What all ids are, `int` or `str`; None while there is none."""
    after: dict[str, State]
    """The next state, once there is one."""

    @classmethod
    def first(cls, parts: list[LivePart]) -> State:
        """The state of parts with whatever has died of them."""
        num_dead = sum(live.num_dead for live in parts)
        num_expressions = sum(live.part.num_expressions for live in parts)
        filled = [live.part.ids for live in parts if live.part.num_expressions]
        id_type = (int if are_numbers(filled[0]) else str) if filled else None
        return cls(0, tuple(parts), None, num_expressions - num_dead, num_dead, 0, (), id_type, {})

    def next(self, **changes: Any) -> State:
        """The state of the next moment; it is not there before it hangs behind this one."""
        state = self._replace(moment=self.moment + 1, deaths=(), after={})._replace(**changes)
        num_in_tail = 0 if state.tail is None else len(state.tail)
        id_type = state.id_type if num_in_tail or state.num_frozen else None
        return state._replace(tail=state.tail if num_in_tail else None, num_in_tail=num_in_tail, id_type=id_type)

    def settle(self) -> None:
        """Write down who died at this moment, before the next one; doing it again changes nothing."""
        for live, positions in self.deaths:
            live.kill_at(positions, self.moment)

    @property
    def num_frozen(self) -> int:
        """Expressions in parts, dead ones too."""
        return sum(live.part.num_expressions for live in self.parts)

    @property
    def base_size(self) -> int:
        """Expressions in the oldest part, dead ones too."""
        return self.parts[0].part.num_expressions if self.parts else 0

    @property
    def num_changes(self) -> int:
        """How much there is beside the base or dead."""
        return self.num_in_tail + self.num_dead + self.num_frozen - self.base_size

    def find(self, id: ExpressionId) -> Place | None:
        """Where the expression of an id is; for who reads the tail."""
        if self.tail is not None and (entry := self.tail.entry(id)) is not None:
            return entry
        for live in reversed(self.parts):
            position = live.part.order.find(id)
            if position is not None and self._are_there(live, np.array([position]))[0]:
                return Death(live, position)
        return None

    def find_all(self, ids: Sequence[ExpressionId]) -> Found:
        """The same for many ids, of which none stands twice."""
        tail = self.tail
        in_tail = [] if tail is None else [id for id in ids if tail.entry(id) is not None]
        waiting = [id for id in ids if tail is None or tail.entry(id) is None]
        in_parts: list[Deaths] = []
        for live in reversed(self.parts):
            if not waiting:
                break
            positions = live.part.order.find_all(waiting)
            is_here = positions >= 0
            is_here[is_here] = self._are_there(live, positions[is_here])
            if is_here.any():
                in_parts.append(Deaths(live, positions[is_here]))
                waiting = [id for id, is_found in zip(waiting, is_here.tolist(), strict=True) if not is_found]
        return Found(in_tail, in_parts, waiting)

    def check_kind(self, ids: Sequence[ExpressionId]) -> type | None:
        """What all ids are with these, or an error for one that is not of the type of the others."""
        known = self.id_type or (type(ids[0]) if ids else None)
        for id in ids:
            if not isinstance(id, known or object):
                name = known.__name__ if known is not None else ""
                raise InputError(f"the ids of this index are of type {name}, and {id!r} is not")
        return known

    def entries(self) -> list[TailEntry]:
        """What the tail holds, in the order in which it came; for who reads the tail."""
        return [] if self.tail is None else list(self.tail.entries.values())

    def part_names(self) -> list[str]:
        """The attributes that stand for quantified parts in the tail; for who reads the tail."""
        return [] if self.tail is None else self.tail.part_names

    def _are_there(self, live: LivePart, positions: Positions) -> npt.NDArray[np.bool_]:
        is_live = self.living(live)
        return np.ones(len(positions), np.bool_) if is_live is None else is_live(positions.astype(np.uint32))

    def living(self, live: LivePart) -> IsLive | None:
        """Tells which positions of a part are there; None when nothing has died."""
        is_live, died_now = live.living(self.moment), self._died_now(live)
        if died_now is None or live.have_died(died_now):
            return is_live
        return lambda positions: ~np.isin(positions, died_now) & (True if is_live is None else is_live(positions))

    def mask(self, live: LivePart) -> npt.NDArray[np.bool_] | None:
        """For each position of a part whether it is there; None when all are."""
        mask, died_now = live.mask(self.moment), self._died_now(live)
        if died_now is not None:
            mask = np.ones(live.part.num_expressions, np.bool_) if mask is None else mask
            mask[died_now] = False
        return mask

    def viewed(self, live: LivePart) -> ViewedPart:
        """A part as it is in this state; the same object until one of its expressions dies."""
        died_now = self._died_now(live)
        is_settled = died_now is None or live.have_died(died_now)
        if not is_settled or live.last_death > self.moment:
            return ViewedPart(live.part, self.mask(live))
        kept = live.viewed
        if kept is None or kept[0] != live.last_death:
            kept = live.viewed = (live.last_death, ViewedPart(live.part, self.mask(live)))
        return kept[1]

    def _died_now(self, live: LivePart) -> Positions | None:
        died = [positions for owner, positions in self.deaths if owner is live]
        return np.concatenate(died) if died else None
