"""Which of my ranges contain this value? For numbers, dates, timestamps and texts, with ranges that may come and go.

    index = RangeIndex([10, 20, None], [25, 45, 40])        ranges 0: [10, 25]   1: [20, 45]   2: (-∞, 40]
    index.containing(20)                                    array([0, 1, 2], dtype=uint32)

Ranges are numbered as they come. Those of the beginning are built at once into a part.

    insert ─▶ fresh, up to 64, read through ─▶ tail, up to 512, an interval tree ─▶ part ─▶ merged with one of like size

So there are few parts, with n ranges about log2(n / TAIL), and a range is built about as often. Deleted ranges are
noted in the part that has them and passed over, whatever its structure; they are left out when parts are merged.

Threads may ask at the same time if nothing was inserted since; who inserts, deletes or merges must be alone.
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
from eligo.ranges.column import Column, Kind, as_floats, of_one_kind, read_column
from eligo.ranges.fresh_ranges import MOST_FRESH, FreshRanges, plain_value
from eligo.ranges.range_part import GivenRanges, RangePart, build_part, merged
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
        self._fresh = FreshRanges()

    def __len__(self) -> int:
        """Ranges that are not deleted."""
        return self._num_numbers - self._num_dead

    def __repr__(self) -> str:
        return f"<RangeIndex of {len(self):,} ranges, {self._parts[0].structure.name}>"

    def containing(self, value: Any) -> npt.NDArray[np.uint32]:
        """The numbers of the ranges that contain a value, ascending; none for None and NaN."""
        column = self._column_of_one(value)
        found = [part.containing(self._cells(part.axis, column))[1] for part in self._built_parts()]
        if len(self._fresh):
            found.append(np.array(self._fresh.containing(self._plain(column)), np.uint32))
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
        column = self._column_of_one(value)
        built = sum(int(part.counts(self._cells(part.axis, column))[0]) for part in self._built_parts())
        return built + (len(self._fresh.containing(self._plain(column))) if len(self._fresh) else 0)

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
        given = self._of_this_kind(read_ranges(*ends, one_of(closed, "closed", CLOSED)))
        _check_number(self._num_numbers + 1)
        self._fresh.add(self._num_numbers, given)
        self._num_numbers += 1
        if len(self._fresh) >= MOST_FRESH:
            self._build_fresh()
        return self._num_numbers - 1

    def insert_batch(self, starts: Any, ends: Any, *, closed: Any = "both") -> npt.NDArray[np.uint32]:
        """Add ranges, and return their numbers."""
        given = self._of_this_kind(read_ranges(starts, ends, closed))
        first = self._num_numbers
        _check_number(first + len(given))
        numbers = np.arange(first, first + len(given), dtype=np.uint32)
        self._build_fresh()
        self._num_numbers += len(given)
        self._grow_tail(given, numbers)
        return numbers

    def delete(self, numbers: Any) -> None:
        """Remove a range by its number, or several; all of them must be there."""
        wanted = _read_numbers(numbers)
        unknown = wanted[~self._is_live(wanted)]
        if len(unknown):
            raise UnknownIdError(f"there is no range {int(unknown[0]):,}", help="it was deleted, or never inserted")
        distinct = np.unique(wanted)
        self._fresh.remove(set(distinct.tolist()))
        for part in self._built_parts():
            places = part.places(distinct)
            if (places >= 0).any():
                part.kill(places[places >= 0])
        self._num_dead += len(distinct)
        stored = sum(part.num_ranges for part in self._built_parts())
        if sum(part.num_dead for part in self._built_parts()) > MOST_DEAD * stored:
            self.merge()

    def merge(self) -> None:
        """Make one part of all, without what was deleted."""
        self._build_fresh()
        self._settle_tail()
        self._parts = [merged(self._parts, self._wish)]

    def stats(self) -> RangeStats:
        """How large the index is, which structure answers, and why."""
        tail = self._asked_parts()[len(self._parts) :]
        return RangeStats.of(self._parts, tail, self._kind, len(self))

    def _cells(self, axis: Axis, column: Any) -> npt.NDArray[np.uint32]:
        return axis.cells(column) if isinstance(column, Column) else np.array([axis.cell_of(column)], np.uint32)

    def _column_of_one(self, value: Any) -> Any:
        """A value as a column; one of the commonest kinds stays as it is."""
        is_number = type(value) in (int, float) and self._kind in ("int", "float")
        return value if is_number and -(2**63) <= value < 2**63 else self._checked(column_of_one(value))

    def _plain(self, column: Any) -> Any:
        """A value as Python's number or text, None if it is missing."""
        return plain_value(column) if isinstance(column, Column) else column

    def _checked(self, column: Column) -> Column:
        """A column that ranges of this kind can contain."""
        is_other = column.kind != self._kind and column.kind is not None and self._kind is not None
        if is_other and {column.kind, self._kind} != {"int", "float"}:
            raise wrong_kind(str(self._kind), str(column.kind))
        return column

    def _of_this_kind(self, given: GivenRanges) -> GivenRanges:
        """Ranges that can be among those that are there; an index of whole numbers becomes one of floats with them."""
        if given.kind is None or given.kind == self._kind:
            return given
        if self._kind is None:
            self._kind = given.kind
        elif {given.kind, self._kind} != {"int", "float"}:
            raise InputError(f"a range of kind {given.kind} cannot be among those of kind {self._kind}")
        elif given.kind == "int":
            ends = [as_floats(column, "the range") for column in (given.starts, given.ends)]
            return GivenRanges("float", ends[0], ends[1], given.is_start_closed, given.is_end_closed)
        else:
            joined([*(part.axis for part in self._asked_parts()), Axis("float", np.zeros(0))])  # are all exact floats?
            self._kind = "float"
        return given

    def _built_parts(self) -> list[RangePart]:
        """All but the fresh ranges."""
        return self._parts if self._tail is None else [*self._parts, self._tail]

    def _asked_parts(self) -> list[RangePart]:
        """All, the fresh ranges built."""
        self._build_fresh()
        return self._built_parts()

    def _build_fresh(self) -> None:
        if len(self._fresh):
            self._grow_tail(*self._fresh.take_all(self._kind))

    def _grow_tail(self, given: GivenRanges, numbers: npt.NDArray[np.uint32]) -> None:
        """Put ranges into the tail, and make it a part like others once it is long."""
        if not len(given):
            return
        newest = build_part(*given.on_axis(), numbers, TAIL_WISH)
        self._tail = newest if self._tail is None else merged([self._tail, newest], TAIL_WISH)
        if self._tail.num_ranges > TAIL:
            self._settle_tail()

    def _settle_tail(self) -> None:
        if self._tail is not None:
            self._parts.append(merged([self._tail], self._wish))
            self._tail = None
            self._merge_neighbours()

    def _merge_neighbours(self) -> None:
        """Keep each part at least twice as large as the next."""
        while len(self._parts) > 1 and self._parts[-2].num_ranges < 2 * self._parts[-1].num_ranges:
            self._parts[-2:] = [merged(self._parts[-2:], self._wish)]

    def _is_live(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """For each number whether a range has it."""
        is_live = np.isin(numbers, self._fresh.numbers())
        for part in self._built_parts():
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
