"""How is a segment written as named arrays, and read back without a copy?

    numbers, times          for each document
    names.offsets, .data    the attributes, in order
    int.attributes          the attributes that have a column of this kind …
    int.starts              … and where it begins in the next two; the last one ends there
    int.rows, .values       for each value: its document, and what it is
    string.offsets, .data   of all columns of strings, one after another

Each kind of value has its arrays, whatever the number of attributes. What is read is compared with its declared form
before it is used: rows and numbers in order, values such as a document can have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.data.stored_form import Arrays, Form, Offsets, Sizes, problems, unless
from eligo.data.stored_form import Column as StoredColumn
from eligo.joins.segment import Column, ColumnKind, Segment
from eligo.language.value import INT64_MAX, INT64_MIN
from eligo.storage.array_file import ArrayFile
from eligo.storage.canonical_json import Json
from eligo.storage.refusal import damaged
from eligo.storage.string_array import pack_strings, unpack_strings

KIND: Final = "document segment"
FIRST_DAY, LAST_DAY = -719_162, 2_932_896
"""The days of 0001-01-01 and 9999-12-31."""
_IN_DAY = 86_400_000_000
BOUNDS: dict[ColumnKind, tuple[int, int]] = {
    ColumnKind.BOOL: (0, 1),
    ColumnKind.INT: (INT64_MIN, INT64_MAX),
    ColumnKind.DATE: (FIRST_DAY, LAST_DAY),
    ColumnKind.TIMESTAMP: (FIRST_DAY * _IN_DAY, (LAST_DAY + 1) * _IN_DAY - 1),
}
"""The least and the largest value of a column of a kind."""
_WHOLE_BITS = 2.0**63


def segment_arrays(segment: Segment) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Json]]:
    """The arrays and the meta data of a segment."""
    arrays: dict[str, npt.NDArray[Any]] = {"numbers": segment.numbers, "times": segment.times}
    arrays |= {f"names.{name}": array for name, array in pack_strings(segment.attributes).items()}
    for kind in ColumnKind:
        own = [
            (place, segment.columns(name)[kind])
            for place, name in enumerate(segment.attributes)
            if kind in segment.columns(name)
        ]
        label = kind.name.lower()
        lengths = [len(column.rows) for _, column in own]
        arrays[f"{label}.attributes"] = np.array([place for place, _ in own], np.uint32)
        arrays[f"{label}.starts"] = np.cumsum([0, *lengths], dtype=np.uint64)
        arrays[f"{label}.rows"] = np.concatenate([np.zeros(0, np.int32), *(column.rows for _, column in own)])
        values = [column.values for _, column in own]
        if kind is ColumnKind.STRING:
            texts = pa.concat_arrays([pa.array([], pa.large_string()), *values])
            arrays |= {f"{label}.{name}": array for name, array in pack_strings(texts).items()}
        else:
            dtype = np.float64 if kind is ColumnKind.FLOAT else np.int64
            arrays[f"{label}.values"] = np.concatenate([np.zeros(0, dtype), *values])
    return arrays, {"kind": KIND, "num_documents": segment.num_documents}


def read_segment(file: ArrayFile) -> Segment:
    """The segment of a file; damage and forgery are refused with the name of the file."""
    arrays = file.arrays
    if file.meta.get("kind") != KIND:
        raise damaged(file.path, "it is not a segment of documents")
    sizes: Sizes = {}
    for problem in chain(problems(_FORM, arrays, sizes, deep=True), _more_problems(arrays)):
        raise damaged(file.path, problem)
    names = unpack_strings(_below("names", arrays), what="names of attributes").to_pylist()
    if names != sorted(set(names)):
        raise damaged(file.path, "its attributes are not in order")
    columns: dict[str, dict[ColumnKind, Column]] = {name: {} for name in names}
    for kind in ColumnKind:
        label = kind.name.lower()
        rows = arrays[f"{label}.rows"]
        if kind is ColumnKind.STRING:
            values: Any = unpack_strings(_below(label, arrays), what="strings of documents")
        else:
            values = arrays[f"{label}.values"]
        starts = arrays[f"{label}.starts"].astype(np.int64).tolist()
        for place, start, end in zip(arrays[f"{label}.attributes"].tolist(), starts, starts[1:], strict=False):
            columns[names[place]][kind] = Column(rows[start:end], values[start:end])
    if not all(columns.values()):
        raise damaged(file.path, "one of its attributes has no values")
    return Segment(arrays["numbers"], arrays["times"], columns)


def _below(label: str, arrays: Arrays) -> Mapping[str, npt.NDArray[Any]]:
    return {name: arrays[f"{label}.{name}"] for name in ("offsets", "data")}


def _form() -> Form:
    fields: list[StoredColumn | Offsets] = [
        StoredColumn("numbers", "i8", "documents"),
        StoredColumn("times", "i8", "documents"),
        Offsets("names.offsets", "u8", "attributes", into="names.data"),
        StoredColumn("names.data", "u1"),
    ]
    for kind in ColumnKind:
        label = kind.name.lower()
        fields += [
            StoredColumn(f"{label}.attributes", "u4", f"{label} columns", below="attributes"),
            Offsets(f"{label}.starts", "u8", f"{label} columns", into=f"{label}.rows"),
            StoredColumn(f"{label}.rows", "i4", f"{label} values", below="documents"),
        ]
        if kind is ColumnKind.STRING:
            fields += [
                Offsets(f"{label}.offsets", "u8", f"{label} values", into=f"{label}.data"),
                StoredColumn(f"{label}.data", "u1"),
            ]
        else:
            fields.append(
                StoredColumn(f"{label}.values", "f8" if kind is ColumnKind.FLOAT else "i8", f"{label} values")
            )
    return fields


_FORM = [field for field in _form() if field.name != "float.values"]
_FLOATS: Form = [StoredColumn("float.values", "f8", "float values")]
"""Which may be infinite, unlike the floats of other forms."""


def _more_problems(arrays: Arrays) -> Iterator[str]:
    """What is wrong with arrays whose types and lengths are right."""
    sizes: Sizes = {"float values": len(arrays["float.rows"])}
    found = list(problems(_FLOATS, arrays, sizes, deep=False))
    yield from found
    numbers = arrays["numbers"]
    yield from unless(len(numbers) > 0, "numbers", "is empty")
    yield from unless(numbers[1:] > numbers[:-1], "numbers", "does not rise")
    yield from unless(numbers[:1] >= 0, "numbers", "is below zero")
    yield from _outside("times", arrays["times"], *BOUNDS[ColumnKind.TIMESTAMP])
    for kind in ColumnKind:
        label = kind.name.lower()
        own = arrays[f"{label}.attributes"]
        yield from unless(own[1:] > own[:-1], f"{label}.attributes", "does not rise")
        yield from _rows_problems(label, arrays)
        if kind in BOUNDS:
            yield from _outside(f"{label}.values", arrays[f"{label}.values"], *BOUNDS[kind])
    if not found:
        floats = arrays["float.values"]
        is_right = (np.abs(floats) >= _WHOLE_BITS) | (np.floor(floats) != floats)
        is_right &= ~np.isnan(floats) & (floats != -_WHOLE_BITS)
        yield from unless(is_right, "float.values", "has a number that is not a float")


def _rows_problems(label: str, arrays: Arrays) -> Iterator[str]:
    rows, starts = arrays[f"{label}.rows"], arrays[f"{label}.starts"].astype(np.int64)
    yield from unless(rows >= 0, f"{label}.rows", "is below zero")
    yield from unless(starts[1:] > starts[:-1], f"{label}.starts", "has a column without values")
    if len(rows) > 1 and (starts[1:] >= starts[:-1]).all():
        is_first = np.zeros(len(rows) + 1, np.bool_)
        is_first[starts] = True
        yield from unless((rows[1:] >= rows[:-1]) | is_first[1:-1], f"{label}.rows", "falls within a column")


def _outside(name: str, values: npt.NDArray[Any], least: int, most: int) -> Iterator[str]:
    yield from unless((values >= least) & (values <= most), name, "has what no document can have")
