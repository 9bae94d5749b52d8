"""What is an index at one moment? A state: its parts, what has died of them, and its tails; and then comes another.

    parts   base, delta, …       never change; the moment at which an expression died stands beside them
    tails   one, or two while    new expressions; the last one takes them
            parts are merged

A state never changes. Each update makes the next one and hangs it behind the last, which is a single step of the
interpreter: whatever is raised, and wherever a signal handler or a fork comes between, there is the state before or the
state after. The deaths of a moment are part of its state, and are written beside the parts when the next one is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_source import ExpressionId
from eligo.errors import InputError
from eligo.index.live.live_part import LivePart
from eligo.index.live.live_tail import Tail, TailEntry
from eligo.index.part import IsLive
from eligo.storage.packed_ids import are_numbers

NEXT = "next"


class Death(NamedTuple):
    """An expression of a part that is there no longer."""

    live: LivePart
    position: int


Place = TailEntry | Death
"""Where an expression is: in a tail, or at a position of a part, where it may die."""


class State(NamedTuple):
    """An index between two updates."""

    moment: int
    """How many updates there were before."""
    parts: tuple[LivePart, ...]
    """From the oldest to the newest."""
    tails: tuple[Tail, ...]
    num_live: int
    num_dead: int
    num_in_tails: int
    deaths: tuple[Death, ...]
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
        return cls(0, tuple(parts), (), num_expressions - num_dead, num_dead, 0, (), id_type, {})

    def next(self, **changes: Any) -> State:
        """The state of the next moment; it is not there before it hangs behind this one."""
        state = self._replace(moment=self.moment + 1, deaths=(), after={})._replace(**changes)
        num_in_tails = sum(len(tail) for tail in state.tails)
        id_type = state.id_type if num_in_tails or state.num_frozen else None
        return state._replace(num_in_tails=num_in_tails, id_type=id_type)

    def settle(self) -> None:
        """Write down who died at this moment, before the next one; doing it again changes nothing."""
        for live, position in self.deaths:
            live.kill(position, self.moment)

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
        return self.num_in_tails + self.num_dead + self.num_frozen - self.base_size

    def find(self, id: ExpressionId) -> Place | None:
        """Where the expression of an id is; for who reads the tails."""
        for tail in reversed(self.tails):
            if (entry := tail.entry(id)) is not None:
                return entry
        for live in reversed(self.parts):
            position = live.part.order.find(id)
            if position is not None and not self._is_dead(live, position):
                return Death(live, position)
        return None

    def with_deaths(self, places: Iterable[Place | None]) -> dict[str, Any]:
        """What the next state says when the expressions of these places are there no longer."""
        deaths = tuple(place for place in places if isinstance(place, Death))
        return {"deaths": deaths, "num_dead": self.num_dead + len(deaths)} if deaths else {}

    def check_kind(self, id: ExpressionId) -> None:
        """Refuse an id that is not of the type of the others."""
        known = self.id_type
        if known is not None and not isinstance(id, known):
            raise InputError(f"the ids of this index are of type {known.__name__}, and {id!r} is not")

    def _is_dead(self, live: LivePart, position: int) -> bool:
        return live.is_dead(position, self.moment) or (live, position) in self.deaths

    def entries(self) -> list[TailEntry]:
        """What the tails hold, in the order in which it came; for who reads the tails."""
        return [entry for tail in self.tails for entry in tail.entries.values()]

    def part_names(self) -> list[str]:
        """The attributes that stand for quantified parts in the tails; for who reads the tails."""
        return [name for tail in self.tails for name in tail.part_names]

    def tail_versions(self) -> tuple[int, ...]:
        """Equal for equal tails only."""
        return tuple(tail.version for tail in self.tails if len(tail))

    def living(self, live: LivePart) -> IsLive | None:
        """Tells which positions of a part are there; None when nothing has died."""
        is_live, died_now = live.living(self.moment), self._died_now(live)
        if not died_now:
            return is_live
        return lambda positions: ~np.isin(positions, died_now) & (True if is_live is None else is_live(positions))

    def mask(self, live: LivePart) -> npt.NDArray[np.bool_] | None:
        """For each position of a part whether it is there; None when all are."""
        mask, died_now = live.mask(self.moment), self._died_now(live)
        if died_now:
            mask = np.ones(live.part.num_expressions, np.bool_) if mask is None else mask
            mask[died_now] = False
        return mask

    def _died_now(self, live: LivePart) -> list[int]:
        return [position for owner, position in self.deaths if owner is live]
