"""Which documents does a base keep? The last so many, those not older than so much, those that satisfy an expression.

A rule that is not given lets everything stay; with several, a document stays that all of them let stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.arguments import whole_number
from eligo.data.encoded_value import MICROSECOND
from eligo.errors import InputError, shown
from eligo.joins.base_state import State
from eligo.joins.find import satisfying, tree_about_documents
from eligo.joins.segment import Mask, Segment
from eligo.language.duration import duration_text, parse_duration
from eligo.language.evaluate import Missing, truths
from eligo.language.tree import Expression
from eligo.language.value import Scalar

POLICY: Missing = "unknown"
"""What `keep_if` says of a document without an attribute; what is not true is not kept."""


class KeepRules(NamedTuple):
    """The rules of a base."""

    keep_last: int | None
    keep_for: timedelta | None
    keep_if: Expression | None

    @classmethod
    def of(cls, keep_last: Any, keep_for: Any, keep_if: Any) -> KeepRules:
        """The rules as a caller gave them, checked."""
        return cls(
            None if keep_last is None else whole_number(keep_last, "keep_last", least=0),
            None if keep_for is None else _duration(keep_for),
            None if keep_if is None else tree_about_documents(keep_if),
        )

    def keeps(self, attributes: Mapping[str, tuple[Scalar, ...]]) -> bool:
        """Whether the expression lets a new document stay."""
        return self.keep_if is None or truths(self.keep_if, attributes, POLICY)[id(self.keep_if)] is True

    def kept(self, segment: Segment) -> Mask | None:
        """The documents that the expression lets stay; None for all."""
        if self.keep_if is None:
            return None
        is_kept = satisfying(segment, self.keep_if, POLICY, None)
        return None if is_kept.all() else is_kept

    def outlived(self, state: State, now: int, *, everything: bool = False) -> npt.NDArray[np.int64]:
        """The numbers, ascending, of documents of a state that are too old or too many; `now` in microseconds.

        With `everything` the expression is asked as well, of all documents.
        """
        found = [np.zeros(0, np.int64)]
        if self.keep_last is None and self.keep_for is None and not everything:
            return found[0]
        if self.keep_for is not None:
            found.append(_older(state, now - self.keep_for // MICROSECOND))
        if everything and self.keep_if is not None:
            for entry in state.sealed:
                is_kept = self.kept(entry.segment)
                if is_kept is not None:
                    found.append(entry.numbers()[~is_kept[entry.living_rows()]])
        gone = np.unique(np.concatenate(found))
        if self.keep_last is None or state.num_documents - len(gone) <= self.keep_last:
            return gone
        return np.union1d(gone, self._too_many(state, gone, self.keep_last))

    @staticmethod
    def _too_many(state: State, gone: npt.NDArray[np.int64], keep_last: int) -> npt.NDArray[np.int64]:
        """The oldest of those that are not gone, until no more than so many are left."""
        wanted = state.num_documents - len(gone) - keep_last
        found = [np.zeros(0, np.int64)]
        for entry in state.entries:
            first = np.setdiff1d(entry.numbers(), gone) if len(gone) else entry.first_numbers(wanted)
            found.append(first[:wanted])
            wanted -= len(found[-1])
        left = [each.number for each in state.pending if each.number not in set(gone.tolist())]
        return np.concatenate([*found, np.array(left[:wanted], np.int64)])


def _duration(given: Any) -> timedelta:
    if isinstance(given, str):
        return parse_duration(given)
    if not isinstance(given, timedelta):
        raise InputError(
            f"keep_for is a length of time, not {shown(given)}", help='write "7 days", or give a timedelta'
        )
    duration_text(given)
    return given


def _older(state: State, earliest: int) -> npt.NDArray[np.int64]:
    """The numbers of documents that came before a moment."""
    found = [np.array([each.number for each in state.pending if each.time < earliest], np.int64)]
    for entry in state.entries:
        if entry.oldest < earliest:
            rows = entry.living_rows()
            found.append(entry.segment.numbers[rows[entry.segment.times[rows] < earliest]])
    return np.concatenate(found)
