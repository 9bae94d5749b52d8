"""What is kept of a tree once it is labelled? Which leaves each conjunction is, and the expression of each leaf.

The paper's database of conjunction annotations. Leaves are numbered by expression and, within one, by label; equal
conjunctions of all expressions are one, with a list of the leaves that it is: pairs of an expression and a label.

    0  a and b or c      leaf  0  1    conjunctions  0: a b  1: c      leaf_offsets  0 2 3     leaves  0 2  1
    1  b and a                 2                                       expression_of_leaf  0 0 1
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Annotations(NamedTuple):
    """Where conjunctions occur, without the labels."""

    leaf_offsets: npt.NDArray[np.uint32]
    """Conjunction c is the leaves `leaves[leaf_offsets[c]:leaf_offsets[c + 1]]`, ascending."""
    leaves: npt.NDArray[np.uint32]
    expression_of_leaf: npt.NDArray[np.uint32]
    """For each leaf: its expression, ascending."""
    num_expressions: npt.NDArray[np.uint32]
    """How many expressions there are: one number."""
