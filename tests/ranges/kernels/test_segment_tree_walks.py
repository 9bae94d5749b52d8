"""Does a cell meet the ranges that hold it, each once, and no others? For every range of every small tree."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.ranges.kernels.segment_tree_walks import (
    MOST_COVERING,
    NO_NODE,
    climb,
    climb_apart,
    cover,
    leaf_of,
    longest_climb,
    most_covering,
)
from eligo.ranges.segment_tree import cells_of_node

BASE = 70


def nodes(numbers: Any) -> list[int]:
    return [int(number) - BASE for number in numbers]


def climbed(cell: int, size: int) -> list[int]:
    return nodes(climb(np.uint32(cell), np.uint32(size), np.uint32(BASE)))


def covering(low: int, high: int, size: int) -> list[int]:
    return nodes(cover(np.uint32(low), np.uint32(high), np.uint32(size), np.uint32(BASE)))


def test_the_drawing() -> None:
    assert covering(1, 5, 8) == [9, 5, 6]
    assert climbed(4, 8) == [12, 6, 3, 1]


def test_an_axis_of_one_cell_has_one_node() -> None:
    assert climbed(0, 1) == covering(0, 0, 1) == [1]


@pytest.mark.parametrize("size", [2, 4, 8, 16])
def test_a_cover_and_a_climb_meet_once_where_the_range_holds_the_cell(size: int) -> None:
    for low in range(size):
        for high in range(low, size):
            found = covering(low, high, size)
            assert sorted(cell for node in found for cell in cells_of_node(node, size)) == list(range(low, high + 1))
            for cell in range(size):
                assert len(set(climbed(cell, size)) & set(found)) == (low <= cell <= high)


def test_cells_that_stand_alone_climb_themselves_and_cover_their_ranges_one_by_one() -> None:
    assert climbed(4, 1) == [5]
    assert covering(1, 5, 1) == [2, 3, 4, 5, 6]
    assert most_covering(1, 5, 1) == 5
    assert longest_climb(np.array([1, 1], np.uint32)) == 1
    for low, high, cell in product(range(6), repeat=3):
        if low <= high:
            assert len(set(climbed(cell, 1)) & set(covering(low, high, 1))) == (low <= cell <= high)


def test_ascending_cells_that_stand_alone_are_met_once_each() -> None:
    leaves = [NO_NODE, *(leaf_of(np.uint32(cell), np.uint32(1)) for cell in (0, 1, 1, 6))]
    found = [
        number for other, leaf in pairwise(leaves) for number in climb_apart(leaf, other, np.uint32(1), np.uint64(BASE))
    ]
    assert nodes(found) == [1, 2, 7]


def fewest(low: int, high: int, size: int) -> int:
    """How many nodes it takes: a node that lies within the range whose parent does not."""
    wanted = set(range(low, high + 1))
    within = {node for node in range(1, 2 * size) if wanted.issuperset(cells_of_node(node, size))}
    return sum(node // 2 not in within for node in within)


@given(st.data())
def test_no_cover_has_more_nodes_than_it_needs(data: st.DataObject) -> None:
    size = 1 << data.draw(st.integers(1, 6))
    low = data.draw(st.integers(0, size - 1))
    high = data.draw(st.integers(low, size - 1))
    assert len(covering(low, high, size)) == fewest(low, high, size)


def test_the_largest_tree_there_may_be() -> None:
    size = 1 << 31
    assert len(covering(1, size - 2, size)) <= MOST_COVERING
    assert climbed(size - 1, size)[-1] == 1
    assert len(climbed(0, size)) == longest_climb(np.array([4, size], np.uint32)) == 32


def test_the_climbs_of_ascending_cells_are_together_what_is_above_any_of_them() -> None:
    for cells in ([0, 1, 2], [0, 7], [3, 4], [5], list(range(8))):
        leaves = [NO_NODE, *(leaf_of(np.uint32(cell), np.uint32(8)) for cell in cells)]
        found = [
            number
            for other, leaf in pairwise(leaves)
            for number in climb_apart(leaf, other, np.uint32(8), np.uint64(BASE))
        ]
        assert len(found) == len(set(found))
        assert set(nodes(found)) == {node for cell in cells for node in climbed(cell, 8)}


def test_a_kernel_can_be_compiled_after_others_came_from_the_cache(tmp_path: Path) -> None:
    """A generator from the cache could not be gone through; see `compiled.generator`."""
    script = (
        "import numba, numpy\n"
        "from eligo.ranges.kernels.segment_tree_walks import climb, climb_apart, cover\n"
        "@numba.njit\n"
        "def count(one, other):\n"
        "    total = 0\n"
        "    for node in climb(one, other, one):\n"
        "        total += 1\n"
        "    for node in climb_apart(one, other, other, one):\n"
        "        total += 1\n"
        "    for node in cover(one, one, other, one):\n"
        "        total += 1\n"
        "    return total\n"
        "print(count(numpy.uint64(3), numpy.uint64(4)))"
    )
    for _ in range(3):  # the first makes the directory, the second names its sources and fills it
        found = subprocess.run(
            [sys.executable, "-W", "error", "-c", script],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert found.returncode == 0, found.stderr


def test_interpreted_walks_give_the_same() -> None:
    script = (
        "from eligo.ranges.kernels.segment_tree_walks import climb, cover\n"
        "print([*map(int, cover(1, 5, 8, 0))], [*map(int, climb(4, 8, 0))])\n"
        "print([*map(int, cover(1, 5, 1, 0))], [*map(int, climb(4, 1, 0))])"
    )
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.splitlines() == ["[9, 5, 6] [12, 6, 3, 1]", "[2, 3, 4, 5, 6] [5]"]
