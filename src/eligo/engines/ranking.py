"""Which matches fit best? Scores every match and keeps the best: the way that is always right."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.kernels.event_state import new_event_state
from eligo.engines.kernels.match_scores import score_positions
from eligo.kernels.score_units import UNITS

Units = npt.NDArray[np.int64]
"""Scores in billionths: what is added, compared and merged. They become floats last of all."""

EXACT_FLOATS = 1 << 53
"""Whole numbers up to this are floats."""


class ScoredPositions(NamedTuple):
    """Expressions by position with their scores, best first."""

    positions: npt.NDArray[np.uint32]
    units: Units

    @property
    def scores(self) -> npt.NDArray[np.float64]:
        """The scores as users see them."""
        return scores_of(self.units)


NOTHING_SCORED = ScoredPositions(np.zeros(0, np.uint32), np.zeros(0, np.int64))


def scores_of(units: Units) -> npt.NDArray[np.float64]:
    """The floats nearest to scores that are given in units. A higher score is never a lower float."""
    scores: npt.NDArray[np.float64] = units / np.float64(UNITS)
    is_large = units > EXACT_FLOATS  # numpy would round these twice
    if is_large.any():
        scores[is_large] = [own / UNITS for own in units[is_large].tolist()]
    return scores


def score_matches(
    positions: npt.NDArray[np.uint32], event: EventBatch, table: ExpressionTable, vocabulary: Vocabulary
) -> Units:
    """The score, in units, of each of these expressions, all of which the batch's only event satisfies."""
    units = np.zeros(len(positions), np.int64)
    if len(positions) == 0:
        return units
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
        np.zeros(largest, np.int64),
        units,
    )
    return units


def best(positions: npt.NDArray[np.uint32], units: Units, n: int) -> ScoredPositions:
    """The n highest scores; among equal ones the lower position comes first."""
    order = np.lexsort((positions, -units))[: max(n, 0)]
    return ScoredPositions(positions[order], units[order])
