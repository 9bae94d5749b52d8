"""Which rows of a shard count? Sorted by id, the last of each id, if it is an expression; the others are told.

id  order  expression          sorted, and what becomes of each row
b   1      age = 1             a  2  age =        rejected: it is no expression, and a is not in the index
a   2      age =               b  1  age = 1      replaced by the next row
b   3      age = 2             b  3  age = 2      accepted
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo.data.expressions.checked_texts import check_texts, reject_columns
from eligo.data.expressions.weighted_texts import weighted_texts
from eligo.data.moment_texts import MOMENT_HELP, is_text, read_moments
from eligo.data.schema.schema import Schema
from eligo.errors import EligoError, InputError
from eligo.index.guard import guarded, missing_guard
from eligo.language.limits import UNBOUNDED, Limits
from eligo.language.text.parse import ParsedBatch, parse_all

ID, EXPRESSION, ORDER, WEIGHTS = "id", "expression", "order", "weights"
UNREADABLE, BAD_MOMENT = "unreadable", "bad_moment"
MOMENTS = ("valid_from", "valid_to")
GUARDS = ("tenant", *MOMENTS)
"""Names of the columns that rows of a shard may have; `id` and `expression` are always there."""
NAMED_IDS = 10
"""How many ids an error names."""


class ShardRows(NamedTuple):
    """The rows of a shard after the check."""

    ids: pa.Array
    """Of the rows that count, ascending."""
    texts: pa.Array
    """Of the same rows, guards in front."""
    parsed: ParsedBatch
    """Texts among which those are."""
    rows: npt.NDArray[np.int64]
    """Their rows in `parsed`."""
    rejects: pa.Table
    """id, expression, error, help, line, column; by id."""
    num_rows: int
    num_duplicates: int
    """Rows without an error that a later row of the same id replaces."""
    repeated_ids: list[Any]
    """Some of the ids that come more than once."""
    conflicting_ids: list[Any]
    """Some of the ids that come with different contents, where no order says which one is last."""


def read_shard(table: pa.Table, *, schema: Schema | None, limits: Limits) -> ShardRows:
    """Sort, check and choose rows; equal sets of rows give equal results, in whatever order they come."""
    table = _sorted(_with_moments(with_long_texts(table).combine_chunks()))
    ids = table[ID].combine_chunks()
    is_last = _last_of_each_id(ids)
    columns = {name: table[name].combine_chunks() for name in table.column_names}
    unreadable = columns.get(UNREADABLE)
    checked = check_texts(ids, columns[EXPRESSION], unreadable, schema=schema, limits=limits)
    weighted = weighted_texts(checked, columns.get(WEIGHTS), UNBOUNDED)
    errors = dict(weighted.errors)
    guards = {name: columns[name] for name in GUARDS if name in columns}
    lacks_tenant = missing_guard(guards)
    if lacks_tenant is not None:
        for row in np.flatnonzero(lacks_tenant.to_numpy(zero_copy_only=False)).tolist():
            errors.setdefault(row, InputError("the tenant is missing", help="give every expression a tenant"))
    for row, text in _given(columns.get(BAD_MOMENT)):
        errors.setdefault(row, InputError(f"{text} is not a date or timestamp", help=MOMENT_HELP))
    is_good = np.ones(table.num_rows, np.bool_)
    is_good[list(errors)] = False
    rows = np.flatnonzero(is_good & is_last)
    parsed, texts = weighted.reparsed(UNBOUNDED), weighted.texts
    if guards:
        parsed, texts, rows = _with_guards(texts, guards, rows, errors, is_good)
    return ShardRows(
        ids=ids.take(pa.array(rows)) if len(rows) < len(ids) else ids,
        texts=(texts.take(pa.array(rows)) if len(rows) < len(texts) else texts).cast(pa.large_string()),
        parsed=parsed,
        rows=rows,
        rejects=_rejects(ids, checked.texts, errors),
        num_rows=table.num_rows,
        num_duplicates=int((is_good & ~is_last).sum()),
        repeated_ids=_some(ids, ~is_last),
        conflicting_ids=[] if ORDER in columns else _some(ids, _differs_from_next(table) & ~is_last),
    )


def _with_moments(table: pa.Table) -> pa.Table:
    """The rows with moments for the texts of validity windows; a text that is none is told in a column of its own."""
    told = np.full(table.num_rows, None, object)
    for name in MOMENTS:
        if name in table.column_names and is_text(table.schema.field(name).type):
            moments, bad = read_moments(table[name].combine_chunks())
            table = table.set_column(table.column_names.index(name), name, moments)
            for row, text in bad.items():
                told[row] = told[row] or f"{name} {text!r:.80}"
    if all(text is None for text in told):
        return table
    return table.append_column(BAD_MOMENT, pa.array(told, pa.large_string()))


def _given(texts: pa.Array | None) -> list[tuple[int, str]]:
    """The texts that are not null, with their rows."""
    if texts is None or texts.null_count == len(texts):
        return []
    rows = np.flatnonzero(texts.is_valid().to_numpy(zero_copy_only=False)).tolist()
    return list(zip(rows, texts.take(pa.array(rows)).to_pylist(), strict=True))


def with_long_texts(table: pa.Table) -> pa.Table:
    """Texts with 64-bit offsets, so that a shard may have more than two gigabytes of them."""
    kinds = {pa.string(): pa.large_string(), pa.string_view(): pa.large_string()}
    return table.cast(pa.schema([pa.field(field.name, kinds.get(field.type, field.type)) for field in table.schema]))


def _sorted(table: pa.Table) -> pa.Table:
    """Rows by id, null ids last; rows of one id by order, and where that does not tell, by content."""
    ids = table[ID].combine_chunks()
    if _ascends(ids):
        return table
    by_id = table.take(pc.array_sort_indices(ids))
    ids = by_id[ID].combine_chunks()
    if ids.null_count == 0 and _last_of_each_id(ids).all():
        return by_id
    names = [ID, *((ORDER,) if ORDER in table.column_names else ())]
    names += [name for name in table.column_names if name not in names]
    # Nothing comes before something: a row without an order is older than any that has one.
    keys = [(name, "ascending", "at_end" if name == ID else "at_start") for name in names]
    return table.take(pc.sort_indices(table, sort_keys=keys))


def _ascends(ids: pa.Array) -> bool:
    """Whether ids are in order already, each once."""
    if ids.null_count or len(ids) < 2:
        return not ids.null_count
    return bool(pc.all(pc.less(ids[:-1], ids[1:])).as_py())


def _last_of_each_id(ids: pa.Array) -> npt.NDArray[np.bool_]:
    """For each of sorted ids: whether the next one is another; a null is no id."""
    is_last = np.ones(len(ids), np.bool_)
    if len(ids) > 1:
        same = pc.fill_null(pc.equal(ids[:-1], ids[1:]), False)
        is_last[:-1] = ~same.to_numpy(zero_copy_only=False)
    return is_last


def _differs_from_next(table: pa.Table) -> npt.NDArray[np.bool_]:
    """For each row: whether its content is another than the next row's."""
    differs = np.zeros(table.num_rows, np.bool_)
    for name in table.column_names:
        if name != ID and table.num_rows > 1:
            column = table[name].combine_chunks()
            both = pc.and_(column[:-1].is_null(), column[1:].is_null())
            same = pc.or_(both, pc.fill_null(pc.equal(column[:-1], column[1:]), False))
            differs[:-1] |= ~same.to_numpy(zero_copy_only=False)
    return differs


