"""Who delivers? Tasks in the server's loop: one for each webhook that has messages, one for each reader, and a few.

    records ─ applied ─▶ queues ─ bell ─┬─▶ senders of webhooks
                                        ├─▶ pulls that wait
                                        ├─▶ streams
                                        └─▶ windows that are over

All of them read queues and write records; none waits for another. So whoever is slow or dead holds up nobody.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from eligo.errors import UnknownIdError
from eligo.service.delivery.bell import Bell
from eligo.service.delivery.pulls import Pulls
from eligo.service.delivery.streams import HEARTBEAT, Streams
from eligo.service.delivery.subscription import Incarnation
from eligo.service.delivery.webhooks.sender import Sender
from eligo.service.delivery.webhooks.slots import Slots, Standing
from eligo.service.delivery.webhooks.target import Resolve, Targets
from eligo.service.delivery.windows import release_windows
from eligo.service.records import WebhookDelivery
from eligo.service.service import Service

logger = logging.getLogger("eligo.service")

MOST_POSTS = 512
"""Webhooks that are being posted at once; others wait for a slot, and none keeps one while it waits to try again."""
MOST_POSTS_OF_HOST = 64
"""Of them, those to one host, for each of the standings that subscriptions have."""
LAST_POSTS = 5.0
"""Seconds that webhooks which are being posted have to end, when delivery stops."""
AFTER_FAILURE = 5.0
"""Seconds after which a sender that failed in a way that was not foreseen is started again."""


@dataclass(frozen=True)
class DeliveryOptions:
    """How a service delivers."""

    allow_webhooks: tuple[str, ...] = ()
    """Hosts that webhooks may lead to although they are not public: `HOST` or `HOST:PORT`."""
    heartbeat: float = HEARTBEAT
    """Seconds without a message after which a stream gets a comment."""
    resolve: Resolve | None = None
    """Finds the addresses of a host; the system's own resolver unless given."""
    tls: ssl.SSLContext | None = None
    """Whose certificates are trusted; the system's unless given."""


class Deliverer:
    """Delivers the messages of a service, between `start` and `stop`."""

    def __init__(self, service: Service, options: DeliveryOptions | None = None) -> None:
        self._service = service
        self._options = options or DeliveryOptions()
        self._targets = Targets(self._options.allow_webhooks, self._options.resolve)
        self._senders: dict[str, tuple[Sender, asyncio.Task[None]]] = {}
        self._standings: dict[str, tuple[Incarnation, Standing]] = {}
        """How the last webhook of a subscription went, by name."""
        self._resting: set[str] = set()
        """Those whose sender failed in a way that was not foreseen, until it is started again."""
        self._windows: asyncio.Task[None] | None = None
        self._windows_changed = asyncio.Event()
        self._end_listening: Callable[[], None] | None = None
        self.pulls: Pulls
        self.streams: Streams

    async def start(self) -> None:
        """Deliver what waits, and what comes."""
        loop = asyncio.get_running_loop()
        self._tls = self._options.tls or ssl.create_default_context()
        self._slots = Slots(MOST_POSTS, MOST_POSTS_OF_HOST)
        self._bell = Bell(loop, self._heard)
        self.pulls = Pulls(self._service, self._bell)
        self.streams = Streams(self._service, self._bell, self._options.heartbeat)
        self._end_listening = self._service.subscriptions.listen(self._bell.ring)
        self._windows = loop.create_task(release_windows(self._service, self._windows_changed))
        self._heard(set(self._service.subscriptions))

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stop()

    def end_streams(self) -> None:
        """Have readers go, so that a server can stop, and pulls answered that wait for a message."""
        self.streams.end()
        self.pulls.end()

    async def stop(self) -> None:
        """Deliver no more. What was sent and not written down as taken is sent again by whoever starts next."""
        if self._end_listening is not None:
            self._end_listening()
            self._end_listening = None
        self.end_streams()
        tasks = [task for _, task in self._senders.values()]
        posting = []
        for sender, task in list(self._senders.values()):
            sender.end()
            if sender.is_posting:
                posting.append(task)
            else:
                task.cancel()
        if posting:
            await asyncio.wait(posting, timeout=LAST_POSTS)
        if self._windows is not None:
            tasks.append(self._windows)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.pulls.stop()
        self._targets.close()

    def _heard(self, names: set[str]) -> None:
        """Subscriptions have changed: start senders where something waits."""
        self._windows_changed.set()
        if self._end_listening is None:
            return
        for name in names:
            try:
                of = self._service.subscriptions.incarnation(name)
                is_webhook = isinstance(self._service.subscriptions.get(of).delivery, WebhookDelivery)
                is_idle = name not in self._senders and name not in self._resting
                if is_webhook and is_idle and self._service.subscriptions.counts(of).pending:
                    self._start_sender(of)
            except UnknownIdError:
                self.pulls.forget(name)
                self._standings.pop(name, None)

    def _start_sender(self, of: Incarnation) -> None:
        before = self._standings.get(of.name)
        standing = before[1] if before is not None and before[0] == of else Standing.NEW
        sender = Sender(self._service, self._bell, of, self._slots, standing)
        self._senders[of.name] = (sender, asyncio.get_running_loop().create_task(self._send(sender)))

    async def _send(self, sender: Sender) -> None:
        name = sender.of.name
        loop = asyncio.get_running_loop()
        try:
            await sender.run(self._targets, self._tls)
        except Exception as error:
            logger.error("the webhook of %s has stopped", name, exc_info=error)
            self._resting.add(name)
            loop.call_later(AFTER_FAILURE, self._go_on, name)
        finally:
            del self._senders[name]
            self._standings[name] = (sender.of, sender.standing)
        loop.call_soon(self._heard, {name})  # something may have come meanwhile

    def _go_on(self, name: str) -> None:
        self._resting.discard(name)
        self._heard({name})
