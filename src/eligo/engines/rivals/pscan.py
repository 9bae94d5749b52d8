"""What is the least that an index can do for a scan? Say which expressions an event's keys have to do with at all.

PSCAN, the rival of Whang 2009 for conjunctive normal form (section 7.2): only the expressions in the event's posting
lists are evaluated, and those that need no key.
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
from eligo.engines.normal_forms import conjunctive_forms
from eligo.engines.protocol import Capabilities
from eligo.engines.rivals.fact_engine import FactEngine, match_rows, unshared
from eligo.engines.rivals.fact_form import PSCAN
from eligo.engines.rivals.kernels.candidates import PscanLists, match_events
from eligo.engines.rivals.kernels.fact_references import FactScratch, disjunction_facts, disjunction_words, number_words
from eligo.language.limits import DEFAULT_LIMITS
from eligo.ranges.list_choice import RangeLists


class Pscan(FactEngine):
    """CNF expressions that stand in a posting list of the event, evaluated."""

    name: ClassVar[str] = "pscan"
    capabilities: ClassVar[Capabilities] = Capabilities(normal_form="conjunctive")
    form: ClassVar[Any] = PscanLists
    stored: ClassVar[Form] = PSCAN

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
        """Index the expressions of a table in conjunctive normal form.

        `bound` is the most literals that a normal form may have. Without `deduplicate`, equal expressions are each
        evaluated.
        """
        items = conjunctive_forms(table, bound)
        items = items if deduplicate else unshared(items)
        predicates = table.predicates
        needs_key = np.zeros(items.num_items, np.uint8)
        offsets, words, pair_items, pair_facts = disjunction_words(
            items.offsets,
            items.atoms,
            4 * predicates.num_predicates,
            predicates.attribute_of_predicate,
            needs_key,
        )
        is_used = np.zeros(predicates.num_predicates + vocabulary.num_attributes, np.uint8)
        disjunction_facts(offsets, words, is_used)
        used = np.flatnonzero(is_used)
        number_of_fact = (np.cumsum(is_used, dtype=np.int64) - 1).astype(np.uint32)
        number_words(offsets, words, number_of_fact)
        is_entered = needs_key[pair_items] != 0
        entered = number_of_fact[pair_facts[is_entered]]
        fact_offsets, fact_items = group_by(entered, len(used), pair_items[is_entered])
        zero_items = np.flatnonzero(needs_key == 0).astype(np.uint32)
        lists = PscanLists(fact_offsets, fact_items, zero_items, offsets.astype(np.uint64), words)
        return cls(fact_keys(used, table, vocabulary, ranges), lists, match_rows(items, table), table, vocabulary)

    def _work(self) -> npt.NDArray[Any]:
        return np.zeros((len(self.rows.match_offsets) + 62) // 64, np.uint64)

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
        return len(self.items.fact_items) + len(self.items.zero_items)
