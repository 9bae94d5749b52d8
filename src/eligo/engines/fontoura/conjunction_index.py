"""Which conjunctions does an event satisfy? Any engine that matches conjunctions says so: Fontoura 2010, Figure 1.

It is asked for by its name and built over a table with one expression for each distinct conjunction. Its arrays are
kept beside the annotations, each with `index.` before its name, and those of the table's nodes with `conjunctions.`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_form import table_problems
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.stored_form import Arrays
from eligo.data.vocabulary import Vocabulary
from eligo.engines import registry
from eligo.engines.fontoura.kernels.alternating_trees import Conjunctions
from eligo.engines.protocol import Engine, EngineStats, MatchArrays
from eligo.errors import UnknownEngineError, shown
from eligo.kernels.codes import AND, LITERAL, TRUE
from eligo.kernels.hashing import NONE
from eligo.ranges.list_choice import RangeLists

ENGINES = ("k_index", "propagation", "sift")
"""The engines that match conjunctions; the first one unless another is asked for."""
NODES = ExpressionTable._fields[4:]
"""What a table of conjunctions has of its own; literals and predicates are those of all."""
SMALLEST_BOUND = 1 << 10
"""Literals of a conjunction for which there is always room."""


class ConjunctionIndex:
    """An engine over the distinct conjunctions of other expressions."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @classmethod
    def build(
        cls,
        conjunctions: Conjunctions,
        table: ExpressionTable,
        vocabulary: Vocabulary,
        sample: EventBatch | None = None,
        *,
        ranges: RangeLists = "auto",
        engine: str = ENGINES[0],
    ) -> Self:
        """Index conjunctions of a table's literals with the engine of that name."""
        if engine not in ENGINES:
            raise UnknownEngineError(
                f"the engine {shown(engine)} does not match conjunctions", help=f"those that do: {', '.join(ENGINES)}"
            )
        longest = int(np.diff(conjunctions.offsets).max(initial=0))
        options: dict[str, Any] = {"bound": max(SMALLEST_BOUND, 2 * longest + 2)}
        own = conjunction_table(conjunctions, table)
        return cls(registry.get(engine).build(own, vocabulary, sample, ranges=ranges, **options))

    def match_part(self, events: EventBatch) -> MatchArrays:
        """The conjunctions that each event satisfies."""
        return self.engine.match_part(events)

    def stats(self) -> EngineStats:
        """What the engine holds and has done."""
        return self.engine.stats()

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The named arrays that `from_arrays` takes back."""
        return {
            "index_engine": np.frombuffer(self.engine.name.encode(), np.uint8),
            **{f"conjunctions.{name}": getattr(self.engine.table, name) for name in NODES},
            **{f"index.{name}": array for name, array in self.engine.arrays().items()},
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], table: ExpressionTable, vocabulary: Vocabulary
    ) -> Self:
        """The index that the arrays came from."""
        kind = registry.get(_engine_name(arrays["index_engine"]))
        own = ExpressionTable(*table[:4], *read_only_arrays(arrays[f"conjunctions.{name}"] for name in NODES))
        return cls(kind.from_arrays(_with_prefix("index", arrays), own, vocabulary))

    @staticmethod
    def problems(
        arrays: Arrays, table: ExpressionTable, vocabulary: Vocabulary, num_conjunctions: int, *, deep: bool
    ) -> Iterator[str]:
        """What is wrong with arrays from a file, of so many conjunctions; the table must be right."""
        code = arrays.get("index_engine")
        if code is None or code.ndim != 1 or code.dtype != np.uint8 or _engine_name(code) not in ENGINES:
            yield f"array 'index_engine' does not name one of {', '.join(ENGINES)}"
            return
        nodes = _with_prefix("conjunctions", arrays)
        found = False
        for problem in table_problems({**table.arrays(), **_nothing(), **nodes}, vocabulary, deep=deep):
            found = True
            yield problem.replace("array '", "array 'conjunctions.", 1)
        if missing := [name for name in NODES if name not in nodes]:
            found = True
            yield f"there is no array 'conjunctions.{missing[0]}'"
        if found:
            return
        # An engine keeps the nodes of what it scores by its nodes: of all conjunctions or, as k_index does, of none.
        num_kept = len(nodes["expression_offsets"]) - 1
        if num_kept not in (0, num_conjunctions):
            yield f"array 'conjunctions.expression_offsets' is of {num_kept:,} conjunctions, not {num_conjunctions:,}"
            return
        own = ExpressionTable(*table[:4], *read_only_arrays(nodes[name] for name in NODES))
        engine = registry.get(_engine_name(code))
        for problem in engine.problems(_with_prefix("index", arrays), own, vocabulary, num_conjunctions, deep=deep):
            is_of_table = problem.startswith("array 'expression_offsets'")
            yield problem.replace("array '", f"array '{'conjunctions' if is_of_table else 'index'}.", 1)


def conjunction_table(conjunctions: Conjunctions, table: ExpressionTable) -> ExpressionTable:
    """The table of which each expression is one conjunction: its literals, then an AND of them unless there is one.

    A conjunction of no literals is TRUE.
    """
    counts = np.diff(conjunctions.offsets)
    has_top = counts != 1
    expression_offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts + has_top)])
    is_literal = np.ones(int(expression_offsets[-1]), np.bool_)
    tops = expression_offsets[1:][has_top] - 1
    is_literal[tops] = False
    kinds = np.full(len(is_literal), LITERAL, np.uint8)
    kinds[tops] = np.where(counts[has_top] > 0, AND, TRUE)
    literals = np.full(len(is_literal), NONE, np.uint32)
    literals[is_literal] = conjunctions.literals
    child_counts = np.zeros(len(is_literal), np.int64)
    child_counts[tops] = counts[has_top]
    child_offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(child_counts)])
    has_parent = np.repeat(has_top, counts)
    children = np.flatnonzero(is_literal)[has_parent]
    columns = (
        kinds,
        literals,
        child_offsets.astype(np.uint64),
        children.astype(np.uint32),
        expression_offsets.astype(np.uint64),
    )
    return ExpressionTable(*table[:4], *read_only_arrays(columns))


def _nothing() -> dict[str, npt.NDArray[Any]]:
    """The nodes of a table without expressions."""
    bounds = np.zeros(1, np.uint64)
    empty: tuple[npt.NDArray[Any], ...] = (
        np.zeros(0, np.uint8),
        np.zeros(0, np.uint32),
        bounds,
        np.zeros(0, np.uint32),
        bounds,
    )
    return dict(zip(NODES, empty, strict=True))


def _engine_name(code: npt.NDArray[Any]) -> str:
    return code[: max(map(len, ENGINES)) + 1].tobytes().decode("ascii", "replace")


def _with_prefix(prefix: str, arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    return {name[len(prefix) + 1 :]: array for name, array in arrays.items() if name.startswith(f"{prefix}.")}