def _with_guards(
    texts: pa.Array,
    guards: dict[str, pa.Array],
    rows: npt.NDArray[np.int64],
    errors: dict[int, EligoError],
    is_good: npt.NDArray[np.bool_],
) -> tuple[ParsedBatch, pa.Array, npt.NDArray[np.int64]]:
    """The texts with guards in front, as they are and parsed; a guard that is no predicate makes its row bad."""
    chosen = pa.array(rows)
    own = guarded(texts.take(chosen), {name: column.take(chosen) for name, column in guards.items()})
    whole = pa.nulls(len(texts), pa.large_string())
    mask = np.zeros(len(texts), np.bool_)
    mask[rows] = True
    whole = pc.replace_with_mask(whole, pa.array(mask), own)
    parsed = parse_all(whole, limits=UNBOUNDED)
    is_bad = parsed.outcome.error[rows] != 0
    for row in rows[is_bad].tolist():
        errors[row] = InputError(
            "the validity window is not between the years 1 and 9999", help="use null for a window that is open"
        )
        is_good[row] = False
    return parsed, whole, rows[~is_bad]


def _rejects(ids: pa.Array, texts: pa.Array, errors: dict[int, EligoError]) -> pa.Table:
    rows = sorted(errors)
    own_ids = ids.take(pa.array(rows, pa.int64()))
    if pa.types.is_large_string(own_ids.type):
        own_ids = pa.array([_readable_id(id) for id in own_ids], pa.string())
    return pa.table({ID: own_ids, **reject_columns(texts, errors, rows)})


def _readable_id(id: pa.Scalar) -> str | None:
    data = id.cast(pa.large_binary()).as_py()
    return None if data is None else data.decode("utf-8", "replace")


def _some(ids: pa.Array, mask: npt.NDArray[np.bool_]) -> list[Any]:
    rows = np.flatnonzero(mask)[:NAMED_IDS]
    return list(dict.fromkeys(ids.take(pa.array(rows)).to_pylist()))
