"""What does matching cost without an index? Scan evaluates every expression for every event.

It is the baseline of all four papers: each expression in turn, its literals from the left, stopping as soon as the
answer is known. See `engines/scan/kernels/jump_code.py` for the jump code.
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
from eligo.engines.kernels.event_state import new_event_state
from eligo.engines.parted_engine import PartedEngine
from eligo.engines.protocol import Capabilities, EngineStats, MatchArrays
from eligo.engines.scan.kernels.jump_code import ScanCode, count_code, emit_code, match_events
from eligo.engines.scan.scan_form import code_problems
from eligo.ranges.list_choice import RangeLists


class Scan(PartedEngine):
    """Every expression in turn, short-circuiting."""

    name: ClassVar[str] = "scan"
    capabilities: ClassVar[Capabilities] = Capabilities()

    def __init__(self, code: ScanCode, table: ExpressionTable, vocabulary: Vocabulary) -> None:
        self.code = ScanCode(*read_only_arrays(code))  # so that kernels are compiled once, for files and memory
        self.table = table
        self.vocabulary = vocabulary
        self.num_expressions = len(code.segment_offsets) - 1
        self._counters = np.zeros(1, np.int64)
        segments = np.diff(code.segment_offsets)
        self._most_segments = int(segments.max()) if len(segments) else 0

    @classmethod
    def build(
        cls,
        table: ExpressionTable,
        vocabulary: Vocabulary,
        sample: EventBatch | None = None,
        *,
        ranges: RangeLists = "auto",
    ) -> Self:
        expression_offsets = table.expression_offsets.astype(np.int64)
        child_offsets = table.child_offsets.astype(np.int64)
        children = table.children.astype(np.int64)
        num_segments, num_tests, deepest, references = count_code(expression_offsets, child_offsets, children)
        code = ScanCode(
            segment_offsets=np.zeros(len(expression_offsets), np.uint32),
            segment_first=np.zeros(num_segments, np.uint32),
            test_operand=np.zeros(num_tests, np.uint32),
            test_on_hold=np.zeros(num_tests, np.uint32),
            test_on_fail=np.zeros(num_tests, np.uint32),
        )
        emit_code(
            expression_offsets,
            table.node_kind,
            table.node_literal,
            child_offsets,
            children,
            references,
            deepest,
            code,
        )
        return cls(code, table, vocabulary)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return dict(self.code._asdict())

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], table: ExpressionTable, vocabulary: Vocabulary
    ) -> Self:
        return cls(ScanCode(**{name: arrays[name] for name in ScanCode._fields}), table, vocabulary)

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
        yield from code_problems(arrays, table, num_expressions, deep=deep)

    def match_part(self, events: EventBatch) -> MatchArrays:
        num_expressions = self.num_expressions
        counters = np.zeros_like(self._counters)
        offsets = np.zeros(events.num_events + 1, np.uint64)
        positions = np.zeros(max(num_expressions, 1024), np.uint32)
        state = new_event_state(self.vocabulary.num_keys, self.vocabulary.num_axes)
        results = np.zeros(self._most_segments, np.uint8)
        done = 0
        while True:
            done = match_events(
                done,
                events,
                self.table.predicates,
                self.table,
                self.code,
                state,
                results,
                offsets,
                positions,
                counters,
            )
            if done == events.num_events:
                break
            grown = np.zeros(2 * len(positions) + num_expressions, np.uint32)
            grown[: int(offsets[done])] = positions[: int(offsets[done])]
            positions = grown
        self._counters += counters
        return MatchArrays(offsets, positions[: int(offsets[-1])].copy())

    def stats(self) -> EngineStats:
        return EngineStats(
            num_expressions=self.num_expressions,
            num_nodes=len(self.code.test_operand),
            num_postings=0,
            num_bytes=sum(array.nbytes for array in self.code),
            num_evaluations=int(self._counters[0]),
        )
