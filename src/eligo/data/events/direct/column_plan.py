"""Which columns of a table are read as they lie in memory, and how? Those of plain types, in the order of attributes.

    age: int64   place: string   who: struct<…>   seen: timestamp[us]   note: string, of no expression
    direct       direct          apart            direct                passed over

What is apart is read column by column, as `event_columns` does. A plan depends on the types of a table alone, so a
vocabulary keeps those of the last tables.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from eligo.data.events.direct.kernels import arrow_rows as rows
from eligo.data.vocabulary import Vocabulary

MOST_KEPT = 16
"""Plans that a vocabulary keeps."""

_VALUE_OF = {
    pa.bool_(): rows.BITS,
    pa.int8(): rows.INT8,
    pa.int16(): rows.INT16,
    pa.int32(): rows.INT32,
    pa.int64(): rows.INT64,
    pa.uint8(): rows.UINT8,
    pa.uint16(): rows.UINT16,
    pa.uint32(): rows.UINT32,
    pa.uint64(): rows.UINT64,
    pa.float32(): rows.FLOAT32,
    pa.float64(): rows.FLOAT64,
    pa.string(): rows.TEXT,
    pa.large_string(): rows.LARGE_TEXT,
    pa.date32(): rows.DATE32,
    pa.date64(): rows.DATE64,
}
_FACTOR_OF = {"s": 1_000_000, "ms": 1_000, "us": 1, "ns": 0}


class ColumnPlan(NamedTuple):
    """How the columns of tables of one schema are read."""

    names: tuple[str, ...]
    """The columns that are read directly, by attribute."""
    table: npt.NDArray[np.int64]
    """For each of them: a row of `arrow_rows`."""
    apart: tuple[str, ...]
    """The columns that are read one by one."""

    def without(self, bad: Collection[str]) -> ColumnPlan:
        """The plan with some of its columns read one by one."""
        if not bad:
            return self
        kept = [place for place, name in enumerate(self.names) if name not in bad]
        names = tuple(self.names[place] for place in kept)
        return ColumnPlan(names, np.ascontiguousarray(self.table[kept]), (*self.apart, *bad))


class KeptPlan(NamedTuple):
    """A plan, or None where there is none, and for which tables it is."""

    schema: pa.Schema
    exclude: tuple[str, ...]
    plan: ColumnPlan | None


def column_plan(vocabulary: Vocabulary, schema: pa.Schema, exclude: tuple[str, ...]) -> ColumnPlan | None:
    """The plan for tables of a schema; None where all columns are to be read one by one."""
    kept = vocabulary.kept_plans
    for known in kept:
        if known.exclude == exclude and known.schema.equals(schema):
            found: ColumnPlan | None = known.plan
            return found
    plan = _new_plan(vocabulary, schema, exclude)
    if len(kept) >= MOST_KEPT:
        kept.clear()
    kept.append(KeptPlan(schema, exclude, plan))
    return plan


def _new_plan(vocabulary: Vocabulary, schema: pa.Schema, exclude: tuple[str, ...]) -> ColumnPlan | None:
    numbers = vocabulary.event_numbers
    direct: list[tuple[int, str, list[int]]] = []
    apart: list[str] = []
    for child, field in enumerate(schema):
        name = field.name
        if name in exclude:
            continue
        number = numbers.get(name)
        row = None if number is None else _plan_row(vocabulary, child, number, field.type)
        if number is not None and row is not None:
            direct.append((number, name, row))
        elif number is not None or any(attribute.startswith(f"{name}.") for attribute in numbers):
            apart.append(name)
    direct.sort()
    names = [name for _, name, _ in direct]
    # Two columns may give one attribute: which rows have it twice is told the long way.
    is_doubtful = len({*names, *apart}) < len(names) + len(apart) or any(
        name.startswith(f"{outer}.") for outer in apart for name in names
    )
    if not direct or is_doubtful:
        return None
    table = np.array([row for _, _, row in direct], np.int64)
    return ColumnPlan(tuple(names), table, tuple(apart))


def _plan_row(vocabulary: Vocabulary, child: int, number: int, kind: pa.DataType) -> list[int] | None:
    """The row of a column of a plain type; None for any other type."""
    listed, size, index, factor = rows.ONE_EACH, 0, -1, 1
    if pt.is_list(kind) or pt.is_large_list(kind):
        listed = rows.LIST if pt.is_list(kind) else rows.LARGE_LIST
    elif pt.is_fixed_size_list(kind):
        listed, size = rows.FIXED_LIST, kind.list_size
    if listed != rows.ONE_EACH:
        kind = kind.value_type
    if pt.is_dictionary(kind):
        index, kind = _VALUE_OF[kind.index_type], kind.value_type
        if not (pt.is_string(kind) or pt.is_large_string(kind)):
            return None
    if pt.is_timestamp(kind):
        value, factor = rows.MOMENT, _FACTOR_OF[kind.unit]
    elif kind in _VALUE_OF:
        value = _VALUE_OF[kind]
    else:
        return None
    may_keep = int(vocabulary.data.attribute_node_reach[number] == 0)
    return [child, number, value, listed, factor, index, may_keep, 0, size]
