"""How many expressions does a version answer with? Those of its shards that no later part's tombstones name.

The manifest has the sum of all shards. Without deltas that is the answer; with them, ids are compared when someone
asks, so that an update need not read the index that it is put on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from eligo.errors import StorageError
from eligo.storage.directory import open_file
from eligo.storage.file_entries import ShardEntry
from eligo.storage.manifest import Manifest
from eligo.storage.string_array import unpack_strings
from eligo.storage.tombstones import tombstone_ids


def stored_ids(arrays: Mapping[str, Any]) -> pa.Array:
    """The ids in the arrays of a shard: 64-bit ints or large strings."""
    if "ids.numbers" in arrays:
        return pa.array(arrays["ids.numbers"])
    return unpack_strings({"offsets": arrays["ids.offsets"], "data": arrays["ids.data"]}, what="ids")


def hidden_ids(ids: pa.Array, tombstones: Sequence[pa.Array]) -> pa.Array:
    """For each id, whether some of the tombstones name it."""
    hidden = pa.array(np.zeros(len(ids), np.bool_))
    for gone in tombstones:
        hidden = pc.or_(hidden, pc.is_in(ids, value_set=gone.cast(ids.type)))
    return hidden


def num_live_among(path: str | os.PathLike[str], manifest: Manifest, ids: pa.Array) -> int:
    """How many of these ids, each named once, a version answers with; reads no texts."""
    if not len(ids):
        return 0
    index = Path(path)
    num_live = 0
    for shard, later in _shards(index, manifest):
        stored = stored_ids(open_file(index, shard, only=("ids.",)).arrays)
        found = stored.filter(pc.is_in(stored, value_set=ids.cast(stored.type)))
        num_live += len(found) - (pc.sum(hidden_ids(found, later)).as_py() or 0)
    return num_live


def num_live_expressions(path: str | os.PathLike[str], manifest: Manifest) -> int:
    """How many expressions an event can meet in a version; reads the ids where there are deltas."""
    if not manifest.deltas:
        return manifest.num_expressions
    index = Path(path)
    num_live = 0
    for shard, later in _shards(index, manifest):
        ids = stored_ids(open_file(index, shard, only=("ids.",)).arrays)
        num_live += len(ids) - (pc.sum(hidden_ids(ids, later)).as_py() or 0)
    return num_live


def num_live_if_readable(path: str | os.PathLike[str], manifest: Manifest) -> int | None:
    """The same; None for a version that is damaged, which loses nothing by being replaced."""
    try:
        return num_live_expressions(path, manifest)
    except StorageError:
        return None


def _shards(index: Path, manifest: Manifest) -> Iterator[tuple[ShardEntry, Sequence[pa.Array]]]:
    """The shards that hold something, each with the tombstones of the parts after its own."""
    tombstones = [tombstone_ids(open_file(index, delta.tombstones)) for delta in manifest.deltas]
    for number, shards in enumerate([manifest.shards, *(delta.shards for delta in manifest.deltas)]):
        yield from ((shard, tombstones[number:]) for shard in shards if shard.num_expressions)
