"""What must a vocabulary hold for distinct predicates? Points, each with what it is used for, and their companions.

A companion is a bound that follows from a prefix or from a date node:

    name starts with 'Jo'      point 'Jo'             companion 'Jp', where the range ends
    day under '2024/01'        point node '2024/01'   companions first and last day, first and last microsecond
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.data.encoded_value import MICROSECONDS_IN_DAY
from eligo.data.expressions.kernels.points import KIND_BITS, KIND_MASK, Points, Texts
from eligo.data.expressions.kernels.register_predicates import DistinctPredicates, find_date_nodes
from eligo.kernels import codes
from eligo.kernels.running import Running

IS_TEXT = np.isin(np.arange(256), (codes.STRING, codes.UNDER_NODE))
"""By kind of point: whether its value is a string."""
_KEY_CLASSES = np.isin(np.arange(256), (codes.IN, codes.UNDER))
_RANGE_CLASSES = np.isin(np.arange(256), range(codes.LESS, codes.BETWEEN + 1))
_PREFIX_CLASSES = np.arange(256) == codes.STARTS_WITH
"""By class of predicate: whether its points need keys, end ranges, or are prefixes."""


class UsedPoints(NamedTuple):
    """The points of distinct predicates and, after them, their companions."""

    attributes: npt.NDArray[np.int64]
    """For each point: its attribute, by first use."""
    kinds: npt.NDArray[np.int64]
    """For each point: its value kind, or UNDER_NODE."""
    highs: npt.NDArray[np.int64]
    """For each point: the value's high part; a string's number where the kind is one of text."""
    lows: npt.NDArray[np.float64]
    """For each point: the low part."""
    is_entry: npt.NDArray[np.bool_]
    """For each point: whether it needs a key."""
    is_bound: npt.NDArray[np.bool_]
    """For each point: whether a range ends there."""
    is_prefix: npt.NDArray[np.bool_]
    """For each point: whether it is the operand of a `starts with`, perhaps an empty one, which has no end."""
    companions: npt.NDArray[np.int64]
    """For each point: its first companion, or -1."""


def binary_array(texts: Texts) -> pa.LargeBinaryArray:
    """Texts as Arrow takes them, over the same memory."""
    buffers = [None, pa.py_buffer(texts.offsets), pa.py_buffer(texts.data)]
    return pa.Array.from_buffers(pa.large_binary(), len(texts.offsets) - 1, buffers, null_count=0)


def texts_of(array: pa.LargeBinaryArray) -> Texts:
    """The offsets and the bytes of an Arrow array without nulls, from its first byte on."""
    if not len(array):
        return Texts(np.zeros(1, np.int64), np.zeros(0, np.uint8))
    _, offset_buffer, data_buffer = array.buffers()
    offsets = np.frombuffer(offset_buffer, np.int64)[array.offset : array.offset + len(array) + 1]
    first, last = int(offsets[0]), int(offsets[-1])
    data = np.frombuffer(data_buffer, np.uint8)[first:last] if last > first else np.zeros(0, np.uint8)
    return Texts(offsets - first, data)


def used_points(
    predicates: DistinctPredicates,
    points: Points,
    strings: Texts,
    running: Running,
    holds_dates: npt.NDArray[np.bool_],
) -> tuple[UsedPoints, pa.LargeBinaryArray]:
    """What the predicates use, and all strings of it, those of companions after the ones given.

    `holds_dates` says for each attribute by first use whether its values may be dates or timestamps.
    """
    num_points = len(points.owners)
    class_of_place = np.repeat(predicates.classes, np.diff(predicates.offsets))

    def used_by(is_chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        is_used = np.zeros(num_points, np.bool_)
        is_used[predicates.points[is_chosen[class_of_place]]] = True
        return is_used

    named = UsedPoints(
        (points.owners >> np.uint64(KIND_BITS)).astype(np.int64),
        (points.owners & np.uint64(KIND_MASK)).astype(np.int64),
        points.highs,
        points.lows,
        used_by(_KEY_CLASSES),
        used_by(_RANGE_CLASSES),
        used_by(_PREFIX_CLASSES),
        np.full(num_points, -1, np.int64),
    )
    all_strings = binary_array(strings)
    ends = pa.array([], pa.large_binary())
    if named.is_prefix.any():
        named, ends = _with_prefix_ends(named, all_strings)
    nodes = np.flatnonzero(named.is_entry & (named.kinds == codes.UNDER_NODE) & holds_dates[named.attributes])
    if len(nodes):
        named = _with_date_nodes(named, nodes, all_strings, running)
    return named, pa.concat_arrays([all_strings, ends]) if len(ends) else all_strings


def _with_prefix_ends(named: UsedPoints, strings: pa.LargeBinaryArray) -> tuple[UsedPoints, pa.LargeBinaryArray]:
    """The points with the ends of prefixes, and the strings of these."""
    prefixes = np.flatnonzero(named.is_prefix)
    offsets, data = texts_of(strings.take(pa.array(named.highs[prefixes])))
    is_bounded = np.diff(offsets) > 0
    prefixes = prefixes[is_bounded]
    raised = data.copy()
    raised[offsets[1:][is_bounded] - 1] += 1  # UTF-8 has no byte 255
    ends = binary_array(Texts(offsets, raised)).filter(pa.array(is_bounded))
    named.is_bound[prefixes] = True
    numbers = len(strings) + np.arange(len(prefixes))
    return _with_companions(named, prefixes, [(codes.STRING, numbers)]), ends


def _with_date_nodes(
    named: UsedPoints, nodes: npt.NDArray[np.int64], strings: pa.LargeBinaryArray, running: Running
) -> UsedPoints:
    """The points with the first and last day and microsecond of those nodes that are dates."""
    offsets, data = texts_of(strings.take(pa.array(named.highs[nodes])))
    first_room, last_room = running.room(len(nodes), np.int64), running.room(len(nodes), np.int64)
    running.loop(find_date_nodes)(running.given(offsets), running.bytes(data), first_room, last_room)
    first_days, last_days = running.array(first_room, np.int64), running.array(last_room, np.int64)
    is_date = first_days <= last_days
    first, last = first_days[is_date], last_days[is_date]
    moments = [first * MICROSECONDS_IN_DAY, (last + 1) * MICROSECONDS_IN_DAY - 1]
    values = [(codes.DATE, first), (codes.DATE, last), *((codes.TIMESTAMP, moment) for moment in moments)]
    return _with_companions(named, nodes[is_date], values)


def _with_companions(
    named: UsedPoints, owners: npt.NDArray[np.int64], values: list[tuple[int, npt.NDArray[np.int64]]]
) -> UsedPoints:
    """The points with several new bounds, side by side, for each of `owners`; `values` has their kinds and highs."""
    count = len(owners) * len(values)
    companions = np.concatenate([named.companions, np.full(count, -1, np.int64)])
    companions[owners] = len(named.kinds) + len(values) * np.arange(len(owners))
    nothing = np.zeros(count, np.bool_)
    return UsedPoints(
        np.concatenate([named.attributes, np.repeat(named.attributes[owners], len(values))]),
        np.concatenate([named.kinds, np.tile([kind for kind, _ in values], len(owners)).astype(np.int64)]),
        np.concatenate([named.highs, np.stack([highs for _, highs in values], axis=1).ravel()]),
        np.concatenate([named.lows, np.zeros(count)]),
        np.concatenate([named.is_entry, nothing]),
        np.concatenate([named.is_bound, ~nothing]),
        np.concatenate([named.is_prefix, nothing]),
        companions,
    )
