"""How does a workload get the share of matches that is wanted? Roots are chosen by what they take of sample events.

Each predicate gets a mask with a bit for each event of the sample that it is true of, each node the AND or OR of its
children's. More roots are made than are needed, and one that takes a share p of the sample is kept with the chance

    1 / (1 + exp(-(tilt * p + level)))

with a level for which as many are kept as are needed, and a tilt for which they take the share that is wanted.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from eligo.workloads.expression_dag import AND, ExpressionDag

Masks = npt.NDArray[np.uint8]
"""For each node a row of bits, one for each event of a sample."""
Shares = npt.NDArray[np.float64]

MOST_ROOTS = 4
"""How many roots are made for each that is kept."""
NUM_TRIED = 32
"""Orders of roots that are tried."""
STEEPEST = 400.0
"""The largest tilt."""


def add_masks(masks: Masks, dag: ExpressionDag) -> Masks:
    """The masks of all nodes, those of the first nodes being known; they are ANDs and ORs."""
    for (first, child_offsets, children), operators in zip(dag.batches, dag.operators, strict=True):
        if first < len(masks):
            continue
        starts = child_offsets[:-1]
        is_and = (operators == AND)[:, None]
        of_children = masks[children]
        own = np.where(
            is_and,
            np.bitwise_and.reduceat(of_children, starts, axis=0),
            np.bitwise_or.reduceat(of_children, starts, axis=0),
        )
        masks = np.concatenate([masks, own])
    return masks


def shares_of(masks: Masks, num_events: int) -> Shares:
    """The share of a sample of so many events that each row of bits takes."""
    counts: Shares = np.bitwise_count(masks).sum(axis=1) / num_events
    return counts


def choose_roots(rng: np.random.Generator, shares: Shares, count: int, wanted: float) -> npt.NDArray[np.int64]:
    """So many of the roots, ascending, that take about the wanted share of events; or what comes nearest to it."""
    low, high = -STEEPEST, STEEPEST
    for _ in range(60):
        tilt = (low + high) / 2
        chances = _chances(shares, tilt, count)
        if (chances * shares).sum() < wanted * chances.sum():
            low = tilt
        else:
            high = tilt
    # The largest of log-odds and noise are a sample without repetition in which the chances are about these.
    odds = np.log(np.maximum(chances, 1e-300)) - np.log(np.maximum(1.0 - chances, 1e-300))
    noisy = odds + rng.logistic(size=len(shares))
    return np.sort(np.argsort(-noisy, kind="stable")[:count])


def choose_popularity(
    rng: np.random.Generator, shares: Shares, weights: Shares, wanted: float
) -> npt.NDArray[np.int64]:
    """An order of roots in which, drawn by the weights of their ranks, they take about the wanted share of events."""
    tried = [rng.permutation(len(shares)) for _ in range(NUM_TRIED)]
    return min(tried, key=lambda order: abs(float(np.average(shares[order], weights=weights)) - wanted))


def _chances(shares: Shares, tilt: float, count: int) -> Shares:
    """The chance of each root to be kept, so that `count` are kept on average."""
    low, high = -2.0 * STEEPEST, 2.0 * STEEPEST
    chances = np.zeros(len(shares))
    for _ in range(60):
        level = (low + high) / 2
        chances = 1.0 / (1.0 + np.exp(-np.clip(tilt * shares + level, -700.0, 700.0)))
        if chances.sum() < count:
            low = level
        else:
            high = level
    return chances
