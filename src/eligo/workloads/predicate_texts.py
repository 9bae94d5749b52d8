"""How are millions of predicates written at once? Column by column, with Arrow, never one by one."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Texts: TypeAlias = pa.LargeStringArray
Numbers = npt.NDArray[np.int64]


def to_texts(values: Any) -> Texts:
    """Integers, or any strings, as an Arrow array of strings."""
    return pa.array(values).cast(pa.large_string())


def join(*parts: Texts | str) -> Texts:
    """Row by row the parts one after the other; a plain string stands in every row."""
    scalars = [pa.scalar(part, pa.large_string()) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*scalars, pa.scalar("", pa.large_string()))


def join_runs(offsets: Numbers, texts: Texts, separator: str) -> Texts:
    """Row i is `texts[offsets[i]:offsets[i + 1]]` with the separator between them."""
    runs = pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), texts)
    return pc.binary_join(runs, pa.scalar(separator, pa.large_string()))


def string_values(ranks: Numbers) -> Texts:
    """The value of a rank, as it stands in an expression: 'v17'."""
    return join("'v", to_texts(ranks), "'")


def comparisons(attributes: Texts, operators: Texts | str, values: Texts) -> Texts:
    """`attribute operator value` in every row."""
    return join(attributes, " ", operators, " ", values)


def ranges(attributes: Texts, lows: Numbers, highs: Numbers) -> Texts:
    """`attribute between low and high` in every row."""
    return join(attributes, " between ", to_texts(lows), " and ", to_texts(highs))


def memberships(attributes: Texts, operator: str, members: Numbers, sizes: Numbers, *, strings: bool) -> Texts:
    """`attribute operator (members)`: row i lists the distinct ones of the first `sizes[i]` of `members[i]`."""
    width = members.shape[1] if members.ndim == 2 else 1
    beyond = np.iinfo(np.int64).max
    listed = np.where(np.arange(width) < sizes[:, None], members, beyond)
    listed.sort(axis=1)
    is_kept = listed != beyond
    is_kept[:, 1:] &= listed[:, 1:] != listed[:, :-1]
    offsets = np.concatenate(([0], np.cumsum(is_kept.sum(axis=1))))
    flat = listed[is_kept]
    texts = string_values(flat) if strings else to_texts(flat)
    return join(attributes, f" {operator} (", join_runs(offsets, texts, ", "), ")")


def interleave(rows: list[npt.NDArray[np.intp]], texts: list[Texts]) -> Texts:
    """One array in which `texts[k][j]` stands at row `rows[k][j]`; `rows` are ascending, together 0 to n - 1."""
    if len(texts) == 1:
        return texts[0]
    all_rows = np.concatenate(rows)
    place = np.empty(len(all_rows), np.int64)
    place[all_rows] = np.arange(len(all_rows))
    return pa.concat_arrays(texts).take(pa.array(place))
