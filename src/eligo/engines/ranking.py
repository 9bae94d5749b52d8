"""Which matches fit best? Scores every match and keeps the best: the way that is always right."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.event_batch import EventBatch
from eligo.data.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.kernels.event_state import new_event_state
from eligo.kernels.score import score_positions


class ScoredPositions(NamedTuple):
    """Expressions by position with their scores, best first."""

    positions: npt.NDArray[np.uint32]
    scores: npt.NDArray[np.float64]


def score_matches(
    positions: npt.NDArray[np.uint32], event: EventBatch, table: ExpressionTable, vocabulary: Vocabulary
) -> npt.NDArray[np.float64]:
    """The score of each of these expressions, all of which the batch's only event satisfies."""
    scores = np.zeros(len(positions), np.float64)
    if len(positions) == 0:
        return scores
    offsets = table.expression_offsets
    largest = int((offsets[positions + np.uint32(1)] - offsets[positions]).max())
    state = new_event_state(vocabulary.num_keys, vocabulary.num_axes, scored=True)
    score_positions(
        0,
        positions,
        event,
        table.predicates,
        table,
        state,
        np.zeros(largest, np.uint8),
        np.zeros(largest, np.float64),
        scores,
    )
    return scores


def best(positions: npt.NDArray[np.uint32], scores: npt.NDArray[np.float64], n: int) -> ScoredPositions:
    """The n highest scores; among equal ones the lower position comes first."""
    order = np.lexsort((positions, -scores))[: max(n, 0)]
    return ScoredPositions(positions[order], scores[order])
