"""How are ranks drawn so that few are frequent and most are rare? P(r) = C / r^alpha (A-Tree 2021, section 6.1)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt


class Zipf:
    """Zipf's distribution over the ranks 0 to n - 1; alpha = 0 is uniform."""

    def __init__(self, num_ranks: int, alpha: float) -> None:
        if num_ranks < 1:
            raise ValueError(f"a Zipf distribution needs at least one rank, not {num_ranks}")
        self.weights: npt.NDArray[np.float64] = np.arange(1, num_ranks + 1, dtype=np.float64) ** -alpha
        self._cumulative = np.cumsum(self.weights)

    def draw(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> npt.NDArray[np.int64]:
        """Independent ranks."""
        heights = rng.random(size) * self._cumulative[-1]
        ranks: npt.NDArray[np.int64] = np.searchsorted(self._cumulative, heights, side="right")
        return np.minimum(ranks, len(self.weights) - 1)


@lru_cache(maxsize=64)
def zipf(num_ranks: int, alpha: float) -> Zipf:
    """A distribution that is drawn from again and again."""
    return Zipf(num_ranks, alpha)


def draw_by_owner(
    rng: np.random.Generator, owners: npt.NDArray[np.int64], num_ranks: npt.NDArray[np.int64], alpha: float
) -> npt.NDArray[np.int64]:
    """For each draw a rank below `num_ranks[owner]`, by one distribution an owner."""
    ranks = np.zeros(len(owners), np.int64)
    by_owner = np.argsort(owners, kind="stable")
    firsts = np.searchsorted(owners[by_owner], np.arange(len(num_ranks) + 1))
    for owner in np.flatnonzero(np.diff(firsts)):
        rows = by_owner[firsts[owner] : firsts[owner + 1]]
        ranks[rows] = Zipf(int(num_ranks[owner]), alpha).draw(rng, len(rows))
    return ranks
