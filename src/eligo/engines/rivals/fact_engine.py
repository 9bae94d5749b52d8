"""What do the rivals of Whang 2009 have in common? Facts that an event makes true, then items, then positions.

`sift`, `propagation` and `pscan` differ in what they do between: see `engines.kernels.facts` for the first step.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_form import of_all_expressions
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.stored_form import Form
from eligo.data.vocabulary import Vocabulary
from eligo.engines.kernels.facts import FactKeys
from eligo.engines.match_buffer import MatchBuffer
from eligo.engines.normal_forms import Items
from eligo.engines.parted_engine import PartedEngine
from eligo.engines.protocol import EngineStats, MatchArrays
from eligo.engines.rivals.fact_form import fact_problems
from eligo.engines.rivals.kernels.fact_references import MATCHED, POSTINGS, TESTS, FactScratch, MatchRows
from eligo.sharing import ScratchPool


class FactEngine(PartedEngine):
    """An engine that finds items by the facts that they refer to."""

    form: ClassVar[Any]
    """The engine's own arrays: a kind of named tuple."""
    stored: ClassVar[Form]
    """And what must hold of them; see `fact_form`."""

    def __init__(
        self, keys: FactKeys, items: Any, rows: MatchRows, table: ExpressionTable, vocabulary: Vocabulary
    ) -> None:
        # Read-only, so that kernels are compiled once, for files and memory.
        self.keys = FactKeys(*read_only_arrays(keys))
        self.items = self.form(*read_only_arrays(items))
        self.rows = MatchRows(*read_only_arrays(rows))
        self.table = table
        self.vocabulary = vocabulary
        self.num_expressions = int(rows.num_expressions[0])
        self._counters = np.zeros(3, np.int64)
        self._buffer = MatchBuffer(self.num_expressions)
        self._scratch: ScratchPool[FactScratch] = ScratchPool()

    @abstractmethod
    def _work(self) -> npt.NDArray[Any]:
        """What the kernel keeps for each item, new."""

    @abstractmethod
    def _match(
        self,
        first: int,
        events: EventBatch,
        scratch: FactScratch,
        offsets: npt.NDArray[np.uint64],
        positions: npt.NDArray[np.uint32],
    ) -> int:
        """Match events from `first` on; returns the first one that was not done for want of room."""

    @abstractmethod
    def _num_postings(self) -> int:
        """How many entries the engine's lists have."""

    def range_lists(self) -> npt.NDArray[np.uint32]:
        return self.keys.axis_size

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {**self.keys._asdict(), **self.items._asdict(), **self.rows._asdict()}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], table: ExpressionTable, vocabulary: Vocabulary
    ) -> Self:
        keys = FactKeys(**{name: arrays[name] for name in FactKeys._fields})
        items = cls.form(**{name: arrays[name] for name in cls.form._fields})
        rows = MatchRows(**{name: arrays[name] for name in MatchRows._fields})
        return cls(keys, items, rows, table, vocabulary)

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
        yield from fact_problems(cls.stored, arrays, table, vocabulary, num_expressions, deep=deep)

    def match_part(self, events: EventBatch) -> MatchArrays:
        scratch = self._take_scratch()
        found = self._buffer.collect(
            events, lambda first, offsets, positions: self._match(first, events, scratch, offsets, positions)
        )
        self._counters += scratch.counts
        scratch.counts[:] = 0
        self._scratch.give(scratch)
        return found

    def _take_scratch(self) -> FactScratch:
        """Scratch that nobody else uses meanwhile."""
        kept = self._scratch.take()
        if kept is None:
            kept = FactScratch(
                np.zeros(len(self.keys.fact_predicates), np.uint8),
                np.empty(len(self.keys.fact_predicates) + 1, np.uint32),
                np.zeros((self.num_expressions + 63) // 64, np.uint64),
                self._work(),
                np.zeros(3, np.int64),
            )
        return kept

    def stats(self) -> EngineStats:
        arrays = self.arrays()
        return EngineStats(
            num_expressions=self.num_expressions,
            num_nodes=len(self.rows.match_offsets) - 1,
            num_postings=self._num_postings(),
            num_bytes=sum(array.nbytes for array in arrays.values()),
            num_evaluations=int(self._counters[TESTS]),
            details={
                "items": len(self.rows.match_offsets) - 1,
                "facts": len(self.keys.fact_predicates),
                "read_postings": int(self._counters[POSTINGS]),
                "matched_items": int(self._counters[MATCHED]),
            },
        )


def match_rows(items: Items, table: ExpressionTable) -> MatchRows:
    """The expressions of items, as they are."""
    return MatchRows(items.match_offsets, items.matches, np.array([table.num_expressions], np.uint32))


def unshared(items: Items) -> Items:
    """The items with one for each expression that has it, in the order of expressions: nothing is deduplicated."""
    order = np.argsort(items.matches, kind="stable")
    owner = np.repeat(np.arange(items.num_items), np.diff(items.match_offsets))[order]
    counts = np.diff(items.offsets)[owner]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    places = np.arange(int(offsets[-1])) + np.repeat(items.offsets[owner] - offsets[:-1], counts)
    return Items(
        offsets,
        items.atoms[places],
        np.arange(len(owner) + 1, dtype=np.uint32),
        items.matches[order],
        items.rescored,
    )
