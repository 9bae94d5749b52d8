"""How does SIFT find expressions? It counts, for each conjunction, how many of its predicates the event satisfies.

A rival of Whang 2009 (section 7), extended as there to ∉ and to sets of values: a predicate has one list however many
values it names, and it is gone through once however many of them the event has.
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
from eligo.engines.kernels.facts import group_by
from eligo.engines.normal_forms import conjunctions
from eligo.engines.protocol import Capabilities
from eligo.engines.rivals.fact_engine import FactEngine, match_rows, unshared
from eligo.engines.rivals.fact_form import SIFT
from eligo.engines.rivals.kernels.counters import SiftLists, match_events
from eligo.engines.rivals.kernels.fact_references import FactScratch, conjunction_references
from eligo.language.limits import DEFAULT_LIMITS
from eligo.ranges.list_choice import RangeLists


class Sift(FactEngine):
    """Conjunctions by counting."""

    name: ClassVar[str] = "sift"
    capabilities: ClassVar[Capabilities] = Capabilities(normal_form="disjunctive")
    form: ClassVar[Any] = SiftLists
    stored: ClassVar[Form] = SIFT

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
        several expressions is counted for each of them, as in the paper's comparison.
        """
        items = conjunctions(table, bound)
        items = items if deduplicate else unshared(items)
        predicates = table.predicates
        offsets, references = conjunction_references(
            items.offsets, items.atoms, 4 * predicates.num_predicates, predicates.attribute_of_predicate
        )
        used, numbers = np.unique(references >> np.uint32(1), return_inverse=True)
        owners = np.repeat(np.arange(items.num_items, dtype=np.uint32), np.diff(offsets))
        is_false = references & np.uint32(1) != 0
        sizes = np.bincount(owners[~is_false], minlength=items.num_items)
        counter = np.uint8 if sizes.max(initial=0) < 1 << 7 else np.uint32
        true_offsets, true_items = group_by(numbers[~is_false], len(used), owners[~is_false])
        false_offsets, false_items = group_by(numbers[is_false], len(used), owners[is_false])
        zero_items = np.flatnonzero(sizes == 0).astype(np.uint32)
        lists = SiftLists(sizes.astype(counter), true_offsets, true_items, false_offsets, false_items, zero_items)
        keys = fact_keys(used.astype(np.int64), table, vocabulary, ranges)
        return cls(keys, lists, match_rows(items, table), table, vocabulary)

    def _work(self) -> npt.NDArray[Any]:
        return np.empty_like(self.items.sizes)

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
        return len(self.items.true_items) + len(self.items.false_items)
