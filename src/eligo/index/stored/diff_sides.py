"""What do two indexes have to be asked to know how they differ? All of both, or only what is not the same in both.

Expressions that stand in both indexes with the same text match the same events, if both treat missing attributes
alike and have the same schema and hierarchies. Then only the others are asked; when they are few, workers build two
small indexes of them instead of opening the large ones.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from eligo.data.schema.guards import TENANT, TIME
from eligo.index.bounded_build import freeze_part
from eligo.index.index import Index
from eligo.index.live.live_part import LivePart
from eligo.index.stored.opened_version import IndexVersion, attribute_kinds
from eligo.index.stored.shard_groups import ShardGroup
from eligo.index.view import View
from eligo.language.value import Kind

FEW_CHANGED = 20_000
"""Up to so many changed expressions are sent to the workers and indexed there."""


class Side(NamedTuple):
    """What one of the two indexes is asked for."""

    version: IndexVersion
    changed: bytes | None
    """An Arrow stream of the ids and texts to ask; None for the whole index."""

    def open(self) -> tuple[Index, View]:
        """The index, and what to ask."""
        return ShardGroup(self.version).open() if self.changed is None else _built(self)


@lru_cache(maxsize=4)
def _built(side: Side) -> tuple[Index, View]:
    settings = side.version.open().settings
    changed = pa.ipc.open_stream(side.changed).read_all().combine_chunks()
    part = freeze_part(changed["id"].combine_chunks(), changed["expression"].combine_chunks(), settings)
    index = Index([LivePart(part)], settings)
    return index, index.view()


def compared_sides(before: IndexVersion, after: IndexVersion) -> tuple[Side, Side]:
    """What to ask of each index: all, or only what changed."""
    old, new = before.open(), after.open()
    stored = [version.opened_manifest().settings for version in (before, after)]
    meanings = [(settings.missing, settings.schema, settings.hierarchies) for settings in stored]
    old_view, new_view = old.view(), new.view()
    if meanings[0] != meanings[1] or old_view.ids.type != new_view.ids.type:
        return Side(before, None), Side(after, None)
    old_texts, new_texts = old_view.texts, new_view.texts
    places = pc.index_in(new_view.ids, value_set=old_view.ids)
    is_same = pc.fill_null(pc.equal(new_texts, old_texts.take(places)), False)
    same_in_old = np.zeros(len(old_view.ids), np.bool_)
    same_in_old[places.filter(is_same).to_numpy(zero_copy_only=False).astype(np.int64)] = True
    changed_old = pa.table({"id": old_view.ids, "expression": old_texts}).filter(pa.array(~same_in_old))
    changed_new = pa.table({"id": new_view.ids, "expression": new_texts}).filter(pc.invert(is_same))
    if max(changed_old.num_rows, changed_new.num_rows) > FEW_CHANGED:
        return Side(before, None), Side(after, None)
    return Side(before, _stream(changed_old)), Side(after, _stream(changed_new))


def asked_kinds(sides: tuple[Side, Side]) -> dict[str, frozenset[Kind]]:
    """The attributes that what is asked names, with the kinds of values that they are compared with.

    Tenants and times are among them if either index has any, so that events without them are refused whatever changed.
    """
    kinds: dict[str, frozenset[Kind]] = {}
    for side in sides:
        for name, own in attribute_kinds(side.open()[0]).items():
            kinds[name] = kinds.get(name, frozenset()) | own
    for side in sides:
        whole = attribute_kinds(side.version.open())
        for name in (TENANT, TIME):
            if name in whole:
                kinds[name] = kinds.get(name, frozenset()) | whole[name]
    return kinds


def _stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data
