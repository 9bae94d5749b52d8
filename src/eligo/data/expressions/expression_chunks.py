"""How are more expressions read than should be parsed at once? Some rows of their table at a time, in their order.

Parsed texts take several times the memory of what becomes of them. Each chunk is read alone, and what is made of it
takes its place before the next one is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from eligo.data.expressions.expression_source import (
    GivenExpressions,
    OnDuplicate,
    read_expressions,
    table_of,
    texts_by_id,
)
from eligo.data.schema.schema import Schema
from eligo.language.limits import Limits

ROWS_AT_ONCE = 1 << 20
"""Expressions of a chunk at most."""


class ReadingRules(NamedTuple):
    """How a source is read; see `read_expressions`."""

    schema: Schema | None
    limits: Limits
    id: str = "id"
    expression: str = "expression"
    weights: str | None = None
    on_duplicate: OnDuplicate = "error"


class ExpressionChunks:
    """The expressions of a source: together what `read_expressions` gives.

    A large table of texts comes in several chunks of like size, which are read when they are come to; anything else
    comes in one.
    """

    def __init__(
        self,
        source: Any,
        rules: ReadingRules,
        *,
        rows: int = ROWS_AT_ONCE,
        between: Callable[[], None] = lambda: None,
    ) -> None:
        """`between` is called after each chunk."""
        self._between = between
        table = _large_table(source, rules, rows)
        if table is None:
            self._whole: tuple[Any, ReadingRules] = (source, rules)
            self._borders: list[int] | None = None
        else:
            self._whole = (table, ReadingRules(rules.schema, rules.limits))
            number = -(-table.num_rows // rows)
            self._borders = [place * table.num_rows // number for place in range(number + 1)]

    def __len__(self) -> int:
        return 1 if self._borders is None else len(self._borders) - 1

    def whole(self) -> GivenExpressions:
        """All of them, read at once."""
        source, rules = self._whole
        return read_expressions(source, **rules._asdict())

    def __iter__(self) -> Iterator[GivenExpressions]:
        source, rules = self._whole
        if self._borders is None:
            yield self.whole()
            return
        for first, last in pairwise(self._borders):
            yield read_expressions(source.slice(first, last - first), **rules._asdict())
            self._between()


def _large_table(source: Any, rules: ReadingRules, rows: int) -> pa.Table | None:
    """The table of a source with more rows than these, all of them texts under ids that come once."""
    if not isinstance(source, pa.Table) or source.num_rows <= rows or rules.weights is not None:
        return None
    table = table_of(source, id=rules.id, expression=rules.expression)
    if table is None or table["id"].null_count or texts_by_id(table.slice(0, 0), "error") is None:
        return None
    if pc.count_distinct(table["id"]).as_py() == table.num_rows:
        return table
    texts = texts_by_id(table, rules.on_duplicate)
    return None if texts is None else pa.table({"id": texts[0], "expression": texts[1]})
