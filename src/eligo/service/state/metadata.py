"""Which metadata came with an expression? A row for each that has some; those of the last checkpoint in a file.

    new      changed since the last checkpoint began      {"ad-7": (("age > 18", b'{"a": 1}'),)}
    frozen   being written by a checkpoint
    rows     of the last checkpoint, mapped: ids, sorted, and texts of JSON

What changed stands beside the text of the expression that it came with: a reader who takes the text from the index,
which is changed by itself, takes the metadata of that text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo.index.id_order import IdOrder
from eligo.service.records import ExpressionId
from eligo.storage.packed_ids import arrow_id_type, pack_ids, unpack_ids
from eligo.storage.string_array import pack_strings, unpack_strings

Known = tuple[tuple[str | None, bytes | None], ...]
"""The text and the metadata of an expression, and those before; the text is None of one that went."""


class MetadataRows:
    """Metadata by id, in two arrays; nothing of it changes."""

    def __init__(self, ids: pa.Array, texts: pa.Array) -> None:
        self.ids = ids
        self.texts = texts
        self._order = IdOrder(ids)

    @classmethod
    def none(cls) -> MetadataRows:
        """No rows."""
        return cls(pa.array([], pa.large_string()), pa.array([], pa.large_string()))

    def __len__(self) -> int:
        return len(self.ids)

    def get(self, id: ExpressionId) -> bytes | None:
        """The metadata of an id."""
        place = self._order.find(id) if len(self.ids) else None
        return None if place is None else str(self.texts[place].as_py()).encode()

    def changed(self, changes: Mapping[ExpressionId, Known]) -> MetadataRows:
        """The rows after changes."""
        if not changes:
            return self
        is_number = isinstance(next(iter(changes)), int)
        kind = arrow_id_type(is_number=is_number)
        ids = self.ids if len(self.ids) else pa.array([], kind)
        is_kept = pc.invert(pc.is_in(ids, value_set=pa.array(list(changes), kind)))
        given = {id: known[0][1] for id, known in changes.items() if known[0][1] is not None}
        ids = pa.concat_arrays([ids.filter(is_kept), pa.array(list(given), kind)])
        more = pa.array([data.decode() for data in given.values()], pa.large_string())
        texts = pa.concat_arrays([self.texts.filter(is_kept), more])
        order = pc.sort_indices(ids)
        return MetadataRows(ids.take(order), texts.take(order))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """As a file has them."""
        ids = {f"ids.{name}": array for name, array in pack_ids(self.ids).items()}
        return ids | {f"texts.{name}": array for name, array in pack_strings(self.texts).items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> MetadataRows:
        """What `arrays` gave."""
        ids = unpack_ids(_below("ids.", arrays), what="ids of metadata")
        texts = unpack_strings(_below("texts.", arrays), what="metadata")
        return cls(ids, texts)


def _below(prefix: str, arrays: Mapping[str, npt.NDArray[np.generic]]) -> dict[str, npt.NDArray[Any]]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


class _Layers(NamedTuple):
    new: dict[ExpressionId, Known]
    frozen: Mapping[ExpressionId, Known]
    rows: MetadataRows


class Metadata:
    """The metadata of a service's expressions; changed by one thread, read by any."""

    def __init__(self, rows: MetadataRows | None = None) -> None:
        self._layers = _Layers({}, {}, rows or MetadataRows.none())

    def get(self, id: ExpressionId, text: str) -> bytes | None:
        """The metadata of an id whose expression has this text."""
        new, frozen, rows = self._layers
        for layer in (new, frozen):
            for known_text, metadata in layer.get(id, ()):
                if known_text == text:
                    return metadata
        return rows.get(id)

    def set(self, id: ExpressionId, text: str | None, metadata: bytes | None) -> None:
        """Note the metadata of an id; without a text, that it goes. Nothing is kept of those that have none."""
        new, frozen, rows = self._layers
        before = new.get(id, ())
        if metadata is None and not before and id not in frozen and rows.get(id) is None:
            return
        new[id] = ((text, metadata), *before[:1])

    def known(self, id: ExpressionId) -> Known | None:
        """What `restore` takes back."""
        return self._layers.new.get(id)

    def restore(self, id: ExpressionId, known: Known | None) -> None:
        """Undo a `set`."""
        if known is None:
            self._layers.new.pop(id, None)
        else:
            self._layers.new[id] = known

    def freeze(self) -> tuple[MetadataRows, Mapping[ExpressionId, Known]]:
        """All there is, for a checkpoint: rows, and changes of them that stay as they are."""
        new, frozen, rows = self._layers
        changes = {**frozen, **new} if frozen else new
        self._layers = _Layers({}, changes, rows)
        return rows, changes

    def settle(self, rows: MetadataRows) -> None:
        """A checkpoint has written what was frozen: these are the rows now."""
        self._layers = _Layers(self._layers.new, {}, rows)
