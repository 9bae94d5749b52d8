"""What does one keep who asks about event after event? Scratch in which an event is encoded where it is matched.

Where a part has one shard, whose engine has scratch for callers, what an event hits is written into it, and nothing is
handed over. Such scratch knows arrays by their addresses: it is used while the part is held, and does not hold it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.events.direct.kernels.object_rows import NOT_READ, encode_mapping
from eligo.data.events.direct.object_encoder import ObjectScratch
from eligo.data.events.json_encoder import NO_ROOM, JsonEncoder
from eligo.engines.own_scratch import OwnScratch
from eligo.index.part import Part
from eligo.language.limits import Limits

Positions = npt.NDArray[np.uint32]


def own_scratch(part: Part) -> OwnScratch | None:
    """Scratch of a part's only engine; None where there are several, or it has none."""
    return part.shards[0].engine.own_scratch() if len(part.shards) == 1 else None


class HeldScratch:
    """For events that are dicts; used by one call at a time."""

    def __init__(self, own: OwnScratch, objects: ObjectScratch, limits: Limits) -> None:
        """`objects` writes into the items of `own`."""
        self._own, self._objects, self._limits = own, objects, limits
        self._address = objects.address

    def match(self, event: dict[Any, Any], part: Part) -> Positions:
        """The matches of an event among the part, which is the one that this was made for."""
        num_items = encode_mapping(id(event), self._address)
        if num_items == NOT_READ:
            return part.match_items(part.encoder.looked_up(event, self._limits))
        return self._own.match(num_items) if num_items >= 0 else part.match_event(event, self._limits)


class HeldJsonScratch:
    """For events that are JSON texts; used by one call at a time."""

    def __init__(self, encoder: JsonEncoder, own: OwnScratch, limits: Limits) -> None:
        self._own, self._encoder, self._limits = own, encoder, limits
        self._scratch = encoder.scratch_for(own.items)

    def match(self, text: bytes, part: Part) -> Positions:
        """The matches of an event among the part, which is the one that this was made for."""
        num_items = self._encoder.write_items(text, self._scratch, self._limits)
        if num_items >= 0:
            return self._own.match(num_items)
        encode = self._encoder.items if num_items == NO_ROOM else self._encoder.items_of_left
        return part.match_items(encode(text, self._limits))
