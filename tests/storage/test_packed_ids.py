"""Do ids come back as they were, of the one kind or the other, and does their hash stay what it is?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.errors import DamagedFileError
from eligo.storage.packed_ids import are_numbers, arrow_id_type, hash_ids, id_numbers, pack_ids, unpack_ids

NUMBERS = st.lists(st.integers(-(2**63), 2**63 - 1))
TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"])))


@given(NUMBERS)
def test_ints_are_one_array(numbers: list[int]) -> None:
    ids = pa.array(numbers, arrow_id_type(is_number=True))
    arrays = pack_ids(ids)
    assert {name: array.dtype for name, array in arrays.items()} == {"numbers": np.int64}
    assert unpack_ids(arrays).equals(ids)
    found = id_numbers(ids)
    assert are_numbers(ids) and found is not None and found.tolist() == numbers


@given(TEXTS)
def test_strings_are_two(texts: list[str]) -> None:
    ids = pa.array(texts, arrow_id_type(is_number=False))
    arrays = pack_ids(ids)
    assert set(arrays) == {"offsets", "data"}
    assert unpack_ids(arrays).equals(ids)
    assert not are_numbers(ids) and id_numbers(ids) is None


def test_a_slice_is_stored_alone() -> None:
    assert unpack_ids(pack_ids(pa.array([1, 2, 3])[1:])).to_pylist() == [2, 3]
    assert unpack_ids(pack_ids(pa.array(["a", "bc", "d"])[1:])).to_pylist() == ["bc", "d"]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"numbers": np.zeros(3, np.int32)}, "the ids of x are of type i4, not i8"),
        ({"numbers": np.zeros(3, np.uint64)}, "the ids of x are of type u8, not i8"),
        ({}, "the ids of x are not stored as offsets and bytes"),
        ({"offsets": np.array([0, 9], np.uint64), "data": np.zeros(3, np.uint8)}, "do not span"),
    ],
)
def test_what_are_no_ids_is_refused(arrays: dict[str, Any], message: str) -> None:
    with pytest.raises(DamagedFileError, match=message):
        unpack_ids(arrays, what="ids of x")


def test_the_hash_stays_what_it_is() -> None:
    """Another hash would put ids into other shards, and change every artifact."""
    numbers = hash_ids(pa.array([0, 1, -1, None, 2**63 - 1]))
    assert [f"{number:016x}" for number in numbers.tolist()] == HASHES_OF_NUMBERS
    texts = hash_ids(pa.array(["", "a", "ad-1", None, "é" * 40], pa.large_string()))
    assert [f"{number:016x}" for number in texts.tolist()] == HASHES_OF_TEXTS


HASHES_OF_NUMBERS = ["e220a8397b1dcdaf", "910a2dec89025cc1", "e4d971771b652c20", "e220a8397b1dcdaf", "2a67d7552e039ea7"]
HASHES_OF_TEXTS = ["e220a8397b1dcdaf", "e9fc4ef02d601d17", "13fc5ffeee4943bd", "e220a8397b1dcdaf", "7f336dfe88325a95"]
