"""How are ids stored? As one array of 64-bit ints or as strings; those of an index are all of one kind.

    [7, 9]        ⇄   numbers 7 9
    ["a", "bc"]   ⇄   offsets 0 1 3    data a b c        as `string_array` has them

A shard has these arrays among others, behind the prefix `ids.`. A file of tombstones, the ids that a delta takes from
the parts before it, has nothing else: sorted, each id once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo.errors import DamagedFileError, InputError
from eligo.kernels.hashing import hash_texts
from eligo.storage.array_file import ArrayFile
from eligo.storage.refusal import BUILD_AGAIN
from eligo.storage.string_array import pack_strings, unpack_strings

NUMBERS = "numbers"
"""The array of ids that are ints."""


def arrow_id_type(*, is_number: bool) -> pa.DataType:
    """What ids are in memory."""
    return pa.int64() if is_number else pa.large_string()


def are_numbers(ids: pa.Array | pa.ChunkedArray) -> bool:
    """Whether ids are ints; they are strings otherwise."""
    return bool(pa.types.is_integer(ids.type))


def id_numbers(ids: pa.Array) -> npt.NDArray[np.int64] | None:
    """The ids when they are ints."""
    return ids.to_numpy() if are_numbers(ids) else None


def pack_ids(ids: pa.Array) -> dict[str, npt.NDArray[Any]]:
    """The arrays of ids, which `unpack_ids` takes back."""
    return {NUMBERS: ids.cast(pa.int64()).to_numpy()} if are_numbers(ids) else pack_strings(ids)


def unpack_ids(arrays: Mapping[str, npt.NDArray[Any]], *, what: str = "ids") -> pa.Array:
    """The ids, over the same memory; `what` names them in an error."""
    numbers = arrays.get(NUMBERS)
    if numbers is None:
        return unpack_strings(arrays, what=what)
    if numbers.dtype != np.int64:
        raise DamagedFileError(f"the {what} are of type {numbers.dtype.str[1:]}, not i8", help=BUILD_AGAIN)
    return pa.array(numbers)


def tombstone_arrays(ids: pa.Array | pa.ChunkedArray) -> tuple[dict[str, npt.NDArray[Any]], int]:
    """The arrays of a file of tombstones, equal for equal sets of ids, and how many ids there are."""
    if ids.null_count:
        raise InputError("a null cannot be a deleted id", help="leave the row out")
    distinct = pc.unique(ids)
    distinct = distinct.take(pc.array_sort_indices(distinct))
    return pack_ids(distinct), len(distinct)


def tombstone_ids(file: ArrayFile) -> pa.Array:
    """The ids in a file of tombstones."""
    return unpack_ids(file.arrays, what=f"ids of {file.path}")


def hash_ids(ids: pa.Array) -> npt.NDArray[np.uint64]:
    """The hash of each id, 64 bits spread evenly; a null has that of 0 or of the empty string.

    It decides which shard an id is in, and so is a part of the format.
    """
    if are_numbers(ids):
        return _mixed(ids.fill_null(0).to_numpy().view(np.uint64))
    packed = pack_strings(ids.fill_null(""))
    return _mixed(hash_texts(packed["offsets"], packed["data"], 0))


def _mixed(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The finaliser of SplitMix64."""
    mixed = words + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
