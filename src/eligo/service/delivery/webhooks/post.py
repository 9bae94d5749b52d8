"""How is one message posted? To the address that was looked at, with no redirect followed and no proxy asked.

A connection is used again for the same subscription only, and only while it leads to the address that was looked at
last. Of an answer no more is read than its beginning.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import NamedTuple

import httpx2

from eligo.errors import EligoError
from eligo.service.delivery.webhooks.slots import Standing
from eligo.service.delivery.webhooks.target import Target, Targets

MOST_ANSWER = 64 << 10
"""Bytes of an answer that are read, for the connection to be used again."""
MOST_RETRY_AFTER = 3_600.0
"""Seconds that a receiver may ask us to wait."""
IDLE_SECONDS = 5.0
"""A connection that was not used for so long is closed."""


class Posted(NamedTuple):
    """What became of an attempt."""

    is_taken: bool
    reason: str = ""
    """Why it failed."""
    retry_after: float = 0.0
    """Seconds that the receiver asked for."""


class Poster:
    """Posts the messages of one subscription."""

    def __init__(self, targets: Targets, tls: ssl.SSLContext) -> None:
        self._targets = targets
        limits = httpx2.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=IDLE_SECONDS)
        self._transport = httpx2.AsyncHTTPTransport(verify=tls, trust_env=False, http2=False, retries=0, limits=limits)

    async def post(
        self, url: str, headers: dict[str, str], body: bytes, seconds: float, standing: Standing = Standing.NEW
    ) -> Posted:
        """Send a body; never raises for what the receiver or the network does. `standing`: how the last one went."""
        try:
            async with asyncio.timeout(seconds):
                return await self._post(url, headers, body, standing)
        except TimeoutError:
            return Posted(False, f"no answer within {seconds:g} s")
        except EligoError as error:
            return Posted(False, error.message)
        except (OSError, httpx2.TransportError, httpx2.InvalidURL) as error:
            return Posted(False, f"{type(error).__name__}: {error}"[:200])

    async def _post(self, url: str, headers: dict[str, str], body: bytes, standing: Standing) -> Posted:
        response = await self._sent(await self._targets.of(url, standing), headers, body)
        try:
            status = response.status_code
            size = 0
            async for chunk in response.aiter_raw():
                size += len(chunk)
                if size > MOST_ANSWER:
                    break
        finally:
            await response.aclose()
        if 200 <= status < 300:
            return Posted(True)
        if 300 <= status < 400:
            return Posted(False, f"answered {status}: redirects are not followed")
        return Posted(False, f"answered {status}", _retry_after(response))

    async def _sent(self, target: Target, headers: dict[str, str], body: bytes) -> httpx2.Response:
        """The answer from the first address that takes a connection; nothing was sent to those before it."""
        own = {"host": target.host_header, "user-agent": "eligo", "content-type": "application/json"}
        failure: httpx2.ConnectError | None = None
        for each in target.each:
            request = httpx2.Request(
                "POST",
                each.url,
                headers={**own, **headers},
                content=body,
                extensions={"sni_hostname": each.host} if each.host != each.address else {},
            )
            try:
                return await self._transport.handle_async_request(request)
            except httpx2.ConnectError as error:
                failure = error
        assert failure is not None
        raise failure

    async def close(self) -> None:
        """Close the connection."""
        await self._transport.aclose()


def _retry_after(response: httpx2.Response) -> float:
    given = response.headers.get("retry-after", "")
    return min(float(given), MOST_RETRY_AFTER) if given.isdigit() and len(given) < 9 else 0.0
