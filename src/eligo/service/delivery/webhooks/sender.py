"""How does a webhook get its messages? One after another, each until it was taken or is a dead letter.

    42 ─ post ─▶ 200            43 ─ post ─▶ 500 ─ refused, wait 1 s ─ post ─▶ 200          44 …
         └ acknowledged soon, with others

That a message was taken is written down in batches; the next one does not wait for it. A process that is killed in
between sends some once more.
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
from eligo.service.delivery.webhooks.post import Posted, Poster
from eligo.service.delivery.webhooks.signature import signed_headers
from eligo.service.delivery.webhooks.target import Targets
from eligo.service.delivery.writing import written
from eligo.service.records import Acknowledge, Refuse, WebhookDelivery
from eligo.service.service import Service

logger = logging.getLogger("eligo.service")

MOST_UNWRITTEN = 100
"""Messages that were taken and are not written down as such."""
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

    def __init__(self, service: Service, bell: Bell, name: str, slots: asyncio.Semaphore) -> None:
        self._service = service
        self._bell = bell
        self._name = name
        self._slots = slots
        self._taken: set[int] = set()
        """Seqs of messages that were taken, until that is written down."""
        self._unwritten: list[int] = []

    async def run(self, targets: Targets, tls: ssl.SSLContext) -> None:
        """Send what waits; ends when nothing does, or when the subscription is no webhook any more."""
        poster = Poster(targets, tls)
        try:
            with self._bell.listening(self._name) as changed:
                while True:
                    changed.clear()
                    delivery = self._service.subscriptions.get(self._name).delivery
                    if not isinstance(delivery, WebhookDelivery):
                        return
                    found = self._service.subscriptions.messages(self._name, 1, self._taken)
                    if found:
                        await self._send(poster, delivery, found[0], changed)
                    elif self._unwritten:
                        await self._write_down()
                    else:
                        return
        except UnknownIdError:
            return
        finally:
            await poster.close()

    async def _send(self, poster: Poster, delivery: WebhookDelivery, message: Message, changed: asyncio.Event) -> None:
        async with self._slots:
            posted = await poster.post(*signed(self._name, delivery, message), delivery.timeout)
        if posted.is_taken:
            self._taken.add(message.seq)
            self._unwritten.append(message.seq)
            if len(self._unwritten) >= MOST_UNWRITTEN:
                await self._write_down()
            return
        if self._unwritten:
            await self._write_down()
        if await self._refused(message, posted):
            seconds = max(jittered(pause(delivery.backoff, message.refusals + 1)), posted.retry_after)
            await self._rest(seconds, delivery, changed)

    async def _rest(self, seconds: float, delivery: WebhookDelivery, changed: asyncio.Event) -> None:
        """Wait, unless the subscription becomes another meanwhile."""
        clock = asyncio.get_running_loop().time
        end = clock() + seconds
        while clock() < end:
            changed.clear()
            if self._service.subscriptions.get(self._name).delivery != delivery:
                return
            await rings(changed, end - clock())

    async def _refused(self, message: Message, posted: Posted) -> bool:
        """Write down that an attempt failed; whether the message will be tried again."""
        record = Refuse(subscription=self._name, seqs=[message.seq], time=datetime.now(UTC), reason=posted.reason)
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
            await written(self._service, Acknowledge(subscription=self._name, seqs=seqs))
        except UnknownIdError:
            raise
        except EligoError as error:
            logger.warning("that webhooks were taken could not be written down: %s", error)
            await asyncio.sleep(LOOK_AGAIN)
            return
        self._unwritten = []
        self._taken.difference_update(seqs)


def signed(name: str, delivery: WebhookDelivery, message: Message) -> tuple[str, dict[str, str], bytes]:
    """URL, headers and body of an attempt."""
    body = msgspec.json.encode(WebhookJson(MESSAGE_TYPE, message.time, name, message_json(message)))
    return delivery.url, signed_headers(delivery.secret, f"{name}.{message.seq}", int(time.time()), body), body
