"""Was this published before? A publication is known by its source and its id, for as long as the service remembers.

    Publish(source="shop", id="7", …)    seq 42    matched, delivered
    Publish(source="shop", id="7", …)    seq 57    the answer of 42 again, and nothing else

How long is counted from the latest time that any publication had: a clock that goes back forgets nothing too early, and
the same records are remembered whenever they are applied.
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
MOST_REMEMBERED = 1_000_000
"""Publications that are remembered; of more, the oldest are forgotten."""


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
    """In microseconds since 1970: the latest of any publication when this one came."""
    seq: int
    document: int
    """-1 for none."""
    num_subscriptions: int


Frozen = tuple[int, list[tuple[bytes, _Remembered]]]
"""What a checkpoint has: the latest time, and what is remembered by key."""


class Publications:
    """The publications that are remembered; changed by one thread."""

    def __init__(self, keep_for: timedelta, most: int = MOST_REMEMBERED) -> None:
        self.keep_for = keep_for
        self._most = most
        self._latest = -(2**63)
        """The latest time of any publication, in microseconds since 1970."""
        self._remembered: dict[bytes, _Remembered] = {}
        """By source and id; the oldest first."""

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
            self._latest, publication.seq, document, publication.num_subscriptions
        )
        if len(self._remembered) > self._most:
            del self._remembered[next(iter(self._remembered))]

    def _forget(self, now: datetime) -> None:
        self._latest = max(self._latest, microseconds_of(now))
        earliest = self._latest - self.keep_for // MICROSECOND
        while self._remembered:
            key = next(iter(self._remembered))
            if self._remembered[key].time >= earliest:
                return
            del self._remembered[key]

    def frozen(self) -> Frozen:
        """All of it as it is now, for a checkpoint."""
        return self._latest, list(self._remembered.items())


def publication_arrays(frozen: Frozen) -> dict[str, npt.NDArray[Any]]:
    """What was frozen, as a file has it."""
    latest, rows = frozen
    fields = np.array([row for _, row in rows], np.int64).reshape(len(rows), len(_Remembered._fields))
    return {
        "latest": np.array([latest], np.int64),
        "keys": np.frombuffer(b"".join(key for key, _ in rows), np.uint8),
        **{name: np.ascontiguousarray(fields[:, place]) for place, name in enumerate(_Remembered._fields)},
    }


def publications_from(arrays: Mapping[str, npt.NDArray[Any]], keep_for: timedelta) -> Publications:
    """What `publication_arrays` gave."""
    made = Publications(keep_for)
    columns = [arrays[name].tolist() for name in _Remembered._fields]
    keys = arrays["keys"].tobytes()
    if len(keys) != KEY_BYTES * len(columns[0]) or len(arrays["latest"]) != 1:
        raise DamagedFileError("the remembered publications are damaged: their arrays differ in length")
    made._latest = int(arrays["latest"][0])
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
