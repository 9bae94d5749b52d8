"""How does Fontoura 2010 match by intervals? An expression is true when leaves that are cover 1 to M without overlap.

    (A and B) or C or (D and E and F), M = 10       A 1–1   B 2–10   C 1–10   D 1–4   E 5–5   F 6–10         (Figure 5)

See `engines.fontoura.kernels.interval_labels` for how leaves get their intervals, and `interval_evaluation` for what is
done with them.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_batch import EventBatch
from eligo.data.stored_form import Form
from eligo.engines.fontoura.annotator import interval_labels
from eligo.engines.fontoura.fontoura_engine import FontouraEngine, LeafScratch
from eligo.engines.fontoura.fontoura_form import INTERVALS
from eligo.engines.fontoura.kernels.alternating_trees import Conjunctions, Forest
from eligo.engines.fontoura.kernels.interval_evaluation import evaluate
from eligo.engines.fontoura.kernels.interval_labels import IntervalLabels


class Matched(NamedTuple):
    """The paper's `matched`, which all expressions share."""

    matched: npt.NDArray[np.uint32]
    """For 0 to M: the number of the last expression for which leaves cover everything up to here."""
    last_stamp: npt.NDArray[np.int64]
    """The number of the last expression that was evaluated."""


class IntervalId(FontouraEngine):
    """Expressions by the intervals of their conjunctions."""

    name: ClassVar[str] = "interval_id"
    form: ClassVar[Any] = IntervalLabels
    stored: ClassVar[Form] = INTERVALS

    @classmethod
    def _labelled(cls, forest: Forest, conjunctions: Conjunctions) -> tuple[IntervalLabels, npt.NDArray[np.int64]]:
        return interval_labels(forest)

    def _new_state(self) -> Matched:
        return Matched(np.zeros(int(self.labels.most_leaves[0]) + 1, np.uint32), np.zeros(1, np.int64))

    def _evaluate(
        self,
        first: int,
        events: EventBatch,
        true_offsets: npt.NDArray[np.int64],
        lengths: npt.NDArray[np.int64],
        scratch: LeafScratch,
    ) -> int:
        return evaluate(
            scratch.true_leaves,
            true_offsets,
            len(lengths),
            self.annotations.expression_of_leaf,
            self.labels,
            scratch.state.matched,
            scratch.state.last_stamp,
            lengths,
            scratch.positions,
            scratch.counts,
        )
