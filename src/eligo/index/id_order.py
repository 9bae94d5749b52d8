"""Where is an id? By binary search over positions in the order of their ids, so that no object is made for each id."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo.data.expressions.expression_source import ExpressionId
from eligo.language.value import INT64_MAX, INT64_MIN
from eligo.sharing import once
from eligo.storage.packed_ids import are_numbers, id_numbers
from eligo.storage.string_array import string_views

WORTH_A_TABLE = 50
"""A table of so many ids is made in the time in which one of them is searched for."""


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
            offsets, texts = self._texts
            position_at = range(len(self._ids)) if order is None else order.data
            key = str(id).encode("utf-8", "surrogatepass")

            def text_at(position: int) -> bytes:
                return bytes(texts[offsets[position] : offsets[position + 1]])

            # UTF-8 is ordered as its characters are.
            place = bisect_left(position_at, key, key=text_at)
            is_there = place < len(self._ids) and text_at(position_at[place]) == key
        if not is_there:
            return None
        return place if order is None else int(order[place])

    def find_all(self, ids: Sequence[ExpressionId]) -> npt.NDArray[np.int64]:
        """The position of each id, or -1."""
        numbers = self._by_id().numbers
        kind = str if numbers is None else int
        if len(ids) * WORTH_A_TABLE < len(self._ids) or not all(isinstance(id, kind) for id in ids):
            found = [self.find(id) for id in ids]
            return np.array([-1 if position is None else position for position in found], np.int64)
        wanted = pa.array(ids, self._ids.type)
        positions = pc.index_in(wanted, value_set=self._ids).fill_null(-1)
        return np.array(positions, np.int64)

    @once
    def _texts(self) -> tuple[memoryview, memoryview]:
        """The ids when they are strings: their offsets, and all of their bytes."""
        offsets, texts = string_views(self._ids.cast(pa.large_string()))
        return offsets.data, texts.data
