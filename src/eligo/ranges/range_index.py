"""Which of my ranges contain this value? For numbers, dates, timestamps and texts, with ranges that may come and go.

    index = RangeIndex([10, 20, None], [25, 45, 40])        ranges 0: [10, 25]   1: [20, 45]   2: (-∞, 40]
    index.containing(20)                                    array([0, 1, 2], dtype=uint32)

Ranges are numbered as they come. Those of the beginning are built at once into a part; what is inserted waits in a
tail, of which a part is made once it is long. Of neighbours of like size one is made, so that there are few of
them: with n ranges, about log2(n / TAIL). Deleted ranges are passed over, and left out when parts are merged.

Threads may ask at the same time; who inserts, deletes or merges must be alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.arguments import number as finite_number
from eligo.arguments import one_of, whole_number
from eligo.errors import InputError, UnknownIdError, shown
from eligo.ranges.axis import Axis, column_of_one, joined, read_asked, wrong_kind
from eligo.ranges.choose import NAMES, Wish
from eligo.ranges.column import Column, Kind, of_one_kind, read_column
from eligo.ranges.range_part import GivenRanges, RangePart, build_part, concatenated, merged
from eligo.ranges.range_sets import FORMS
from eligo.ranges.range_stats import RangeStats

TAIL = 512
"""Inserted ranges that wait; more become a part."""
TAIL_WISH = Wish("interval_tree")
"""What is built again after each insert is what is built soonest."""
MOST_DEAD = 0.5
"""Share of deleted ranges from which on all parts are merged without them."""
LAST_NUMBER = 2**31 - 2
"""Ranges have numbers of 31 bits, which leaves a bit for which end of a range is meant."""

CLOSED = ("both", "left", "right", "neither")


class RangeRows(NamedTuple):
    """The ranges of several values: value v has `ranges[offsets[v]:offsets[v + 1]]`, ascending."""

    offsets: npt.NDArray[np.uint64]
    ranges: npt.NDArray[np.uint32]


class RangeIndex:
    """Ranges from starts to ends, and which of them contain a value.

    `starts` and `ends` are numpy or Arrow arrays or lists; None is a side without end, and a range whose start is
    behind its end contains nothing. `closed` says which ends belong to their ranges: "both", "left", "right" or
    "neither", or one of these words for each range. `structure` and `sets` name the structure and the form of its sets
    if they are not to be chosen; `churn` is how many ranges come or go for each question, which helps to choose.
    """

    def __init__(
        self,
        starts: Any,
        ends: Any,
        *,
        closed: Any = "both",
        structure: str = "auto",
        sets: str = "auto",
        churn: float = 0.0,
        min_cluster: int | None = None,
    ) -> None:
        self._wish = _read_wish(structure, sets, churn, min_cluster)
        given = read_ranges(starts, ends, closed)
        self._kind: Kind | None = given.kind
        self._num_numbers = len(given)
        self._num_dead = 0
        axis, cells = given.on_axis()
        self._parts = [build_part(axis, cells, None, self._wish)]
        self._tail: RangePart | None = None
        self._waiting: list[GivenRanges] = []
        self._num_waiting = 0

    def __len__(self) -> int:
        """Ranges that are not deleted."""
        return self._num_numbers - self._num_dead

    def __repr__(self) -> str:
        return f"<RangeIndex of {len(self):,} ranges, {self._parts[0].structure.name}>"

    def containing(self, value: Any) -> npt.NDArray[np.uint32]:
        """The numbers of the ranges that contain a value, ascending; none for None and NaN."""
        column = value if type(value) in (int, float) else self._column_of_one(value)
        found = []
        for part in self._asked_parts():
            cells = self._cells(part.axis, column)
            found.append(part.containing(cells)[1])
        return found[0] if len(found) == 1 else np.sort(np.concatenate(found))

    def containing_batch(self, values: Any) -> RangeRows:
        """For each value the numbers of the ranges that contain it, as compressed rows."""
        column = self._checked(read_asked(values))
        rows = [part.containing(part.axis.cells(column)) for part in self._asked_parts()]
        if len(rows) == 1:
            return RangeRows(*rows[0])
        lengths = np.sum([np.diff(offsets) for offsets, _ in rows], axis=0)
        owners = np.concatenate(
            [np.repeat(np.arange(len(column)), np.diff(offsets).astype(np.int64)) for offsets, _ in rows]
        )
        ranges = np.concatenate([numbers for _, numbers in rows])
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.uint64)
        return RangeRows(offsets, ranges[np.lexsort((ranges, owners))])

    def containing_bits(self, value: Any) -> npt.NDArray[np.uint64]:
        """The ranges that contain a value as a bit vector: bit r % 64 of word r // 64 is set for range r."""
        bits = np.zeros(64 * (-(-self._num_numbers // 64)), np.bool_)
        bits[self.containing(value)] = True
        return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)

    def count(self, value: Any) -> int:
        """How many ranges contain a value."""
        column = value if type(value) in (int, float) else self._column_of_one(value)
        return sum(int(part.counts(self._cells(part.axis, column))[0]) for part in self._asked_parts())

    def count_batch(self, values: Any) -> npt.NDArray[np.int64]:
        """For each value how many ranges contain it."""
        column = self._checked(read_asked(values))
        return _summed([part.counts(part.axis.cells(column)) for part in self._asked_parts()])

    def evaluations(self, values: Any) -> npt.NDArray[np.int64]:
        """For each value how many predicate evaluations finding its ranges takes, as Tatbul 2001 counts them."""
        column = self._checked(read_asked(values))
        return _summed([part.evaluations(part.axis.cells(column)) for part in self._asked_parts()])

    def insert(self, start: Any, end: Any, *, closed: str = "both") -> int:
        """Add a range, and return its number."""
        ends = column_of_one(start), column_of_one(end)
        return int(self.insert_batch(*ends, closed=one_of(closed, "closed", CLOSED))[0])

    def insert_batch(self, starts: Any, ends: Any, *, closed: Any = "both") -> npt.NDArray[np.uint32]:
        """Add ranges, and return their numbers."""
        given = read_ranges(starts, ends, closed)
        self._take_kind(given.kind)
        first = self._num_numbers
        _check_number(first + len(given))
        self._waiting += [given] if len(given) else []
        self._num_waiting += len(given)
        self._num_numbers += len(given)
        if self._num_waiting > TAIL:
            self._settle_tail()
        return np.arange(first, first + len(given), dtype=np.uint32)

    def delete(self, numbers: Any) -> None:
        """Remove a range by its number, or several; all of them must be there."""
        wanted = _read_numbers(numbers)
        unknown = wanted[~self._is_live(wanted)]
        if len(unknown):
            raise UnknownIdError(f"there is no range {int(unknown[0]):,}", help="it was deleted, or never inserted")
        distinct = np.unique(wanted)
        for part in self._asked_parts():
            places = part.places(distinct)
            if (places >= 0).any():
                part.kill(places[places >= 0])
        self._num_dead += len(distinct)
        stored = sum(part.num_ranges for part in self._asked_parts())
        if sum(part.num_dead for part in self._asked_parts()) > MOST_DEAD * stored:
            self.merge()

    def merge(self) -> None:
        """Make one part of all, without what was deleted."""
        self._settle_tail()
        self._parts = [merged(self._parts, self._wish)]

    def stats(self) -> RangeStats:
        """How large the index is, which structure answers, and why."""
        parts = self._asked_parts()
        return RangeStats.of(self._parts, parts[len(self._parts) :], self._kind, len(self))

    def _cells(self, axis: Axis, column: Any) -> npt.NDArray[np.uint32]:
        return axis.cells(column) if isinstance(column, Column) else np.array([axis.cell_of(column)], np.uint32)

    def _column_of_one(self, value: Any) -> Column:
        return self._checked(column_of_one(value))

    def _checked(self, column: Column) -> Column:
        """A column that ranges of this kind can contain."""
        is_other = column.kind != self._kind and column.kind is not None and self._kind is not None
        if is_other and {column.kind, self._kind} != {"int", "float"}:
            raise wrong_kind(str(self._kind), str(column.kind))
        return column

    def _take_kind(self, kind: Kind | None) -> None:
        """Become an index of this kind, or refuse it."""
        if kind is None or kind == self._kind:
            return
        if self._kind is None:
            self._kind = kind
        elif {kind, self._kind} != {"int", "float"}:
            raise InputError(f"a range of kind {kind} cannot be among those of kind {self._kind}")
        elif kind == "float":
            joined([*(part.axis for part in self._asked_parts()), Axis("float", np.zeros(0))])  # are all exact floats?
            self._kind = "float"

    def _asked_parts(self) -> list[RangePart]:
        return [*self._parts, self._tail_part()] if self._num_waiting else self._parts

    def _tail_part(self) -> RangePart:
        """The ranges that came since the last part was made."""
        if self._waiting:
            axis, cells = concatenated(self._waiting).on_axis()
            numbers = np.arange(self._num_numbers - len(cells.lows), self._num_numbers, dtype=np.uint32)
            newest = build_part(axis, cells, numbers, TAIL_WISH)
            self._tail = newest if self._tail is None else merged([self._tail, newest], TAIL_WISH)
            self._waiting = []
        assert self._tail is not None
        return self._tail

    def _settle_tail(self) -> None:
        """Make the tail a part like others."""
        if self._num_waiting:
            self._parts.append(merged([self._tail_part()], self._wish))
            self._tail, self._num_waiting = None, 0
            self._merge_neighbours()

    def _merge_neighbours(self) -> None:
        """Keep each part at least twice as large as the next."""
        while len(self._parts) > 1 and self._parts[-2].num_ranges < 2 * self._parts[-1].num_ranges:
            self._parts[-2:] = [merged(self._parts[-2:], self._wish)]

    def _is_live(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """For each number whether a range has it."""
        is_live = np.zeros(len(numbers), np.bool_)
        for part in self._asked_parts():
            places = part.places(numbers)
            found = places >= 0
            if len(part.is_dead):
                found[found] = ~part.is_dead[places[found]]
            is_live |= found
        return is_live


def read_ranges(starts: Any, ends: Any, closed: Any = "both") -> GivenRanges:
    """Ranges from what a caller gives."""
    columns = read_column(starts, "starts"), read_column(ends, "ends")
    kind, (of_starts, of_ends) = of_one_kind([(columns[0], "starts"), (columns[1], "ends")])
    if len(columns[0]) != len(columns[1]):
        raise InputError(f"there are {len(columns[0]):,} starts and {len(columns[1]):,} ends", help="give one of each")
    _check_number(len(columns[0]))
    return GivenRanges(kind, of_starts, of_ends, *_read_closed(closed, len(columns[0])))


def _summed(counted: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    total = np.zeros_like(counted[0])
    for each in counted:
        total += each
    return total


def _read_closed(closed: Any, num_ranges: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """For each range whether its start and its end belong to it."""
    if isinstance(closed, str):
        word = one_of(closed, "closed", CLOSED)
        return np.full(num_ranges, word in ("both", "left")), np.full(num_ranges, word in ("both", "right"))
    words = closed.to_pylist() if hasattr(closed, "to_pylist") else closed
    words = words.tolist() if isinstance(words, np.ndarray) else words
    if not isinstance(words, list | tuple) or len(words) != num_ranges:
        help = '"both", "left", "right" or "neither", or a list with one of them for each range'
        raise InputError(f"closed is a word, or one for each of {num_ranges:,} ranges, not {shown(closed)}", help=help)
    each = [one_of(word, "each of closed", CLOSED) for word in words]
    is_start, is_end = [word in ("both", "left") for word in each], [word in ("both", "right") for word in each]
    return np.array(is_start, np.bool_), np.array(is_end, np.bool_)


def _read_wish(structure: Any, sets: Any, churn: Any, min_cluster: Any) -> Wish:
    name = one_of(structure, "structure", NAMES)
    form = one_of(sets, "sets", FORMS)
    if name == "interval_tree" and form == "bits":
        raise InputError(
            'an "interval_tree" keeps no bits, because the order in its lists matters',
            help="leave sets out, or take another structure",
        )
    least = None if min_cluster is None else whole_number(min_cluster, "min_cluster", least=1)
    return Wish(name, form, finite_number(churn, "churn", least=0.0), least)  # type: ignore[arg-type]


def _read_numbers(numbers: Any) -> npt.NDArray[np.int64]:
    if isinstance(numbers, list | tuple | np.ndarray | range) and np.ndim(np.asarray(numbers, object)) == 1:
        return np.array([whole_number(each, "each of numbers", least=0) for each in numbers], np.int64)
    return np.array([whole_number(numbers, "numbers", least=0)], np.int64)


def _check_number(number: int) -> None:
    if number > LAST_NUMBER:
        raise InputError(f"an index numbers {LAST_NUMBER:,} ranges at most, not {number:,}")
