from __future__ import annotations

import gc

import numpy as np
import numpy.typing as npt

from eligo.engines.kept_memory import FEWEST_ITEMS, MOST_UNUSED, KeptMemory


def address(array: npt.NDArray[np.uint32]) -> int:
    return array.ctypes.data


def test_memory_of_an_answer_that_is_gone_is_used_again() -> None:
    kept = KeptMemory()
    first = kept.take(FEWEST_ITEMS)
    at = address(first)
    del first
    gc.collect()
    assert address(kept.take(FEWEST_ITEMS + 5)) == at  # there was room for a little more


def test_memory_is_not_used_again_while_someone_refers_to_part_of_it() -> None:
    kept = KeptMemory()
    first = kept.take(FEWEST_ITEMS)
    first[:] = 7
    part, seen = first[5:9].reshape(2, 2), memoryview(first[10:12])
    del first
    gc.collect()
    second = kept.take(FEWEST_ITEMS)
    second[:] = 8
    assert part.tolist() == [[7, 7], [7, 7]]
    del part, second
    gc.collect()
    third = kept.take(FEWEST_ITEMS)
    third[:] = 9
    assert seen.tolist() == [7, 7]


def test_little_memory_is_not_taken_from_much() -> None:
    kept = KeptMemory()
    first = kept.take(2 * MOST_UNUSED * FEWEST_ITEMS)
    del first
    gc.collect()
    second = kept.take(FEWEST_ITEMS)
    assert second.base is not None
    assert not kept._free  # what was kept is let go
    assert kept.take(FEWEST_ITEMS - 1).base is None  # small answers have memory of their own


def test_memory_of_one_answer_is_kept_at_most() -> None:
    kept = KeptMemory()
    answers = [kept.take(FEWEST_ITEMS) for _ in range(3)]
    assert len({address(answer) for answer in answers}) == 3
    answers.clear()
    gc.collect()
    assert len(kept._free) == 1
