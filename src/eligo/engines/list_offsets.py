"""Where do lists begin that stand one after another? At offsets of 32 bits, which are enough for one shard."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.vocabulary import Vocabulary
from eligo.errors import ShardTooLargeError
from eligo.kernels.hashing import NONE

MOST_ITEMS = 2**32 - 1
"""Items that offsets of 32 bits can count."""


def axis_attributes(vocabulary: Vocabulary) -> list[int]:
    """The attribute of each axis."""
    axes = vocabulary.data.attribute_axes
    kinds = len(axes) // max(1, vocabulary.num_attributes)
    owner = {int(axis): place // kinds for place, axis in enumerate(axes) if axis != NONE}
    return [owner[axis] for axis in range(vocabulary.num_axes)]


def check_number(number: int, most: int) -> None:
    """Refuse what 32-bit numbers cannot count: it would come out wrong."""
    if number > most:
        raise ShardTooLargeError(
            f"{number:,} nodes, keys or entries are more than a shard can hold",
            help="build several shards, with fewer expressions in each",
        )


def offsets_of(counts: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """Where each of several lists begins when they stand one after another, and where the last ends."""
    check_number(int(np.sum(counts, dtype=np.int64)), MOST_ITEMS)
    offsets = np.zeros(len(counts) + 1, np.uint32)
    np.cumsum(counts, out=offsets[1:])
    return offsets
