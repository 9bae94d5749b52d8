"""What does it help to know which conjunctions match, if trees are then evaluated? Fontoura 2010, 5.2.

Scan with conjunction match: of all expressions, those with at least one conjunction that the index found are evaluated,
and these as a scan would, each from its literals. See `engines.fontoura.kernels.jumps`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_batch import EventBatch
from eligo.data.stored_form import Form
from eligo.engines.fontoura.annotator import tree_sizes
from eligo.engines.fontoura.fontoura_engine import FontouraEngine, LeafScratch
from eligo.engines.fontoura.fontoura_form import JUMPS
from eligo.engines.fontoura.kernels.alternating_trees import LEAF, Conjunctions, Forest
from eligo.engines.fontoura.kernels.jumps import Jumps, evaluate, write_jumps
from eligo.engines.kernels.event_state import EventState, new_event_state
from eligo.engines.list_offsets import offsets_of


class ConjunctionScan(FontouraEngine):
    """The expressions of conjunctions that match, evaluated tree by tree."""

    name: ClassVar[str] = "conjunction_scan"
    form: ClassVar[Any] = Jumps
    stored: ClassVar[Form] = JUMPS

    @classmethod
    def _labelled(cls, forest: Forest, conjunctions: Conjunctions) -> tuple[Jumps, None]:
        literal_offsets, leaf_literals = _literals_of_leaves(forest.conjunctions[forest.kinds == LEAF], conjunctions)
        num_leaves = len(literal_offsets) - 1
        jumps = Jumps(
            np.zeros(len(forest.tree_offsets) - 1, np.uint32),
            np.zeros(num_leaves, np.uint32),
            np.zeros(num_leaves, np.uint32),
            literal_offsets,
            leaf_literals,
        )
        write_jumps(forest, *tree_sizes(forest), jumps.first_leaf, jumps.leaf_on_hold, jumps.leaf_on_fail)
        return jumps, None

    def _new_state(self) -> EventState:
        return new_event_state(self.vocabulary.num_keys, self.vocabulary.num_axes)

    def _evaluate(
        self,
        first: int,
        events: EventBatch,
        true_offsets: npt.NDArray[np.int64],
        lengths: npt.NDArray[np.int64],
        scratch: LeafScratch,
    ) -> int:
        return evaluate(
            first,
            events,
            self.table.predicates,
            self.table,
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


def _literals_of_leaves(
    conjunction_of_leaf: npt.NDArray[np.uint32], conjunctions: Conjunctions
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Where the literals of each leaf begin, and these, leaf by leaf: a scan reads them in this order."""
    counts = np.diff(conjunctions.offsets)[conjunction_of_leaf]
    offsets = offsets_of(counts)
    shifts = conjunctions.offsets[conjunction_of_leaf] - offsets[:-1]
    return offsets, conjunctions.literals[np.arange(int(offsets[-1])) + np.repeat(shifts, counts)]
