"""What do predicates name? Distinct names, strings and points, as flat columns that the loops share.

A *point* is an attribute with a value: what an event can have, or where a range can end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

KIND_BITS = 8
"""A point's owner is its attribute, shifted by these, and its kind; a predicate's has its class there."""
KIND_MASK = (1 << KIND_BITS) - 1


class Texts(NamedTuple):
    """Distinct byte strings, in the order of first use."""

    offsets: npt.NDArray[np.int64]
    """Text i is data[offsets[i] : offsets[i + 1]]."""
    data: npt.NDArray[np.uint8]


class Points(NamedTuple):
    """Distinct points, in the order of first use: an attribute with a value, or with a node of an `under`."""

    owners: npt.NDArray[np.uint64]
    """For each point: its attribute, shifted by `KIND_BITS`, and its kind."""
    highs: npt.NDArray[np.int64]
    """For each point: the value's high part (see `encoded_value`); for STRING and UNDER_NODE the string's number."""
    lows: npt.NDArray[np.float64]
    """For each point: the low part."""


class Operands(NamedTuple):
    """The predicates of parsed texts in terms of attributes and points; rows are those of the postfix form.

    Rows of connectives, and of texts that were not asked for, hold nothing of meaning.
    """

    node_attribute: npt.NDArray[np.uint32]
    """For each node that is a predicate: its attribute, by first use."""
    operand_point: npt.NDArray[np.uint32]
    """For each operand: its point; NONE for a member that is in its list already."""
    weight_bits: npt.NDArray[np.uint64]
    """For each operand: the bits of its weight; for a member of a list the largest that the list gives it."""
    true_points: npt.NDArray[np.uint32]
    """For each attribute: the point (attribute, true) if its name stands alone somewhere, else NONE."""
