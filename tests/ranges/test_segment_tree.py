"""Which trees do axes have, and which cells are below a node?"""

from __future__ import annotations

import numpy as np
import pytest

from eligo.ranges.segment_tree import cells_of_node, tree_bases, tree_sizes


def test_a_tree_has_a_power_of_two_of_leaves() -> None:
    assert tree_sizes(np.array([1, 2, 3, 4, 5, 1000], np.int64)).tolist() == [1, 2, 4, 4, 8, 1024]


def test_the_trees_of_axes_are_numbered_one_behind_another() -> None:
    sizes, num_cells = np.array([1, 8, 2], np.int64), np.array([1, 5, 2], np.int64)
    assert tree_bases(sizes, num_cells, 100).tolist() == [100, 102, 118, 122]
    assert tree_bases(np.zeros(0, np.int64), np.zeros(0, np.int64), 7).tolist() == [7]


def test_cells_that_stand_alone_have_a_node_each_behind_node_0() -> None:
    sizes, num_cells = np.array([4, 1, 4], np.int64), np.array([3, 5, 3], np.int64)
    assert tree_bases(sizes, num_cells, 100).tolist() == [100, 108, 114, 122]
    assert [cells_of_node(node, 1) for node in (1, 5)] == [range(0, 1), range(4, 5)]


@pytest.mark.parametrize(
    ("node", "cells"), [(1, range(0, 8)), (3, range(4, 8)), (5, range(2, 4)), (6, range(4, 6)), (9, range(1, 2))]
)
def test_the_cells_below_the_nodes_of_the_drawing(node: int, cells: range) -> None:
    assert cells_of_node(node, 8) == cells


def test_the_cells_of_a_node_are_those_of_its_two_halves() -> None:
    for node in range(1, 16):
        below = [*cells_of_node(2 * node, 16), *cells_of_node(2 * node + 1, 16)]
        assert list(cells_of_node(node, 16)) == below
