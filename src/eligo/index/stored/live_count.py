"""How many expressions does a version answer with? Those of its shards that no later part's tombstones name.

The manifest has the sum of all shards. Without deltas that is the answer; with them, ids are compared when someone
asks, so that an update need not read the index that it is put on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from eligo.errors import StorageError
from eligo.index.shard import ONLY_IDS, stored_ids
from eligo.storage.directory import open_file
from eligo.storage.file_entries import ShardEntry
from eligo.storage.manifest import Manifest
from eligo.storage.packed_ids import tombstone_ids
from eligo.stores.address import Place, place


def read_ids(index: Place, shard: ShardEntry) -> pa.Array:
    """The ids of a shard on disk, of which nothing else is read."""
    return stored_ids(open_file(index, shard, only=ONLY_IDS).arrays)


def hidden_ids(ids: pa.Array, tombstones: Sequence[pa.Array]) -> pa.Array:
    """For each id, whether some of the tombstones name it."""
    hidden = pa.array(np.zeros(len(ids), np.bool_))
    for gone in tombstones:
        hidden = pc.or_(hidden, pc.is_in(ids, value_set=gone.cast(ids.type)))
    return hidden


def num_live_among(path: str | os.PathLike[str] | Place, manifest: Manifest, ids: pa.Array) -> int:
    """How many of these ids, each named once, a version answers with; reads no texts."""
    if not len(ids):
        return 0
    index = place(path)
    num_live = 0
    for shard, later in _shards(index, manifest):
        stored = read_ids(index, shard)
        found = stored.filter(pc.is_in(stored, value_set=ids.cast(stored.type)))
        num_live += len(found) - (pc.sum(hidden_ids(found, later)).as_py() or 0)
    return num_live


def num_live_expressions(path: str | os.PathLike[str] | Place, manifest: Manifest) -> int:
    """How many expressions an event can meet in a version; reads the ids where there are deltas."""
    if not manifest.deltas:
        return manifest.num_expressions
    index = place(path)
    num_live = 0
    for shard, later in _shards(index, manifest):
        ids = read_ids(index, shard)
        num_live += len(ids) - (pc.sum(hidden_ids(ids, later)).as_py() or 0)
    return num_live


def num_live_if_readable(path: str | os.PathLike[str] | Place, manifest: Manifest) -> int | None:
    """The same; None for a version that is damaged, which loses nothing by being replaced."""
    try:
        return num_live_expressions(path, manifest)
    except StorageError:
        return None


def _shards(index: Place, manifest: Manifest) -> Iterator[tuple[ShardEntry, Sequence[pa.Array]]]:
    """The shards that hold something, each with the tombstones of the parts after its own."""
    tombstones = [tombstone_ids(open_file(index, delta.tombstones)) for delta in manifest.deltas]
    for number, shards in enumerate([manifest.shards, *(delta.shards for delta in manifest.deltas)]):
        yield from ((shard, tombstones[number:]) for shard in shards if shard.num_expressions)
