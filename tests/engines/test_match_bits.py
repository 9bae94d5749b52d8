from __future__ import annotations

import numpy as np
import pytest

from eligo.engines.match_bits import bits_of_rows, num_words, pack_flags, unpack_flags


def test_the_lowest_bit_is_the_first_expression() -> None:
    offsets, positions = np.array([0, 3, 3, 4], np.uint64), np.array([0, 1, 64, 63], np.uint32)
    assert bits_of_rows(offsets, positions, 65).tolist() == [[3, 1], [0, 0], [1 << 63, 0]]


@pytest.mark.parametrize("num_expressions", [0, 1, 7, 8, 63, 64, 65, 200])
def test_flags_come_back(num_expressions: int) -> None:
    flags = np.random.default_rng(num_expressions).random((3, num_expressions)) < 0.4
    bits = pack_flags(flags)
    assert bits.shape == (3, num_words(num_expressions))
    np.testing.assert_array_equal(unpack_flags(bits, num_expressions), flags)
