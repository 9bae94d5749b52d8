"""What does reading JSON texts need beside them? Scratch for one thread at a time, known to kernels by one record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.events.direct.kernels.json_rows import (
    LEVEL_WORDS,
    LEVELS,
    LONGEST,
    MOST_BYTES,
    MOST_LEVELS,
    MOST_VALUES,
    NAME_SLOTS,
    NAMES,
    PASSED_OVER,
    PATH,
    READ,
    READ_DATES,
    READ_MOMENTS,
    ROLES,
    SCRATCH_WORDS,
    SEEN,
    TEXT,
)
from eligo.data.vocabulary import Vocabulary
from eligo.language.limits import Limits
from eligo.language.value import Kind

DEEPEST = 64
"""Objects and lists within each other; what is deeper goes the long way."""


def roles_of(vocabulary: Vocabulary, moments: Mapping[str, Kind]) -> npt.NDArray[np.uint8]:
    """For each attribute what `json_rows` does with it; `moments` has those whose texts are dates or timestamps."""
    role_of_kind = {Kind.DATE: READ_DATES, Kind.TIMESTAMP: READ_MOMENTS}
    given = vocabulary.event_numbers
    roles = [
        PASSED_OVER if name not in given else role_of_kind[moments[name]] if name in moments else READ
        for name in vocabulary.attribute_names
    ]
    return np.array(roles, np.uint8)


class JsonScratch:
    """Scratch for a vocabulary; used by one thread at a time."""

    num_words = SCRATCH_WORDS
    """Of its record."""

    def __init__(self, vocabulary: Vocabulary, roles: npt.NDArray[np.uint8]) -> None:
        lengths = np.diff(vocabulary.data.attribute_offsets)
        longest = int(lengths.max(initial=0))
        self.record = np.zeros(self.num_words, np.int64)
        self.address: int = self.record.ctypes.data
        self._arrays: dict[int, npt.NDArray[Any]] = {}
        self._note(ROLES, roles)
        self._note(SEEN, np.zeros(len(roles), np.int64))
        self._note(NAMES, np.zeros(2 * NAME_SLOTS, np.uint64))
        self._note(PATH, np.zeros(longest + 1, np.uint8))
        self._note(LEVELS, np.zeros(LEVEL_WORDS * DEEPEST, np.int64))
        self._note(TEXT, np.zeros(0, np.uint8))
        self.record[LONGEST >> 3] = longest
        self._limits: Limits | None = None

    def _note(self, field: int, array: npt.NDArray[Any]) -> None:
        self._arrays[field] = array
        self.record[field >> 3] = array.ctypes.data

    def allow(self, limits: Limits, longest_text: int) -> None:
        """Prepare for texts of so many bytes and these limits."""
        if longest_text > len(self._arrays[TEXT]):
            self._note(TEXT, np.zeros(2 * longest_text, np.uint8))
        if limits is not self._limits:
            self._limits = limits
            self.record[MOST_BYTES >> 3] = min(limits.event_bytes, 2**62)
            self.record[MOST_VALUES >> 3] = min(limits.event_values, 2**62)
            self.record[MOST_LEVELS >> 3] = min(limits.event_depth, DEEPEST)
