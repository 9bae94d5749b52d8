"""What does it cost to match conjunctions in place of expressions? Translation first, then another engine.

A-Tree 2021 compares with this (section 2): each expression becomes the conjunctions of its disjunctive normal form, an
engine that is made for conjunctions matches these, and an expression matches when one of its conjunctions does. The
paper's base is PSTBloom; here it is Whang 2009's K-index.

    0  (P1 or P2) and P3      conjunctions  0  P1 and P3  ──▶ 0
    1  P1 and P3 or P4                      1  P2 and P3  ──▶ 0          an event with P1 and P3 ──▶ 0 ──▶ 0, 1
                                            2  P4         ──▶ 1
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_form import of_all_expressions
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines import registry
from eligo.engines.match_buffer import MatchBuffer
from eligo.engines.normal_forms import conjunctions
from eligo.engines.parted_engine import PartedEngine
from eligo.engines.protocol import Capabilities, Engine, EngineStats, MatchArrays
from eligo.engines.translation.conjunction_expressions import conjunction_expressions
from eligo.engines.translation.kernels.union import ConjunctionOwners, unite_owners
from eligo.engines.translation.translation_form import BASE, translation_problems, with_prefix, without_prefix
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.ranges.list_choice import RangeLists


class Translation(PartedEngine):
    """Conjunctions of all expressions, matched by a K-index."""

    name: ClassVar[str] = "translation"
    capabilities: ClassVar[Capabilities] = Capabilities(normal_form="disjunctive")

    def __init__(self, base: Engine, owners: ConjunctionOwners, table: ExpressionTable, vocabulary: Vocabulary) -> None:
        self.base = base
        self.owners = ConjunctionOwners(*read_only_arrays(owners))
        self.table = table
        self.num_expressions = table.num_expressions
        self.vocabulary = vocabulary
        self.cost: dict[str, float] = {}
        """What building it took, the translation apart; known when it was built here."""
        self._buffer = MatchBuffer(self.num_expressions)

    @classmethod
    def build(
        cls,
        table: ExpressionTable,
        vocabulary: Vocabulary,
        sample: EventBatch | None = None,
        *,
        ranges: RangeLists = "auto",
        bound: int = DEFAULT_LIMITS.normal_form,
    ) -> Self:
        """Translate the expressions of a table, and index their conjunctions.

        `bound` is the most literals that the disjunctive normal form of one may have.
        """
        begin = time.perf_counter()
        items = conjunctions(table, bound)
        translated = conjunction_expressions(items, table)
        owners = ConjunctionOwners(items.match_offsets, items.matches)
        done = time.perf_counter()
        built = registry.build(BASE, translated, vocabulary, sample, limits=Limits(normal_form=bound), ranges=ranges)
        engine = cls(_alone(built.arrays(), table, vocabulary), owners, table, vocabulary)
        engine.cost = {
            "translation_seconds": done - begin,
            "base_seconds": time.perf_counter() - done,
            "translated_bytes": float(sum(array.nbytes for array in translated[1:])),
        }
        return engine

    def range_lists(self) -> npt.NDArray[np.uint32]:
        return self.base.range_lists()

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {**self.owners._asdict(), **with_prefix(self.base.arrays())}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], table: ExpressionTable, vocabulary: Vocabulary
    ) -> Self:
        owners = ConjunctionOwners(**{name: arrays[name] for name in ConjunctionOwners._fields})
        return cls(_alone(without_prefix(arrays), table, vocabulary), owners, table, vocabulary)

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
        yield from translation_problems(arrays, table, vocabulary, num_expressions, deep=deep)

    def match_part(self, events: EventBatch) -> MatchArrays:
        found = self.base.match_part(events)
        marks = np.zeros((self.num_expressions + 63) // 64, np.uint64)

        def match_from(first: int, offsets: npt.NDArray[np.uint64], positions: npt.NDArray[np.uint32]) -> int:
            done: int = unite_owners(first, found.offsets, found.positions, self.owners, marks, offsets, positions)
            return done

        return self._buffer.collect(events, match_from)

    def stats(self) -> EngineStats:
        of_base = self.base.stats()
        return EngineStats(
            num_expressions=self.num_expressions,
            num_nodes=of_base.num_nodes,
            num_postings=of_base.num_postings,
            num_bytes=of_base.num_bytes + sum(array.nbytes for array in self.owners),
            num_evaluations=of_base.num_evaluations,
            details={
                "base": BASE,
                "conjunctions": of_base.num_expressions,
                "conjunctions_of_expressions": len(self.owners.owners),
                "base_bytes": of_base.num_bytes,
                **self.cost,
                **{f"base_{name}": figure for name, figure in of_base.details.items()},
            },
        )


def _alone(arrays: Mapping[str, npt.NDArray[Any]], table: ExpressionTable, vocabulary: Vocabulary) -> Engine:
    """The base without the conjunctions that it was built from: it is not asked for scores."""
    return registry.get(BASE).from_arrays(arrays, table.literals_only(), vocabulary)
