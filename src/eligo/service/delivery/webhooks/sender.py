"""How does a webhook get its messages? One after another, each until it was taken or is a dead letter.

    42 ─ post ─▶ 200            43 ─ post ─▶ 500 ─ refused, wait 1 s ─ post ─▶ 200          44 …
         └ acknowledged soon, with others

That a message was taken is written down in batches; the next one does not wait for it. A process that is killed in
between sends some once more; one that is stopped writes down what was taken first.

A sender is of one subscription: it ends when that goes, although there may be another of its name. Address and message
are read together, after the slot is there: a message goes to an address that its own subscription had then.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
import time
from datetime import UTC, datetime

import msgspec

from eligo.errors import EligoError, UnknownIdError
from eligo.service.delivery.backoff import jittered, pause
from eligo.service.delivery.bell import Bell, rings
from eligo.service.delivery.message_json import MessageJson, message_json
from eligo.service.delivery.subscriber import Message
from eligo.service.delivery.subscription import Incarnation
from eligo.service.delivery.webhooks.post import Posted, Poster
from eligo.service.delivery.webhooks.signature import signed_headers
from eligo.service.delivery.webhooks.slots import Slots, Standing
from eligo.service.delivery.webhooks.target import Targets, host_of
from eligo.service.delivery.writing import written
from eligo.service.records import Acknowledge, Refuse, WebhookDelivery
from eligo.service.service import Service

logger = logging.getLogger("eligo.service")

MOST_UNWRITTEN = 100
"""Messages that were taken and are not written down as such."""
LAST_WRITE = 5.0
"""Seconds for which a sender that is stopped tries to write down what was taken."""
LOOK_AGAIN = 1.0
"""Seconds after which a write that failed is tried again."""
MESSAGE_TYPE = "document.published"


class WebhookJson(msgspec.Struct):
    """The body of a webhook, in the shape that Standard Webhooks recommend."""

    type: str
    timestamp: datetime
    """When the document was published."""
    subscription: str
    data: MessageJson


class Sender:
    """Sends the messages of one subscription for as long as some wait."""

    def __init__(
        self, service: Service, bell: Bell, of: Incarnation, slots: Slots, standing: Standing = Standing.NEW
    ) -> None:
        self.of = of
        self.standing = standing
        self.is_posting = False
        self._service = service
        self._bell = bell
        self._slots = slots
        self._is_over = False
        self._taken: set[int] = set()
        """Seqs of messages that were taken, until that is written down."""
        self._unwritten: list[int] = []

    async def run(self, targets: Targets, tls: ssl.SSLContext) -> None:
        """Send what waits; ends when nothing does, or when the subscription is no webhook any more."""
        poster = Poster(targets, tls)
        try:
            with self._bell.listening(self.of.name) as changed:
                while not self._is_over:
                    changed.clear()
                    found = self._next()
                    if found is not None:
                        await self._send(poster, host_of(found[0].url), changed)
                    elif self._unwritten:
                        await self._write_down()
                    else:
                        return
        except UnknownIdError:
            return
        finally:
            await self._write_last()
            await poster.close()

    def end(self) -> None:
        """Post no more than what is being posted."""
        self._is_over = True

    def _next(self) -> tuple[WebhookDelivery, Message] | None:
        """What is to be posted next, and where to."""
        subscription, found = self._service.subscriptions.waiting(self.of, 1, self._taken)
        delivery = subscription.delivery
        return (delivery, found[0]) if found and isinstance(delivery, WebhookDelivery) else None

    async def _send(self, poster: Poster, host: str, changed: asyncio.Event) -> None:
        async with self._slots.of(host, self.standing):
            found = self._next()
            if self._is_over or found is None or host_of(found[0].url) != host:
                return
            delivery, message = found
            self.is_posting = True
            try:
                posted = await poster.post(*signed(self.of.name, delivery, message), delivery.timeout, self.standing)
            finally:
                self.is_posting = False
        self.standing = Standing.TAKEN if posted.is_taken else Standing.FAILED
        if posted.is_taken:
            self._taken.add(message.seq)
            self._unwritten.append(message.seq)
            if len(self._unwritten) >= MOST_UNWRITTEN:
                await self._write_down()
            return
        if self._unwritten:
            await self._write_down()
        if await self._refused(message, posted) and not self._is_over:
            seconds = max(jittered(pause(delivery.backoff, message.refusals + 1)), posted.retry_after)
            await self._rest(seconds, delivery, changed)

    async def _rest(self, seconds: float, delivery: WebhookDelivery, changed: asyncio.Event) -> None:
        """Wait, unless the subscription becomes another meanwhile."""
        clock = asyncio.get_running_loop().time
        end = clock() + seconds
        while clock() < end:
            changed.clear()
            if self._service.subscriptions.get(self.of).delivery != delivery:
                self.standing = Standing.NEW
                return
            await rings(changed, end - clock())

    async def _refused(self, message: Message, posted: Posted) -> bool:
        """Write down that an attempt failed; whether the message will be tried again."""
        name, since = self.of
        seqs, now = [message.seq], datetime.now(UTC)
        record = Refuse(subscription=name, since=since, seqs=seqs, time=now, reason=posted.reason)
        try:
            outcome = await written(self._service, record)
        except UnknownIdError:
            raise
        except EligoError as error:
            logger.warning("that a webhook failed could not be written down: %s", error)
            await asyncio.sleep(LOOK_AGAIN)
            return True
        return outcome.result != [message.seq]

    async def _write_down(self) -> None:
        """Acknowledge what was taken."""
        seqs = self._unwritten
        try:
            await written(self._service, self._acknowledged(seqs))
        except UnknownIdError:
            raise
        except EligoError as error:
            logger.warning("that webhooks were taken could not be written down: %s", error)
            await asyncio.sleep(LOOK_AGAIN)
            return
        self._unwritten = []
        self._taken.difference_update(seqs)

    def _acknowledged(self, seqs: list[int]) -> Acknowledge:
        return Acknowledge(subscription=self.of.name, since=self.of.since, seqs=seqs)

    async def _write_last(self) -> None:
        """Acknowledge what was taken before the sender goes, however it came to that."""
        seqs, self._unwritten = self._unwritten, []
        if not seqs:
            return
        try:
            async with asyncio.timeout(LAST_WRITE):
                await written(self._service, self._acknowledged(seqs))
        except UnknownIdError:
            return
        except (TimeoutError, EligoError) as error:
            logger.warning("that webhooks were taken could not be written down: %s", error)


def signed(name: str, delivery: WebhookDelivery, message: Message) -> tuple[str, dict[str, str], bytes]:
    """URL, headers and body of an attempt."""
    body = msgspec.json.encode(WebhookJson(MESSAGE_TYPE, message.time, name, message_json(message)))
    return delivery.url, signed_headers(delivery.secret, f"{name}.{message.seq}", int(time.time()), body), body
