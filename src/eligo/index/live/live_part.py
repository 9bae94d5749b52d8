"""How is an expression deleted from a part that never changes? By the moment of its death, kept beside the part.

    position   0   1   2   3
    died at    ∞   5   ∞   9        a reader of moment 7 has 0, 2 and 3

Every update of an index has a moment, one more than the last. A reader that began at moment m disregards later
deaths, so what it sees is the index as it was at m, although the array is shared and written to. Only deaths of moments
that have come are written, see `live_state`, so none has ever to be taken back.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from eligo.index.part import IsLive, Part
from eligo.index.view import ViewedPart

NEVER = np.iinfo(np.int64).max
DIED = "died"

Positions = npt.NDArray[np.int64]


class LivePart:
    """A part, and when its expressions died. One writer at a time; any number of readers."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self._moments: dict[str, npt.NDArray[np.int64]] = {}
        self.last_death = -1
        """The moment of the last death that is written down."""
        self.viewed: tuple[int, ViewedPart] | None = None
        """How views had it last, and what the last death was then."""

    @property
    def died(self) -> npt.NDArray[np.int64] | None:
        """For each position: the moment of its death, or NEVER; None while no expression has died."""
        return self._moments.get(DIED)

    @property
    def num_dead(self) -> int:
        """Expressions that have died; counted."""
        return 0 if self.died is None else int(np.count_nonzero(self.died != NEVER))

    def kill(self, position: int, moment: int) -> None:
        """An expression is there until the moment before."""
        self.kill_at(np.array([position]), moment)

    def kill_at(self, positions: Positions, moment: int) -> None:
        """The same for each of these positions; doing it again changes nothing."""
        died = self.died
        if died is None:
            # One array for all, also when a signal handler makes one in the middle of this line.
            died = self._moments.setdefault(DIED, np.full(self.part.num_expressions, NEVER, np.int64))
        self.last_death = max(self.last_death, moment)
        died[positions] = np.minimum(died[positions], moment)

    def kill_all(self, is_gone: npt.NDArray[np.bool_], moment: int) -> None:
        """The same for every position that is gone."""
        if is_gone.any():
            self.kill_at(np.flatnonzero(is_gone), moment)

    def is_dead(self, position: int, moment: int) -> bool:
        """Whether the expression has died by a moment."""
        return self.died is not None and int(self.died[position]) <= moment

    def have_died(self, positions: Positions) -> bool:
        """Whether the deaths of all of these are written down."""
        return self.died is not None and bool((self.died[positions] != NEVER).all())

    def living(self, moment: int) -> IsLive | None:
        """Tells which positions are still there at a moment; None when nothing has died."""
        died = self.died
        return None if died is None else lambda positions: died[positions] > moment

    def mask(self, moment: int) -> npt.NDArray[np.bool_] | None:
        """For each position whether it is there at a moment; None when all are."""
        died = self.died
        if died is None:
            return None
        is_live: npt.NDArray[np.bool_] = died > moment
        return None if is_live.all() else is_live

    def died_between(self, before: int, moment: int) -> Positions:
        """The positions that died after one moment and by another."""
        died = self.died
        return np.zeros(0, np.int64) if died is None else np.flatnonzero((died > before) & (died <= moment))
