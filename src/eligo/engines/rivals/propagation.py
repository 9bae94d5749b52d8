"""How does Le Subscribe's Propagation find expressions? It tests the clusters of predicates that the event satisfies.

A rival of Whang 2009 (section 7): each conjunction is clustered under its most selective positive predicate, its access
predicate; what else it needs is looked up in a vector of facts. With a sample of events, selectivity is counted in it;
without one, what expressions ask for often is taken to occur often.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.stored_form import Form
from eligo.data.vocabulary import Vocabulary
from eligo.engines.fact_keys import fact_keys
from eligo.engines.fact_shares import fact_shares
from eligo.engines.kernels.item_order import reorder_rows
from eligo.engines.normal_forms import conjunctions
from eligo.engines.protocol import Capabilities
from eligo.engines.rivals.fact_engine import FactEngine, unshared
from eligo.engines.rivals.fact_form import CLUSTERS
from eligo.engines.rivals.kernels.clusters import Clusters, choose_access, match_events
from eligo.engines.rivals.kernels.fact_references import FactScratch, MatchRows, conjunction_references
from eligo.language.limits import DEFAULT_LIMITS
from eligo.ranges.list_choice import RangeLists


class Propagation(FactEngine):
    """Conjunctions in clusters, one for each access predicate."""

    name: ClassVar[str] = "propagation"
    capabilities: ClassVar[Capabilities] = Capabilities(normal_form="disjunctive")
    form: ClassVar[Any] = Clusters
    stored: ClassVar[Form] = CLUSTERS

    @classmethod
    def build(
        cls,
        table: ExpressionTable,
        vocabulary: Vocabulary,
        sample: EventBatch | None = None,
        *,
        ranges: RangeLists = "auto",
        bound: int = DEFAULT_LIMITS.normal_form,
        deduplicate: bool = True,
    ) -> Self:
        """Index the conjunctions of a table's expressions.

        `bound` is the most literals that a normal form may have. Without `deduplicate`, a conjunction that stands in
        several expressions is held for each of them, as in the paper's comparison.
        """
        items = conjunctions(table, bound)
        items = items if deduplicate else unshared(items)
        predicates = table.predicates
        offsets, references = conjunction_references(
            items.offsets, items.atoms, 4 * predicates.num_predicates, predicates.attribute_of_predicate
        )
        used, numbers = np.unique(references >> np.uint32(1), return_inverse=True)
        references = numbers.astype(np.uint32) << np.uint32(1) | references & np.uint32(1)
        keys = fact_keys(used.astype(np.int64), table, vocabulary, ranges)
        access = np.empty(items.num_items, np.uint32)
        choose_access(offsets, references, fact_shares(keys, np.bincount(numbers, minlength=len(used)), sample), access)

        has_access = access < len(used)
        widths = np.diff(offsets) - has_access
        order = np.lexsort((widths, access))
        offsets, references = reorder_rows(order, offsets, references)
        is_access = np.zeros(len(references), np.bool_)
        is_access[offsets[:-1][has_access[order]]] = True
        access, widths = access[order], widths[order]
        is_first = np.ones(items.num_items, np.bool_)
        is_first[1:] = (access[1:] != access[:-1]) | (widths[1:] != widths[:-1])
        firsts = np.flatnonzero(is_first)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(widths)])
        clusters = Clusters(
            np.searchsorted(access[firsts], np.arange(len(used) + 2)).astype(np.uint32),
            np.append(firsts, items.num_items).astype(np.uint32),
            widths[firsts].astype(np.uint32),
            starts[firsts].astype(np.uint64),
            references[~is_access],
        )
        match_offsets, matches = reorder_rows(order, items.match_offsets.astype(np.int64), items.matches)
        rows = MatchRows(match_offsets.astype(np.uint32), matches, np.array([table.num_expressions], np.uint32))
        return cls(keys, clusters, rows, table, vocabulary)

    def _work(self) -> npt.NDArray[Any]:
        return np.empty(len(self.rows.match_offsets), np.uint32)

    def _match(
        self,
        first: int,
        events: EventBatch,
        scratch: FactScratch,
        offsets: npt.NDArray[np.uint64],
        positions: npt.NDArray[np.uint32],
    ) -> int:
        done: int = match_events(first, events, self.keys, self.items, self.rows, scratch, offsets, positions)
        return done

    def _num_postings(self) -> int:
        return len(self.rows.match_offsets) - 1
