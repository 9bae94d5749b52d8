"""How does Whang 2009 match expressions in conjunctive normal form? With K-indexes of whole expressions.

An entry also says which disjunction its predicate stands in. The size of an expression is the number of its
disjunctions that need a key; where that many lists meet, the disjunctions are counted.

    0  (a = 1 or b = 1) and (c = 2 or a = 1)       K = 2   a = 1   0∈(0)         a second list of the same key for the
    1  (a = 1 or b = 1) and c not in (1, 2)                a = 1   0∈(1)         second entry of expression 0
       (where missing is false)                    K = 1   a = 1   1∈(0)   …     c = 1   1∉(1)     c = 2   1∉(1)
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.engines.normal_forms import Items, conjunctive_forms
from eligo.engines.protocol import Capabilities
from eligo.engines.whang.kernels import cnf_algorithm
from eligo.engines.whang.kernels.best_items import Best
from eligo.engines.whang.kernels.list_heads import Heads
from eligo.engines.whang.list_engine import ListEngine, Marks


class Cnf(ListEngine):
    """Inverted lists of expressions in conjunctive normal form, one index for each size K."""

    name: ClassVar[str] = "cnf"
    capabilities: ClassVar[Capabilities] = Capabilities(prunes_top=True, normal_form="conjunctive")
    is_dnf: ClassVar[bool] = False

    @staticmethod
    def _items(table: ExpressionTable, bound: int) -> Items:
        return conjunctive_forms(table, bound)

    def _match_by_lists(
        self,
        first: int,
        events: EventBatch,
        heads: Heads,
        marks: Marks,
        offsets: npt.NDArray[np.uint64],
        positions: npt.NDArray[np.uint32],
    ) -> int:
        done: int = cnf_algorithm.match_events(
            first, events, self.lists, heads, self.counters(), marks, offsets, positions
        )
        return done

    def _rank_event(self, event: EventBatch, heads: Heads, best_items: Best, marks: Marks) -> None:
        cnf_algorithm.rank_event(event, self.lists, heads, self.counters(), best_items, self._is_rescored, marks)

    def counters(self) -> npt.NDArray[np.int64]:
        """A counter for each disjunction of the expression that has most."""
        return np.zeros(int(np.diff(self.lists.disjunction_offsets).max(initial=0)) + 1, np.int64)
