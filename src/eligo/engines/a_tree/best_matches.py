"""Which matches of an event are the best? Found from the highest bound down, so that few are scored.

See `kernels.frozen_top` for bounds and scores.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.frozen_top import new_top_scratch, node_bounds, score_best
from eligo.engines.kernels.event_state import load_event, new_event_state
from eligo.engines.ranking import NOTHING_SCORED, ScoredPositions, best
from eligo.kernels.hashing import NONE
from eligo.sharing import once


class BestMatches:
    """Scores matches of single events, on a frozen tree."""

    def __init__(self, tree: FrozenTree, table: ExpressionTable, vocabulary: Vocabulary) -> None:
        self._tree = tree
        self._table = table
        self._vocabulary = vocabulary

    def best_of(self, positions: npt.NDArray[np.uint32], event: EventBatch, n: int) -> ScoredPositions:
        """The n best of the positions that match a batch's only event."""
        if n <= 0 or not len(positions):
            return NOTHING_SCORED
        roots = self.root_of_position[positions]
        always = roots == NONE
        candidates = positions[~always]
        bounds = self._bounds[roots[~always]]
        is_chosen = n < len(candidates)  # otherwise all are wanted, and bounds do not matter
        if is_chosen:
            falling = np.argsort(-bounds, kind="stable")
            candidates, bounds = candidates[falling], bounds[falling]
        state = new_event_state(self._vocabulary.num_keys + 1, self._vocabulary.num_axes, scored=True)
        factor = max(1.0, event.key_weights.max(initial=0.0), event.cell_weights.max(initial=0.0))
        units = np.zeros(len(candidates), np.int64)
        highest = np.full(n if is_chosen else 0, -1, np.int64)
        scratch = new_top_scratch(len(self._tree.node_is_and), int(self._tree.node_level.max(initial=1)) + 2)
        load_event(0, event, state)
        done = score_best(
            self.root_of_position[candidates],
            bounds,
            factor,
            highest,
            event,
            self._table,
            self._tree,
            state,
            scratch,
            units,
        )
        everywhere = positions[always]
        return best(
            np.concatenate([candidates[:done], everywhere]),
            np.concatenate([units[:done], np.zeros(len(everywhere), np.int64)]),
            n,
        )

    @once
    def _bounds(self) -> npt.NDArray[np.float64]:
        """For each node: a bound on its score, in units."""
        bounds: npt.NDArray[np.float64] = node_bounds(self._table, self._tree, np.argsort(self._tree.node_level))
        return bounds

    @once
    def root_of_position(self) -> npt.NDArray[np.uint32]:
        """The root of each expression; NONE for one that matches every event or none."""
        tree = self._tree
        roots = np.full(int(tree.num_expressions[0]), NONE, np.uint32)
        nodes = np.arange(len(tree.node_is_and), dtype=np.uint32)
        lengths = tree.match_offsets[1:] - tree.match_offsets[:-1]
        roots[tree.matches] = np.repeat(nodes, lengths.astype(np.int64))
        return roots
