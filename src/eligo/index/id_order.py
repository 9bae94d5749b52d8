"""Where is an id? By binary search over positions in the order of their ids, so that no object is made for each id."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo.data.expressions.expression_source import ExpressionId
from eligo.language.value import INT64_MAX, INT64_MIN
from eligo.storage.packed_ids import are_numbers, id_numbers


class SortedIds(NamedTuple):
    """Ids in their order."""

    numbers: npt.NDArray[np.int64] | None
    """The ids ascending where they are ints."""
    order: npt.NDArray[np.uint64] | None
    """Positions by ascending id; None where ids ascend already."""


class IdOrder:
    """The positions of distinct ids, by id; sorted when the first one is looked up."""

    def __init__(self, ids: pa.Array) -> None:
        self._ids = ids
        self._sorted: SortedIds | None = None  # not a cached property, whose lock all instances share in Python 3.11

    def _by_id(self) -> SortedIds:
        if self._sorted is None:
            ids = self._ids
            ascends = len(ids) < 2 or pc.all(pc.less(ids[:-1], ids[1:])).as_py()
            order = None if ascends else pc.sort_indices(ids).to_numpy()
            numbers = id_numbers(ids)
            self._sorted = SortedIds(numbers if order is None or numbers is None else numbers[order], order)
        return self._sorted

    def prepare(self) -> None:
        """Sort now, so that no caller of `find` waits for it."""
        self.find(0 if are_numbers(self._ids) else "")

    def find(self, id: ExpressionId) -> int | None:
        """The position of an id, or None."""
        numbers, order = self._by_id()
        if isinstance(id, int) != (numbers is not None):
            return None
        if numbers is not None and isinstance(id, int):
            if not INT64_MIN <= id <= INT64_MAX:
                return None
            place = int(np.searchsorted(numbers, id))
            is_there = place < len(numbers) and int(numbers[place]) == id
        else:
            ids = self._ids
            position_at = range(len(ids)) if order is None else order
            place = bisect_left(position_at, id, key=lambda position: ids[int(position)].as_py())
            is_there = place < len(ids) and ids[int(position_at[place])].as_py() == id
        if not is_there:
            return None
        return place if order is None else int(order[place])
