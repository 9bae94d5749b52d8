"""Do lists in flat arrays stay what plain lists would be, and do their blocks come to use again?"""

from __future__ import annotations

import random

import numpy as np
import pytest

from eligo.engines.growing_tree.list_pool import ListPool, Numbers


def test_any_changes_give_the_lists_that_plain_lists_would_be() -> None:
    chance = random.Random(5)
    pool, lists = ListPool(), [[0][:0] for _ in range(9)]
    for _ in range(4_000):
        owner = chance.randrange(9)
        own, value = lists[owner], chance.randrange(1_000)
        match chance.choice(["append", "append", "insert", "drop", "put", "clear"]):
            case "append":
                pool.append(owner, value)
                own.append(value)
            case "insert":
                index = chance.randint(0, len(own))
                place = pool.insert(owner, index, value)
                own.insert(index, value)
                assert pool.items[place] == value
            case "drop" if own:
                index = chance.randrange(len(own))
                pool.drop(owner, index)
                own[index] = own[-1]  # the last one moves into the gap
                own.pop()
            case "put":
                values = [chance.randrange(1_000) for _ in range(chance.randrange(20))]
                pool.put(owner, values)
                own[:] = values
            case "clear":
                pool.clear(owner)
                own.clear()
        assert pool.values(owner) == own and pool.length(owner) == len(own)
    assert [pool.values(owner) for owner in range(9)] == lists


def test_a_block_that_was_given_back_is_taken_again() -> None:
    pool = ListPool()
    for _ in range(50):
        pool.put(0, list(range(100)))
        pool.clear(0)
    assert len(pool.items) == 128


def test_what_stands_beside_an_item_moves_with_it() -> None:
    pool = ListPool(np.zeros(0, np.float64))
    for number in range(40):
        place = pool.insert(3, 0, number)
        pool.beside[0][place] = number / 2
    start = pool.starts[3]
    assert pool.values(3) == list(range(39, -1, -1))
    assert pool.beside[0][start : start + 40].tolist() == [number / 2 for number in range(39, -1, -1)]


def test_a_copy_has_arrays_of_its_own() -> None:
    pool = ListPool()
    pool.put(0, [1, 2, 3])
    twin = pool.copy()
    twin.append(0, 4)
    twin.append(7, 5)
    pool.append(0, 9)
    assert (pool.values(0), pool.values(7)) == ([1, 2, 3, 9], [])
    assert (twin.values(0), twin.values(7)) == ([1, 2, 3, 4], [5])


@pytest.mark.parametrize("length", [5, 500])
def test_a_value_is_found_between_two_indices(length: int) -> None:
    pool = ListPool()
    pool.put(1, [*range(length), 3])
    assert pool.find(1, 3) == 3 and pool.find(1, 3, first=4) == length
    with pytest.raises(ValueError, match=r"not in"):
        pool.find(1, length + 1)


def test_owners_that_were_never_given_a_list_have_none() -> None:
    pool = ListPool()
    assert pool.values(10**6) == [] and pool.length(10**6) == 0
    pool.clear(10**6)


def test_numbers_are_the_lowest_or_those_given_back() -> None:
    numbers = Numbers()
    assert [numbers.take() for _ in range(3)] == [0, 1, 2]
    numbers.give(1)
    twin = numbers.copy()
    assert len(numbers) == 2 and numbers.take() == 1 and numbers.take() == 3
    assert twin.take() == 1 and twin.end == 3
