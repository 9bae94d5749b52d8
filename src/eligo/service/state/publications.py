"""Was this published before? A publication is known by its source and its id, for as long as the service remembers.

    Publish(source="shop", id="7", …)    seq 42    matched, delivered
    Publish(source="shop", id="7", …)    seq 57    the answer of 42 again, and nothing else

How long is counted by the times of publications, so that the same records are remembered whenever they are applied, and
from one to the next no more than a part of it: a clock that jumps, forward or back, forgets nothing too early. No more
than so many are remembered; when the oldest go for that, it is counted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import MICROSECOND
from eligo.errors import DamagedFileError
from eligo.joins.segment import microseconds_of
from eligo.service.records import Publish

KEY_BYTES = 16
NEVER = -(2**63)
"""In a file, the time of the last publication where there was none."""
MOST_REMEMBERED = 1_000_000
"""Publications that are remembered; of more, the oldest are forgotten."""
STEPS = 24
"""From one publication to the next no more than such a part counts of the time for which they are remembered."""


class Publication(NamedTuple):
    """What became of a document that was published."""

    seq: int
    """Of the record; of the first one for a document that was published before."""
    document: int | None
    """Its number in the base; None where the base's rules do not let it stay."""
    num_subscriptions: int
    """That it satisfies."""
    is_duplicate: bool = False


class _Remembered(NamedTuple):
    time: int
    """In microseconds, as they are counted: when this one came."""
    seq: int
    document: int
    """-1 for none."""
    num_subscriptions: int


Frozen = tuple[tuple[int, int, int], list[tuple[bytes, _Remembered]]]
"""What a checkpoint has: the counted time, the time of the last publication, how many were forgotten early; and what is
remembered by key."""


class Publications:
    """The publications that are remembered; changed by one thread."""

    def __init__(self, keep_for: timedelta, most: int = MOST_REMEMBERED) -> None:
        self.keep_for = keep_for
        self._most = most
        self._counted = 0
        """The time that has gone by, in microseconds."""
        self._last: int | None = None
        """The time of the last publication, in microseconds since 1970."""
        self.num_forgotten_early = 0
        """That were forgotten before their time, because there were too many."""
        self._remembered: dict[bytes, _Remembered] = {}
        """By source and id; the oldest first."""

    @property
    def most(self) -> int:
        """That are remembered."""
        return self._most

    def __len__(self) -> int:
        return len(self._remembered)

    def find(self, record: Publish) -> Publication | None:
        """What became of the publication that this one repeats, if it does."""
        self._forget(record.time)
        found = self._remembered.get(_key(record)) if record.id is not None else None
        if found is None:
            return None
        return Publication(
            found.seq, None if found.document < 0 else found.document, found.num_subscriptions, is_duplicate=True
        )

    def add(self, record: Publish, publication: Publication) -> None:
        """Remember a publication."""
        if record.id is None:
            return
        document = -1 if publication.document is None else publication.document
        self._remembered[_key(record)] = _Remembered(
            self._counted, publication.seq, document, publication.num_subscriptions
        )
        if len(self._remembered) > self._most:
            del self._remembered[next(iter(self._remembered))]
            self.num_forgotten_early += 1

    def _forget(self, now: datetime) -> None:
        last, self._last = self._last, microseconds_of(now)
        keep_for = self.keep_for // MICROSECOND
        if last is not None:
            self._counted += min(max(self._last - last, 0), keep_for // STEPS)
        earliest = self._counted - keep_for
        while self._remembered:
            key = next(iter(self._remembered))
            if self._remembered[key].time >= earliest:
                return
            del self._remembered[key]

    def frozen(self) -> Frozen:
        """All of it as it is now, for a checkpoint."""
        last = NEVER if self._last is None else self._last
        return (self._counted, last, self.num_forgotten_early), list(self._remembered.items())


def publication_arrays(frozen: Frozen) -> dict[str, npt.NDArray[Any]]:
    """What was frozen, as a file has it."""
    clock, rows = frozen
    fields = np.array([row for _, row in rows], np.int64).reshape(len(rows), len(_Remembered._fields))
    return {
        "clock": np.array(clock, np.int64),
        "keys": np.frombuffer(b"".join(key for key, _ in rows), np.uint8),
        **{name: np.ascontiguousarray(fields[:, place]) for place, name in enumerate(_Remembered._fields)},
    }


def publications_from(arrays: Mapping[str, npt.NDArray[Any]], keep_for: timedelta) -> Publications:
    """What `publication_arrays` gave."""
    made = Publications(keep_for)
    columns = [arrays[name].tolist() for name in _Remembered._fields]
    keys = arrays["keys"].tobytes()
    if len(keys) != KEY_BYTES * len(columns[0]) or len(arrays["clock"]) != 3:
        raise DamagedFileError("the remembered publications are damaged: their arrays differ in length")
    made._counted, last, made.num_forgotten_early = arrays["clock"].tolist()
    made._last = None if last == NEVER else last
    made._remembered = {
        keys[place * KEY_BYTES : (place + 1) * KEY_BYTES]: _Remembered(*row)
        for place, row in enumerate(zip(*columns, strict=True))
    }
    return made


def _key(record: Publish) -> bytes:
    """Tenants do not know of each other's."""
    found = hashlib.blake2b(digest_size=KEY_BYTES)
    for part in (record.tenant, record.source, record.id):
        data = b"-" if part is None else b"+" + part.encode("utf-8", "surrogatepass")
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)
    return found.digest()
