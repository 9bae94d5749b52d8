from __future__ import annotations

import random

import numpy as np
import pytest
from numba import njit

from eligo.kernels.addresses import addresses_of
from eligo.kernels.bits import count_ones, leading_zeros, lowest_one, transpose, without_lowest


@njit
def ones(word: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    return count_ones(word), lowest_one(word), without_lowest(word)


@pytest.mark.parametrize("word", [1, 2, 3, 1 << 63, (1 << 64) - 1, 0xF0F0, 1 << 40 | 1 << 50])
def test_ones_of_a_word(word: int) -> None:
    assert ones(np.uint64(word)) == (word.bit_count(), (word & -word).bit_length() - 1, word & word - 1)


@njit
def zeros_above(word: np.uint64) -> np.uint64:
    return leading_zeros(word)


@pytest.mark.parametrize("word", [0, 1, 2, 3, 1 << 63, (1 << 64) - 1, 0xF0F0, 1 << 40 | 1 << 50])
def test_zeros_above_the_highest_one(word: int) -> None:
    assert zeros_above(np.uint64(word)) == 64 - word.bit_length()


def test_a_word_without_ones() -> None:
    assert ones(np.uint64(0)) == (0, 64, 0)


def test_a_square_is_turned_round() -> None:
    chance = random.Random(3)
    rows = [chance.getrandbits(64) & chance.getrandbits(64) for _ in range(64)]
    before, behind = np.uint64(5), np.uint64(7)
    words = np.array([before, *rows, behind], np.uint64)
    transpose(words, 1)
    square = words[1:-1]
    assert (words[0], words[-1]) == (before, behind)
    assert [[int(square[column]) >> row & 1 for column in range(64)] for row in range(64)] == [
        [word >> column & 1 for column in range(64)] for word in rows
    ]


def test_only_flat_arrays_are_given_by_address() -> None:
    with pytest.raises(ValueError, match="flat"):
        addresses_of([np.zeros((2, 2))])
    with pytest.raises(ValueError, match="flat"):
        addresses_of([np.zeros(8)[::2]])
    array = np.zeros(5)
    assert addresses_of([array]).tolist() == [array.ctypes.data, 5]
