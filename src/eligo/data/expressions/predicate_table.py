"""What hits each predicate, in flat arrays? Keys and ranges of cells, beside the weights they score.

p0: state in ('CA'^3, 'NY')       keys 2 3, weights 3 1              (keys and cells of the example in `vocabulary`)
p1: age between 18 and 24         axis 0, cells 1 to 3, weight 1

key_offsets  0 2 2    keys 2 3       key_weights 3 1
range_offsets 0 0 1   range_axis 0   range_low 1   range_high 3   range_weights 1
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.kernels.hashing import NONE

NO_KEY = int(NONE)


class PredicateTable(NamedTuple):
    """Distinct predicates; predicate p is hit when the event has one of its keys or a cell in one of its ranges.

    All arrays are read-only. A predicate without keys and ranges, such as `a in ()`, is never hit.
    """

    attribute_of_predicate: npt.NDArray[np.uint32]
    """For each predicate: its attribute, whose number is also the key of being present."""
    is_set_of_predicate: npt.NDArray[np.uint8]
    """For each predicate: 1 when every hit key adds its weight to the score, 0 when the largest hit counts."""
    key_offsets: npt.NDArray[np.uint64]
    """Predicate p has the keys key_offsets[p] : key_offsets[p + 1]."""
    keys: npt.NDArray[np.uint32]
    """For each predicate: its keys, ascending and distinct."""
    key_weights: npt.NDArray[np.float64]
    """For each of these keys: its weight in the expression."""
    range_offsets: npt.NDArray[np.uint64]
    """Predicate p has the ranges range_offsets[p] : range_offsets[p + 1]."""
    range_axis: npt.NDArray[np.uint32]
    """For each range: its axis; ascending for each predicate."""
    range_low: npt.NDArray[np.uint32]
    """For each range: its first cell."""
    range_high: npt.NDArray[np.uint32]
    """For each range: its last cell, at or above the first."""
    range_weights: npt.NDArray[np.float64]
    """For each range: its weight in the expression."""

    @property
    def num_predicates(self) -> int:
        return len(self.attribute_of_predicate)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The named arrays that `from_arrays` takes back."""
        return self._asdict()

    def take(self, predicates: npt.NDArray[np.int64]) -> PredicateTable:
        """A table of some of the predicates, in their order."""
        columns: list[npt.NDArray[Any]] = [
            self.attribute_of_predicate[predicates],
            self.is_set_of_predicate[predicates],
        ]
        lists = ((self.key_offsets, self[3:5]), (self.range_offsets, self[6:]))
        for offsets, rows in lists:
            firsts = offsets[predicates].astype(np.int64)
            places, bounds = places_of_ranges(firsts, offsets[predicates + 1].astype(np.int64))
            columns += [bounds.astype(np.uint64), *(column[places] for column in rows)]
        return PredicateTable(*read_only_arrays(columns))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> PredicateTable:
        """A table over arrays as they are, also memory-mapped ones."""
        return cls(*read_only_arrays(arrays[name] for name in cls._fields))


def places_of_ranges(
    firsts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The numbers of several ranges one after another, and where each range begins among them."""
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(ends - firsts)])
    return np.arange(bounds[-1]) + np.repeat(firsts - bounds[:-1], np.diff(bounds)), bounds


def offsets_of(lengths: Sequence[int] | npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """Where each of several lists begins when they stand one after another, and where the last ends."""
    offsets = np.zeros(len(lengths) + 1, np.uint64)
    np.cumsum(np.asarray(lengths, np.uint64), out=offsets[1:])
    return offsets
