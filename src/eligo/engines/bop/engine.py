"""How does BoP match? It counts satisfied predicates, and evaluates only the expressions that have enough of them.

Bittner & Hinze 2007, as A-Tree 2021 describes it (section 2): each expression has a minimum of predicates without which
it cannot be true. An expression that reaches it is a candidate, which may still be false, and is evaluated from its
compressed encoding, whose children stand so that it is decided soon. Nothing is shared between expressions.

    0  (P1 or P2 or P3) and P4 and (P5 or P6)     minimum 3
    1  P4 or not P1                               minimum 0: evaluated for every event

    event: P1 P2 P3 ──▶ counted 3 ──▶ 0 is a candidate ──▶ evaluated: false
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_form import of_all_expressions
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.bop.bop_form import bop_problems
from eligo.engines.bop.kernels.counting import (
    CANDIDATES,
    MATCHED,
    POSTINGS,
    TESTS,
    BopLists,
    BopScratch,
    match_events,
)
from eligo.engines.bop.kernels.encoded_trees import EncodedTrees, encode, first_bad_code, new_code_scratch
from eligo.engines.bop.kernels.minima import IMPOSSIBLE, count_minima
from eligo.engines.fact_keys import fact_keys, used_facts
from eligo.engines.fact_shares import fact_shares
from eligo.engines.kernels.child_order import order_children
from eligo.engines.kernels.facts import FactKeys, group_by
from eligo.engines.list_offsets import MOST_ITEMS, check_number
from eligo.engines.match_buffer import MatchBuffer
from eligo.engines.parted_engine import PartedEngine
from eligo.engines.protocol import Capabilities, EngineStats, MatchArrays
from eligo.ranges.list_choice import RangeLists
from eligo.sharing import ScratchPool


class Bop(PartedEngine):
    """Expressions by counting, then evaluated."""

    name: ClassVar[str] = "bop"
    capabilities: ClassVar[Capabilities] = Capabilities()

    def __init__(
        self, keys: FactKeys, lists: BopLists, trees: EncodedTrees, table: ExpressionTable, vocabulary: Vocabulary
    ) -> None:
        # Read-only, so that kernels are compiled once, for files and memory.
        self.keys = FactKeys(*read_only_arrays(keys))
        self.lists = BopLists(*read_only_arrays(lists))
        self.trees = EncodedTrees(*read_only_arrays(trees))
        self.table = table
        self.vocabulary = vocabulary
        self.num_expressions = len(lists.minima)
        self._counters = np.zeros(4, np.int64)
        self._buffer = MatchBuffer(self.num_expressions)
        self._scratch: ScratchPool[BopScratch] = ScratchPool()

    @classmethod
    def build(
        cls,
        table: ExpressionTable,
        vocabulary: Vocabulary,
        sample: EventBatch | None = None,
        *,
        ranges: RangeLists = "auto",
        reorder: bool = True,
    ) -> Self:
        """Count the predicates of a table's expressions, and encode these.

        Children are encoded so that those come first that soon decide their connective; with `reorder=False`, as they
        are written.
        """
        used = used_facts(table, vocabulary.num_attributes, by_use=True)
        keys = fact_keys(used.facts, table, vocabulary, ranges)
        children = table.children.copy()
        if reorder:
            order_children(table, used.literals, fact_shares(keys, used.uses, sample), children)
        ordered = table._replace(children=children)
        is_presence = (used.facts >= table.predicates.num_predicates).astype(np.uint8)
        minima, facts, expressions = count_minima(ordered, used.literals, is_presence)
        check_number(len(facts), MOST_ITEMS)
        fact_offsets, fact_expressions = group_by(facts, len(used.facts), expressions)
        free = np.flatnonzero(minima == 0).astype(np.uint32)
        minima[minima == IMPOSSIBLE] = 0
        lists = BopLists(minima.astype(np.uint8), fact_offsets, fact_expressions, free)
        offsets, code = encode(ordered, used.literals)
        check_number(len(code), MOST_ITEMS)
        limits = np.zeros(2, np.uint32)
        first_bad_code(offsets, code, len(used.facts), limits)
        trees = EncodedTrees(offsets.astype(np.uint32), code, limits)
        return cls(keys, lists, trees, table, vocabulary)

    def range_lists(self) -> npt.NDArray[np.uint32]:
        return self.keys.axis_size

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {**self.keys._asdict(), **self.lists._asdict(), **self.trees._asdict()}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], table: ExpressionTable, vocabulary: Vocabulary
    ) -> Self:
        keys = FactKeys(**{name: arrays[name] for name in FactKeys._fields})
        lists = BopLists(**{name: arrays[name] for name in BopLists._fields})
        trees = EncodedTrees(**{name: arrays[name] for name in EncodedTrees._fields})
        return cls(keys, lists, trees, table, vocabulary)

    @classmethod
    def problems(
        cls,
        arrays: Mapping[str, npt.NDArray[Any]],
        table: ExpressionTable,
        vocabulary: Vocabulary,
        num_expressions: int,
        *,
        deep: bool,
    ) -> Iterator[str]:
        yield from of_all_expressions(table, num_expressions)
        yield from bop_problems(arrays, table, vocabulary, num_expressions, deep=deep)

    def match_part(self, events: EventBatch) -> MatchArrays:
        scratch = self._take_scratch()

        def match_from(first: int, offsets: npt.NDArray[np.uint64], positions: npt.NDArray[np.uint32]) -> int:
            done: int = match_events(first, events, self.keys, self.lists, self.trees, scratch, offsets, positions)
            return done

        found = self._buffer.collect(events, match_from)
        self._counters += scratch.counts
        scratch.counts[:] = 0
        self._scratch.give(scratch)
        return found

    def _take_scratch(self) -> BopScratch:
        """Scratch that nobody else uses meanwhile."""
        kept = self._scratch.take()
        if kept is None:
            num_facts = len(self.keys.fact_predicates)
            kept = BopScratch(
                truth=np.zeros(num_facts, np.uint8),
                true_facts=np.empty(num_facts + 1, np.uint32),
                counters=np.empty(self.num_expressions, np.uint8),
                candidates=np.empty(self.num_expressions + 1, np.uint32),
                code=new_code_scratch(self.trees),
                marks=np.zeros((self.num_expressions + 63) // 64, np.uint64),
                counts=np.zeros(4, np.int64),
            )
        return kept

    def stats(self) -> EngineStats:
        return EngineStats(
            num_expressions=self.num_expressions,
            num_nodes=self.num_expressions,
            num_postings=len(self.lists.fact_expressions),
            num_bytes=sum(array.nbytes for array in self.arrays().values()),
            num_evaluations=int(self._counters[TESTS]),
            details={
                "facts": len(self.keys.fact_predicates),
                "free_expressions": len(self.lists.free_expressions),
                "code_bytes": self.trees.code.nbytes,
                "read_postings": int(self._counters[POSTINGS]),
                "candidates": int(self._counters[CANDIDATES]),
                "matched": int(self._counters[MATCHED]),
            },
        )
