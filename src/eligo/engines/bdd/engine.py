"""How is matching done with decision diagrams? All expressions share one table of decisions, walked from the top.

Campailla et al. 2001, as A-Tree 2021 adapts it to any expression (section 2, Figure 3): each different fact is a
variable, and each expression a diagram that is reduced and ordered. Decisions are shared by all expressions; see
`diagram` for how they are made, `shared_diagrams` for how they are shared and `walks` for how they are walked.

    (P1 or P2 or P3) and P4 and (P5 or P6)

    P1 ─high─┐                                  ─high─▶ 1
    P2 ─high─┤                             ┌─ P5 ─low─▶ P6 ─high─▶ 1
    P3 ─high─┴─▶ P4 ─high──────────────────┘             └─low──▶ 0
     └─low──▶ 0   └─low──▶ 0                      (P1 goes low to P2, P2 to P3)

Facts are asked for in the order of a walk through the expression, in which children that soon decide their connective
come first.
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
from eligo.engines.bdd.bdd_form import bdd_problems
from eligo.engines.bdd.kernels.diagram import TRUE_END, new_workshop
from eligo.engines.bdd.kernels.equal_expressions import first_equals
from eligo.engines.bdd.kernels.shared_diagrams import WORDS, find_too_large, make_diagrams, new_walk
from eligo.engines.bdd.kernels.walks import (
    ENTRIES,
    MOST_KEPT,
    TESTS,
    UNUSUAL,
    WALKS,
    SharedDiagrams,
    WalkScratch,
    count_parents,
    low_ways,
    match_events,
)
from eligo.engines.fact_keys import fact_keys, used_facts
from eligo.engines.fact_shares import fact_shares
from eligo.engines.kernels.child_order import order_children
from eligo.engines.kernels.facts import FactKeys, group_by
from eligo.engines.list_offsets import check_number
from eligo.engines.match_buffer import MatchBuffer
from eligo.engines.parted_engine import PartedEngine
from eligo.engines.protocol import Capabilities, EngineStats, MatchArrays
from eligo.errors import NormalFormTooLargeError
from eligo.language.limits import DEFAULT_LIMITS
from eligo.ranges.list_choice import RangeLists
from eligo.sharing import ScratchPool

MOST_DECISIONS = 2**31 - 1
"""Decisions that a shard can have: a root is twice its decision."""


class Bdd(PartedEngine):
    """Shared decision diagrams of all expressions."""

    name: ClassVar[str] = "bdd"
    capabilities: ClassVar[Capabilities] = Capabilities(normal_form="diagram")

    def __init__(
        self, keys: FactKeys, diagrams: SharedDiagrams, table: ExpressionTable, vocabulary: Vocabulary
    ) -> None:
        # Read-only, so that kernels are compiled once, for files and memory.
        self.keys = FactKeys(*read_only_arrays(keys))
        self.diagrams = SharedDiagrams(*read_only_arrays(diagrams))
        self.table = table
        self.vocabulary = vocabulary
        self.num_expressions = len(diagrams.root_expressions)
        self.num_as_written: int | None = None
        """How many diagrams ask for facts in the order of the text; known when it was built here."""
        self._counters = np.zeros(4, np.int64)
        self._buffer = MatchBuffer(self.num_expressions)
        self._scratch: ScratchPool[WalkScratch] = ScratchPool()

    @classmethod
    def build(
        cls,
        table: ExpressionTable,
        vocabulary: Vocabulary,
        sample: EventBatch | None = None,
        *,
        ranges: RangeLists = "auto",
        bound: int = DEFAULT_LIMITS.normal_form,
        reorder: bool = True,
    ) -> Self:
        """Make the diagrams of a table's expressions.

        `bound` is the most decisions that one may have while it is made. With `reorder=False`, facts are asked for in
        the order in which an expression names them.
        """
        used = used_facts(table, vocabulary.num_attributes)
        keys = fact_keys(used.facts, table, vocabulary, ranges)
        children = table.children.copy()
        if reorder:
            order_children(table, used.literals, fact_shares(keys, used.uses, sample), children)
        walk = new_walk(table, len(used.facts))
        workshop = new_workshop(bound, len(walk.facts))
        roots = np.zeros(table.num_expressions, np.uint32)
        is_too_large = np.zeros(table.num_expressions, np.uint8)
        words, num_as_written = make_diagrams(
            table, children, first_equals(table), used.literals, bound, walk, workshop, roots, is_too_large
        )
        _refuse(np.flatnonzero(is_too_large), bound)
        check_number(len(words) // WORDS, MOST_DECISIONS)
        engine = cls(keys, _entered(words, roots, len(used.facts)), table, vocabulary)
        engine.num_as_written = int(num_as_written)
        return engine

    @classmethod
    def require_shapes(cls, table: ExpressionTable, bound: int) -> None:
        used = used_facts(table, int(table.predicates.attribute_of_predicate.max(initial=0)) + 1)
        walk = new_walk(table, len(used.facts))
        is_too_large = np.zeros(table.num_expressions, np.uint8)
        find_too_large(table, used.literals, bound, walk, new_workshop(bound, len(walk.facts)), is_too_large)
        _refuse(np.flatnonzero(is_too_large), bound)

    def range_lists(self) -> npt.NDArray[np.uint32]:
        return self.keys.axis_size

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {**self.keys._asdict(), **self.diagrams._asdict()}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], table: ExpressionTable, vocabulary: Vocabulary
    ) -> Self:
        keys = FactKeys(**{name: arrays[name] for name in FactKeys._fields})
        diagrams = SharedDiagrams(**{name: arrays[name] for name in SharedDiagrams._fields})
        return cls(keys, diagrams, table, vocabulary)

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
        yield from bdd_problems(arrays, table, vocabulary, num_expressions, deep=deep)

    def match_part(self, events: EventBatch) -> MatchArrays:
        return self._match(events, from_every_root=False)

    def match_from_every_root(self, events: EventBatch) -> MatchArrays:
        """The matches of every event, by walking from the root of every expression, as A-Tree 2021 says of diagrams."""
        return self._match(events, from_every_root=True)

    def _match(self, events: EventBatch, *, from_every_root: bool) -> MatchArrays:
        scratch = self._take_scratch()

        def match_from(first: int, offsets: npt.NDArray[np.uint64], positions: npt.NDArray[np.uint32]) -> int:
            done: int = match_events(
                first, events, self.keys, self.diagrams, scratch, from_every_root, offsets, positions
            )
            return done

        found = self._buffer.collect(events, match_from)
        self._counters += scratch.counts
        scratch.counts[:] = 0
        self._scratch.give(scratch)
        return found

    def _take_scratch(self) -> WalkScratch:
        """Scratch that nobody else uses meanwhile."""
        kept = self._scratch.take()
        if kept is None:
            num_facts, num_roots = len(self.keys.fact_predicates), len(self.diagrams.roots)
            num_decisions = len(self.diagrams.decisions) // WORDS
            kept = WalkScratch(
                truth=np.zeros(num_facts, np.uint8),
                true_facts=np.empty(num_facts + 1, np.uint32),
                is_met=np.zeros(num_roots, np.uint8),
                met=np.empty(num_roots + 1, np.uint32),
                results=np.zeros(num_decisions, np.uint8),
                kept=np.empty(num_decisions, np.uint32),
                way=np.empty(int(MOST_KEPT) + 1, np.uint32),
                marks=np.zeros((self.num_expressions + 63) // 64, np.uint64),
                counts=np.zeros(4, np.int64),
            )
        return kept

    def stats(self) -> EngineStats:
        num_decisions = len(self.diagrams.decisions) // WORDS - (TRUE_END + 1)
        return EngineStats(
            num_expressions=self.num_expressions,
            num_nodes=num_decisions,
            num_postings=len(self.diagrams.way_roots),
            num_bytes=sum(array.nbytes for array in self.arrays().values()),
            num_evaluations=int(self._counters[TESTS]),
            details={
                "facts": len(self.keys.fact_predicates),
                "roots": len(self.diagrams.roots),
                "as_written": self.num_as_written,
                "read_postings": int(self._counters[ENTRIES]),
                "walks": int(self._counters[WALKS]),
                "unusual_walks": int(self._counters[UNUSUAL]),
            },
        )


def _entered(words: npt.NDArray[np.uint32], root_of: npt.NDArray[np.uint32], num_facts: int) -> SharedDiagrams:
    """The diagrams with the ways into them; `root_of` has the root of each expression."""
    roots, numbers = np.unique(root_of, return_inverse=True)
    root_offsets, root_expressions = group_by(
        numbers.astype(np.int64), len(roots), np.arange(len(root_of), dtype=np.uint32)
    )
    ends = np.zeros(len(roots), np.uint8)
    facts, owners = low_ways(words, roots, ends)
    way_offsets, way_roots = group_by(facts, num_facts, owners)
    num_parents = np.zeros(len(words) // WORDS, np.uint8)
    count_parents(words, num_parents)
    words[::WORDS] = 2 * words[::WORDS] + (num_parents > 1)
    is_usual = np.zeros(64 * ((len(root_of) + 63) // 64), np.uint8)
    is_usual[: len(root_of)] = ends[numbers]
    usual_marks = np.packbits(is_usual, bitorder="little").view(np.uint64)
    return SharedDiagrams(
        words,
        (2 * roots + ends).astype(np.uint32),
        root_offsets,
        root_expressions,
        way_offsets,
        way_roots,
        usual_marks,
    )


def _refuse(rows: npt.NDArray[np.int64], bound: int) -> None:
    if not len(rows):
        return
    error = NormalFormTooLargeError(
        f"the decision diagram has more than {bound:,} decisions",
        help='build with engine="a_tree", which takes expressions of any shape, or raise the bound of this engine',
    )
    error.rows = tuple(rows.tolist())
    raise error
