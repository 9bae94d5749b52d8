"""Does a task ask the whole index, or a group of its shards? The size decides.

    whole     every task asks all shards                       events are read once
    groups    a task asks some shards for some events          events are read once for each group

Shards are memory-mapped, so that tasks on a machine share the pages that they touch. When all pages together do not
fit, each task would read the index from disk again and again; with groups, the tasks of a group touch only its shards.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from eligo.errors import InputError
from eligo.index.index import Index
from eligo.index.memory import physical_memory
from eligo.index.part import Part
from eligo.index.stored.opened_version import IndexVersion
from eligo.index.view import View, ViewedPart

MEMORY_SHARE = 0.5
"""Of the machine's memory, for shards, unless told otherwise."""


class ShardGroup(NamedTuple):
    """A version, or some consecutive shards of it: those of its parts, counted through."""

    version: IndexVersion
    first: int = 0
    last: int | None = None
    """The shard after the last one; None for all."""

    def open(self) -> tuple[Index, View]:
        """The whole index, which knows how to read events, and what to ask: a view of the group's shards only."""
        index = self.version.open()
        return index, _viewed(self, index)


@lru_cache(maxsize=8)
def _viewed(group: ShardGroup, index: Index) -> View:
    # Of this very index, because a view takes events that were encoded with the vocabularies of its own.
    return _view(index.view(), group)


def _view(whole: View, group: ShardGroup) -> View:
    if group.last is None:
        return whole
    chosen = []
    start = 0
    for viewed in whole.parts:
        shards = viewed.part.shards
        first, last = max(group.first - start, 0), min(group.last - start, len(shards))
        start += len(shards)
        if first >= last:
            continue
        lengths = [len(shard.ids) for shard in shards]
        positions = slice(sum(lengths[:first]), sum(lengths[:last]))
        is_live = None if viewed.is_live is None else viewed.is_live[positions]
        chosen.append(ViewedPart(Part(viewed.part.vocabulary, shards[first:last]), is_live))
    return View(chosen, whole.settings)


def shard_groups(version: IndexVersion, memory: int | None = None) -> list[ShardGroup]:
    """One group of all shards where they fit in `memory` bytes, else consecutive groups that do, as far as possible.

    `memory` is half of this machine's unless given; a shard that is larger is a group of its own.
    """
    if memory is not None and memory < 1:
        raise InputError(f"an index cannot be asked in {memory} bytes of memory")
    bound = memory if memory is not None else int(physical_memory() * MEMORY_SHARE)
    manifest = version.opened_manifest()
    sizes = [shard.num_bytes for shards in (manifest.shards, *(d.shards for d in manifest.deltas)) for shard in shards]
    if sum(sizes) <= bound or len(sizes) <= 1:
        return [ShardGroup(version)]
    borders = [0]
    held = 0
    for number, size in enumerate(sizes):
        if held and held + size > bound:
            borders.append(number)
            held = 0
        held += size
    borders.append(len(sizes))
    return [ShardGroup(version, first, last) for first, last in pairwise(borders)]
