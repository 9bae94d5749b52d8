"""What does a record of the log say? One change of a base, as JSON: the documents that came, and the numbers that went.

    {"documents": [{"price": [10], "sold": [{"date": 19753}]}], "gone": [], "next": 8, "numbers": [7], "times": [17…]}

A date is its day since 1970, a timestamp its microseconds, an infinite float its sign. `gone` has the first and the
last of numbers that follow each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.errors import EligoError
from eligo.joins.base_state import Pending, State
from eligo.joins.segment import ColumnKind, read_value, stored_value
from eligo.joins.stored.segment_file import BOUNDS
from eligo.language.value import Scalar, event_attributes
from eligo.storage.canonical_json import Json, from_bytes, to_canonical
from eligo.storage.refusal import damaged

_FIELDS = {"documents", "gone", "next", "numbers", "times"}
_TAGS = {ColumnKind.DATE: "date", ColumnKind.TIMESTAMP: "timestamp"}
_KINDS = {tag: kind for kind, tag in _TAGS.items()}
_INFINITE = {"inf": float("inf"), "-inf": -float("inf")}


class Record(NamedTuple):
    """One change."""

    documents: tuple[Pending, ...]
    gone: npt.NDArray[np.int64]
    """Numbers, ascending."""
    next_number: int

    def applied(self, state: State) -> State:
        """The state after the change."""
        if self.documents:
            state = state.with_documents(self.documents)
        if len(self.gone):
            state = state.without(self.gone)
        return state if state.next_number == self.next_number else state.with_next_number(self.next_number)


def to_record(documents: Sequence[Pending], gone: npt.NDArray[np.int64], next_number: int) -> bytes:
    """The bytes of a change."""
    ends = np.flatnonzero(np.diff(gone) != 1)
    first, last = np.append(0, ends + 1), np.append(ends, len(gone) - 1)
    spans = np.column_stack([gone[first], gone[last]]).tolist() if len(gone) else []
    return to_canonical(
        {
            "documents": [
                {name: [_to_json(value) for value in values] for name, values in document.attributes.items()}
                for document in documents
            ],
            "gone": spans,
            "next": next_number,
            "numbers": [document.number for document in documents],
            "times": [document.time for document in documents],
        }
    )


def _to_json(value: Scalar) -> Json:
    kind, stored = stored_value(value)
    if kind in _TAGS:
        return {_TAGS[kind]: stored}
    if isinstance(value, float) and value in _INFINITE.values():
        return {"float": str(value)}
    return value  # type: ignore[return-value]


def from_record(data: bytes, next_number: int, path: Path) -> Record:
    """The change that a record says, of a base whose next number is this; refused with the name of the log."""
    try:
        fields: Any = from_bytes(data)
        if not isinstance(fields, Mapping) or fields.keys() != _FIELDS:
            raise ValueError("it has other fields")
        numbers, times = _ints(fields["numbers"]), _ints(fields["times"], *BOUNDS[ColumnKind.TIMESTAMP])
        if not len(numbers) == len(times) == len(fields["documents"]):
            raise ValueError("its lists have different lengths")
        rising = [next_number - 1, *numbers, *_ints([fields["next"]])]
        if any(later <= earlier for earlier, later in pairwise(rising)):
            raise ValueError("its numbers do not rise")
        read = [event_attributes(_document(document)) for document in fields["documents"]]
        spans = [_ints(span) for span in fields["gone"]]
        gone = [np.arange(first, last + 1, dtype=np.int64) for first, last in spans]
        if any(first > last or last >= fields["next"] for first, last in spans):
            raise ValueError("it takes numbers that there are not")
    except (ValueError, TypeError, KeyError, AttributeError, EligoError) as error:
        raise damaged(path, f"a record of it cannot be read: {error}") from None
    documents = tuple(map(Pending, numbers, times, read))
    return Record(documents, np.unique(np.concatenate([np.zeros(0, np.int64), *gone])), fields["next"])


def _ints(values: Any, least: int = 0, most: int = 2**63 - 1) -> list[int]:
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(f"{value!r} is not a number from {least} to {most}")
    return list(values)


def _document(document: Mapping[str, Sequence[Any]]) -> dict[str, list[Scalar]]:
    return {name: [_from_json(value) for value in values] for name, values in document.items()}


def _from_json(value: Any) -> Scalar:
    if not isinstance(value, Mapping):
        if isinstance(value, bool | int | float | str):
            return value
        raise ValueError(f"{value!r} is not a value")
    ((tag, stored),) = value.items()
    if tag == "float":
        return _INFINITE[stored]
    kind = _KINDS[tag]
    return read_value(kind, _ints([stored], *BOUNDS[kind])[0])
