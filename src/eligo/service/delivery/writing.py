"""How does the loop write a record? It waits, without a thread, until the record is on the disk and seen."""

from __future__ import annotations

import asyncio

from eligo.service.records import AnyRecord
from eligo.service.service import Service
from eligo.service.state.outcome import Outcome


async def written(service: Service, record: AnyRecord) -> Outcome:
    """The outcome of a record; one that was submitted is written also when nobody waits for it any more."""
    return await asyncio.shield(service.submit_in_loop(record))
