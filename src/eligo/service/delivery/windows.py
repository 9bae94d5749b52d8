"""Who says that a window is over? The clock of the service that delivers; the record that it writes decides."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime

from eligo.errors import EligoError, UnknownIdError
from eligo.service.delivery.subscription import Incarnation
from eligo.service.delivery.writing import written
from eligo.service.records import Release
from eligo.service.service import Service

logger = logging.getLogger("eligo.service")

LONGEST_SLEEP = 1.0
"""Seconds; a clock that was set is noticed after so many."""


async def release_windows(service: Service, has_changed: asyncio.Event) -> None:
    """Release each window of a subscription that ranks when it is over; for ever."""
    while True:
        has_changed.clear()
        windows, now = service.subscriptions.open_windows(), datetime.now(UTC)
        for window in windows:
            if window.is_over(now):
                await _release(service, window.of, window.number)
        pending = [(window.end - now).total_seconds() for window in windows if not window.is_over(now)]
        if pending:
            await asyncio.sleep(min(LONGEST_SLEEP, *pending))
        else:
            await has_changed.wait()


async def _release(service: Service, of: Incarnation, number: int) -> None:
    try:
        await written(service, Release(subscription=of.name, since=of.since, window=number))
    except UnknownIdError:
        return
    except EligoError as error:
        logger.warning("the window of a subscription could not be released: %s", error)
        await asyncio.sleep(LONGEST_SLEEP)
