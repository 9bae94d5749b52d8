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
from eligo.engines.kernels.item_order import reorder_rows
from eligo.engines.normal_forms import conjunctions
from eligo.engines.protocol import Capabilities
from eligo.engines.rivals.fact_engine import FactEngine, fact_keys, unshared
from eligo.engines.rivals.fact_form import CLUSTERS
from eligo.engines.rivals.kernels.clusters import Clusters, choose_access, match_events
from eligo.engines.rivals.kernels.facts import FactKeys, FactScratch, MatchRows, conjunction_references, count_facts
from eligo.language.limits import DEFAULT_LIMITS


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
        keys = fact_keys(used.astype(np.int64), table, vocabulary)
        access = np.empty(items.num_items, np.uint32)
        choose_access(offsets, references, _shares(keys, numbers, sample), access)

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


def _shares(keys: FactKeys, uses: npt.NDArray[np.int64], sample: EventBatch | None) -> npt.NDArray[np.float64]:
    """For each fact: in what share of events it is taken to be true. `uses` names a fact for each use of it."""
    num_facts = len(keys.fact_predicates)
    if sample is not None and sample.num_events:
        totals = np.zeros(num_facts, np.int64)
        count_facts(sample, keys, np.zeros(num_facts, np.uint8), np.empty(num_facts + 1, np.uint32), totals)
        counted: npt.NDArray[np.float64] = totals / sample.num_events
        return counted
    # A key is as likely as the facts under it are used; a fact as likely as its keys.
    uses_of_fact = np.bincount(uses, minlength=num_facts)
    key_of_place = np.repeat(np.arange(len(keys.key_offsets) - 1), np.diff(keys.key_offsets))
    uses_of_key = np.bincount(key_of_place, uses_of_fact[keys.key_facts], len(keys.key_offsets) - 1)
    of_fact = np.bincount(keys.key_facts, uses_of_key[key_of_place], num_facts)
    guessed: npt.NDArray[np.float64] = np.minimum(of_fact / max(1.0, of_fact.max(initial=1.0)), 1.0)
    return guessed
