"""What must hold of arrays before a kernel reads them by address? Each array has a declared form, which is compared.

    Offsets("child_offsets", "u4", "nodes", into="children")    row n is children[child_offsets[n]:child_offsets[n + 1]]
    Column("children", "u4", below="literals")                  any number of them, each the number of a literal
    Column("node_is_and", "u1", "nodes", below=2)               one for each node, 0 or 1

The quick comparison, made whenever a file is opened, looks at types, lengths and the ends of offsets. The deep one
reads every element: afterwards no index that a kernel takes from these arrays is outside of what it points into. What
no column can say, such as the order of jumps, each form adds for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from eligo.errors import StorageError
from eligo.kernels.hashing import NONE

Arrays: TypeAlias = Mapping[str, npt.NDArray[Any]]
Sizes: TypeAlias = dict[str, int]
"""How many there are of what arrays count, by name; a form adds those that its own arrays tell."""
NUM_SHOWN = 3


@dataclass(frozen=True)
class Column:
    """An array with one element for each of something, or of any length."""

    name: str
    dtype: str
    """As `u4`; several are separated by a blank."""
    rows: str | int | None = None
    """What it has an element for, or how many elements; None for any number."""
    below: str | int | None = None
    """All elements are below the size of this name, or below this number."""
    or_none: bool = False
    """NONE is allowed as well."""
    or_empty: bool = False
    """The array may also be empty."""


@dataclass(frozen=True)
class Offsets:
    """An array that says where each row begins in another one, and where the last ends."""

    name: str
    dtype: str
    rows: str
    """What it has a row for."""
    into: str | int
    """The array in which the rows stand one after another, or the number that the last row ends with."""
    width: int = 1
    """Elements of that array for each step of the offsets."""
    or_empty: bool = False


Form: TypeAlias = Sequence[Column | Offsets]


def problems(form: Form, arrays: Arrays, sizes: Sizes, *, deep: bool) -> Iterator[str]:
    """What is wrong with arrays, in words that name them; `sizes` gains what the arrays tell.

    The deep comparison is left out for arrays that fail the quick one.
    """
    found = False
    for field in form:
        for problem in _quick(field, arrays, sizes):
            found = True
            yield problem
    if deep and not found:
        for field in form:
            yield from _deep(field, arrays[field.name], sizes)


def require(found: Iterable[str], what: str) -> None:
    """A `StorageError` that names the first problem, if there is one."""
    for problem in found:
        raise StorageError(
            f"{what} cannot be used: {problem}",
            help="it was damaged, forged, or written by another version of eligo: build it again",
        )


def _quick(field: Column | Offsets, arrays: Arrays, sizes: Sizes) -> Iterator[str]:
    array = arrays.get(field.name)
    if array is None:
        yield f"there is no array {field.name!r}"
        return
    if array.ndim != 1 or array.dtype.str[1:] not in field.dtype.split():
        yield f"array {field.name!r} is of type {array.dtype.str[1:]}, not {' or '.join(field.dtype.split())}"
        return
    if field.or_empty and not len(array):
        return
    extra = isinstance(field, Offsets)
    if isinstance(field.rows, str) and field.rows not in sizes:
        sizes[field.rows] = max(0, len(array) - extra)
    wanted = sizes[field.rows] if isinstance(field.rows, str) else field.rows
    if wanted is not None and len(array) != wanted + extra:
        yield f"array {field.name!r} has {len(array):,} elements, not {wanted + extra:,}"
        return
    if isinstance(field, Offsets):
        yield from _ends(field, array, arrays)


def _ends(field: Offsets, array: npt.NDArray[Any], arrays: Arrays) -> Iterator[str]:
    if isinstance(field.into, str) and field.into not in arrays:
        return  # which is told of that array
    end = field.into if isinstance(field.into, int) else len(arrays[field.into])
    if int(array[0]) != 0:
        yield f"array {field.name!r} begins with {int(array[0])}, not with 0"
    if int(array[-1]) * field.width != end:
        yield f"array {field.name!r} ends with {int(array[-1]):,}, and what it points into has {end:,} elements"


def _deep(field: Column | Offsets, array: npt.NDArray[Any], sizes: Sizes) -> Iterator[str]:
    if isinstance(field, Offsets):
        falls = array[1:] < array[:-1]
        if falls.any():
            yield f"array {field.name!r} falls{_at(falls)}"
        return
    if array.dtype.kind == "f" and not (array > -np.inf).all():  # NaN is not above anything, either
        yield f"array {field.name!r} has values that are no numbers"
    if field.below is not None:
        yield from beyond(field.name, array, limit_of(field.below, sizes), or_none=field.or_none)


def lengths_of(offsets: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """How long each row is."""
    ends = offsets.astype(np.int64)
    lengths: npt.NDArray[np.int64] = ends[1:] - ends[:-1]
    return lengths


def limit_of(below: str | int, sizes: Sizes) -> int:
    """The number that elements are below."""
    return sizes[below] if isinstance(below, str) else below


def beyond(name: str, array: npt.NDArray[Any], limit: Any, *, or_none: bool = False) -> Iterator[str]:
    """That elements are not below a limit, or below their own of many."""
    is_beyond = array >= limit if isinstance(limit, np.ndarray) else array >= min(limit, 2**64 - 1)
    if or_none:
        is_beyond &= array != NONE
    if is_beyond.any():
        place = int(np.argmax(is_beyond))
        own = int(limit[place]) if isinstance(limit, np.ndarray) else limit
        yield f"array {name!r} has {int(array[place]):,}{_at(is_beyond)}, which is not below {own:,}"


def unless(holds: npt.NDArray[np.bool_] | bool | np.bool_, name: str, what: str) -> Iterator[str]:
    """That something does not hold of an array, with the first places where it does not."""
    if isinstance(holds, np.ndarray):
        if not holds.all():
            yield f"array {name!r} {what}{_at(~holds)}"
    elif not holds:
        yield f"array {name!r} {what}"


def _at(is_wrong: npt.NDArray[np.bool_]) -> str:
    places = np.flatnonzero(is_wrong)
    more = ", …" if len(places) > NUM_SHOWN else ""
    return f" at {', '.join(str(place) for place in places[:NUM_SHOWN].tolist())}{more}"
