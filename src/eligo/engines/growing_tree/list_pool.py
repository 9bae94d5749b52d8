"""How do a million short lists grow and shrink in flat arrays? As blocks of powers of two, reused through free lists.

    owner        0        1     2                   place   0  1  2  3  4  5  6  7
    start        0        4     6                   items   7  9  3  .  5  8  2  .
    count        3        2     1                           0: 7 9 3    1: 5 8   2: 2

A list that outgrows its block moves to one of twice the size, and its old block waits for a list of that size.
Kernels read the arrays; Python reads single numbers through memory views, which give plain ints and are twice as quick.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")


def grown(array: npt.NDArray[Any], size: int, fill: int | float = 0) -> npt.NDArray[Any]:
    """A longer copy of an array."""
    longer = np.full((size, *array.shape[1:]), fill, array.dtype)
    longer[: len(array)] = array
    return longer


def copied_arrays(original: T) -> T:
    """An object with copies of the arrays of another; all else is shared, and views are not there yet."""
    twin = object.__new__(type(original))
    for name, value in vars(original).items():
        if not isinstance(value, memoryview):
            setattr(twin, name, value.copy() if isinstance(value, np.ndarray) else value)
    return twin


def number_view(array: Any) -> memoryview:
    """A view that reads and writes plain numbers."""
    return memoryview(array)


class Numbers:
    """Hands out the lowest numbers, and those given back again."""

    def __init__(self) -> None:
        self.end = 0
        """One more than the largest number ever handed out."""
        self._free: list[int] = []

    def take(self) -> int:
        if self._free:
            return self._free.pop()
        self.end += 1
        return self.end - 1

    def give(self, number: int) -> None:
        self._free.append(number)

    def copy(self) -> Numbers:
        twin = Numbers()
        twin.end, twin._free = self.end, self._free.copy()
        return twin

    def __len__(self) -> int:
        return self.end - len(self._free)


class ListPool:
    """Lists by the number of their owner; the lists of all owners that were never given one are empty."""

    def __init__(self, *beside: npt.NDArray[Any]) -> None:
        self.items = np.zeros(16, np.uint32)
        """The items of all lists."""
        self.beside = [grown(array, 16) for array in beside]
        """Arrays that say more of each item, and move with it."""
        self.start = np.zeros(4, np.uint32)
        """For each owner: where its block begins."""
        self.count = np.zeros(4, np.uint32)
        """For each owner: the items of its list."""
        self._room = np.zeros(4, np.uint32)
        """For each owner: the places of its block, a power of two; 0 when it has none."""
        self._end = 0
        self._free: dict[int, list[int]] = {}
        """The starts of free blocks, by their places."""
        self._look()

    def copy(self) -> Self:
        """The same lists in other arrays."""
        twin = copied_arrays(self)
        twin.beside = [array.copy() for array in self.beside]
        twin._free = {room: starts.copy() for room, starts in self._free.items()}
        twin._look()
        return twin

    def _look(self) -> None:
        self.starts, self.counts, self.rooms = map(number_view, (self.start, self.count, self._room))
        self.places = number_view(self.items)

    def cover(self, owner: int) -> None:
        """Make room for an owner."""
        if owner >= len(self.start):
            size = max(2 * len(self.start), owner + 1)
            self.start, self.count, self._room = (grown(array, size) for array in (self.start, self.count, self._room))
            self._look()

    def _take(self, room: int) -> int:
        free = self._free.get(room)
        if free:
            return free.pop()
        start = self._end
        self._end += room
        if self._end > len(self.items):
            size = max(2 * len(self.items), self._end)
            self.items, *self.beside = (grown(array, size) for array in (self.items, *self.beside))
            self._look()
        return start

    def reserve(self, owner: int, num_items: int) -> None:
        """Give an owner a block for at least so many items; what it has is kept."""
        self.cover(owner)
        room = self.rooms[owner]
        if num_items <= room:
            return
        start = self._take(1 << (num_items - 1).bit_length())
        if room:
            old, count = self.starts[owner], self.counts[owner]
            for array in (self.items, *self.beside):
                array[start : start + count] = array[old : old + count]
            self._free.setdefault(room, []).append(old)
        self.starts[owner] = start
        self.rooms[owner] = 1 << (num_items - 1).bit_length()

    def append(self, owner: int, value: int) -> None:
        """Add an item at the end."""
        self.cover(owner)
        count = self.counts[owner]
        if count == self.rooms[owner]:
            self.reserve(owner, count + 1)
        self.places[self.starts[owner] + count] = value
        self.counts[owner] = count + 1

    def insert(self, owner: int, index: int, value: int) -> int:
        """Add an item before the one at `index`; returns its place in the arrays."""
        self.append(owner, value)
        place, end = self.starts[owner] + index, self.starts[owner] + self.counts[owner]
        for array in (self.items, *self.beside):
            array[place + 1 : end] = array[place : end - 1].copy()
        self.places[place] = value
        return place

    def put(self, owner: int, values: Sequence[int]) -> None:
        """Replace a list."""
        if not values:
            self.clear(owner)
            return
        self.reserve(owner, len(values))
        start = self.starts[owner]
        self.items[start : start + len(values)] = values
        self.counts[owner] = len(values)

    def drop(self, owner: int, index: int) -> None:
        """Take an item out of a list that has nothing beside it; the last one moves into its place."""
        count = self.counts[owner] - 1
        start = self.starts[owner]
        self.places[start + index] = self.places[start + count]
        self._shorten(owner, count)

    def _shorten(self, owner: int, count: int) -> None:
        self.counts[owner] = count
        if not count:
            self.clear(owner)

    def clear(self, owner: int) -> None:
        """Empty a list and give its block back."""
        if owner < len(self.start) and self.rooms[owner]:
            self._free.setdefault(self.rooms[owner], []).append(self.starts[owner])
            self.counts[owner] = self.rooms[owner] = 0

    def length(self, owner: int) -> int:
        """The items of a list, counted."""
        return self.counts[owner] if owner < len(self.start) else 0

    def values(self, owner: int) -> list[int]:
        """The items of a list."""
        if owner >= len(self.start):
            return []
        start = self.starts[owner]
        return self.places[start : start + self.counts[owner]].tolist()

    def find(self, owner: int, value: int, first: int = 0, last: int | None = None) -> int:
        """Where a value stands in a list, between two indices."""
        start = self.starts[owner]
        begin, end = start + first, start + (self.counts[owner] if last is None else last)
        if end - begin > 200:
            places = np.flatnonzero(self.items[begin:end] == value)
            if not len(places):
                raise ValueError(f"{value} is not in the list of {owner}")
            return first + int(places[0])
        return first + self.places[begin:end].tolist().index(value)

    def arrays(self) -> list[npt.NDArray[Any]]:
        """All arrays, for counting bytes."""
        return [self.start, self.count, self._room, self.items, *self.beside]
