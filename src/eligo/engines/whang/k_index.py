"""How does Whang 2009 match expressions in disjunctive normal form? With K-indexes: inverted lists of conjunctions.

An event satisfies a conjunction of size K when its K positive predicates are hit, so conjunctions are put into one
inverted index for each K, and only where K lists of the event's keys meet in a conjunction it can match.

    0  age = 3 and state = 'NY'                K = 2   age = 3        0∈ 1∈
    1  age = 3 and state != 'CA'                       state = 'NY'   0∈
       or age = 4                                      state present  1∈
                                                       state = 'CA'   1∉
                                               K = 1   age = 4        2∈           conjunctions 1, 2 → expression 1
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.engines.normal_forms import Items, conjunctions
from eligo.engines.protocol import Capabilities
from eligo.engines.whang.kernels import conjunction_algorithm
from eligo.engines.whang.kernels.best_items import Best
from eligo.engines.whang.kernels.conjunction_ranking import rank_event
from eligo.engines.whang.kernels.list_heads import Heads
from eligo.engines.whang.list_engine import ListEngine, Marks


class KIndex(ListEngine):
    """Inverted lists of conjunctions, one index for each size K."""

    name: ClassVar[str] = "k_index"
    capabilities: ClassVar[Capabilities] = Capabilities(prunes_top=True, normal_form="disjunctive")
    is_dnf: ClassVar[bool] = True

    @staticmethod
    def _items(table: ExpressionTable, bound: int) -> Items:
        return conjunctions(table, bound)

    def _match_by_lists(
        self,
        first: int,
        events: EventBatch,
        heads: Heads,
        marks: Marks,
        offsets: npt.NDArray[np.uint64],
        positions: npt.NDArray[np.uint32],
    ) -> int:
        done: int = conjunction_algorithm.match_events(first, events, self.lists, heads, marks, offsets, positions)
        return done

    def _rank_event(self, event: EventBatch, heads: Heads, best_items: Best, marks: Marks) -> None:
        attribute_bounds = np.zeros(self.vocabulary.num_attributes, np.int64)
        rank_event(event, self.lists, heads, best_items, self._is_rescored, marks, attribute_bounds)
