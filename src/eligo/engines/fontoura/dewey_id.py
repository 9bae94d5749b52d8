"""How does Fontoura 2010 match by Dewey ids? Each leaf that is true says its way from the root; ways tell the tree.

Its Figure 2:

    (A and B) or C or (D and E and F)     A 1*.1.1  B 1*.1.2*  C 1*.2  D 1*.3.1  E 1*.3.2  F 1*.3.3*

See `engines.fontoura.kernels.dewey_labels` for how ids are kept, and `dewey_evaluation` for what is done with them.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_batch import EventBatch
from eligo.data.stored_form import Form
from eligo.engines.fontoura.annotator import dewey_labels
from eligo.engines.fontoura.fontoura_engine import FontouraEngine, LeafScratch
from eligo.engines.fontoura.fontoura_form import DEWEY
from eligo.engines.fontoura.kernels.alternating_trees import Conjunctions, Forest
from eligo.engines.fontoura.kernels.dewey_evaluation import Levels, evaluate, new_levels
from eligo.engines.fontoura.kernels.dewey_labels import DeweyLabels, components


class DeweyId(FontouraEngine):
    """Expressions by the Dewey ids of their conjunctions."""

    name: ClassVar[str] = "dewey_id"
    form: ClassVar[Any] = DeweyLabels
    stored: ClassVar[Form] = DEWEY

    @classmethod
    def _labelled(cls, forest: Forest, conjunctions: Conjunctions) -> tuple[DeweyLabels, None]:
        return dewey_labels(forest), None

    def _new_state(self) -> Levels:
        return new_levels(int(self.labels.label_depth[0]))

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
            scratch.state,
            lengths,
            scratch.positions,
            scratch.counts,
        )


def label_texts(labels: DeweyLabels, num_leaves: int) -> list[str]:
    """The labels as the paper writes them, by leaf: `1*.3.1`."""
    depth = int(labels.label_depth[0])
    numbers, marks = np.zeros(depth, np.int64), np.zeros(depth, np.uint8)
    texts = []
    for leaf in range(num_leaves):
        count = components(leaf, labels, numbers, marks)
        parts = zip(numbers[:count].tolist(), marks[:count].tolist(), strict=True)
        texts.append(".".join(f"{number}{'*' if mark else ''}" for number, mark in parts))
    return texts
