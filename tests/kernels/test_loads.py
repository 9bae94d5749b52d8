"""Does a loop read an array by its address?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from eligo.kernels.compiled import hot_loop
from eligo.kernels.loads import address_of, float64_at, int32_at, int64_at, uint8_at, uint64_at


@hot_loop
def _sums(bytes_: Any, ints: Any, longs: Any, words: Any, floats: Any, size: int, found: Any) -> None:
    for place in range(size):
        found[0] += uint8_at(bytes_, place)
        found[1] += int32_at(ints, place)
        found[2] += int64_at(longs, place)
        found[3] += uint64_at(words, place)
        found[4] += float64_at(floats, place)


def test_every_type_is_read() -> None:
    types = (np.uint8, np.int32, np.int64, np.uint64, np.float64)
    arrays = [np.arange(3, 10).astype(kind) for kind in types]
    arrays[1] = -arrays[1]
    found = np.zeros(5)
    _sums(*map(address_of, arrays), 7, found)
    assert found.tolist() == [42, -42, 42, 42, 42]


def test_only_flat_arrays_have_an_address() -> None:
    for array in (np.zeros((2, 2)), np.zeros(4)[::2]):
        with pytest.raises(ValueError, match="flat"):
            address_of(array)
