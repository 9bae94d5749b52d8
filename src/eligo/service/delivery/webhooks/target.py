"""Where may a webhook lead? To public addresses, and to hosts that were allowed by name.

    https://example.org/hook ─ resolve once ─▶ 93.184.216.34 ─ is it public? ─▶ connect to that address, and to no other

A name is resolved once for each attempt. What was looked at is what is connected to, one address after another until
one takes the connection: a name server that answers differently the second time is never asked a second time. All
addresses of a name must be public. An IPv6 address that stands for an IPv4 one (mapped, translated, 6to4, Teredo) is
looked at as that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from eligo.errors import EligoError, InputError, shown
from eligo.service.delivery.webhooks.lookups import Lookups
from eligo.service.delivery.webhooks.slots import Standing

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[list[str]]]
"""The addresses of a host and port."""

DEFAULT_PORTS = {"http": 80, "https": 443}
TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
"""IPv4 addresses in IPv6, in their last 32 bits (RFC 6052, RFC 8215)."""
MOST_ADDRESSES = 4
"""Of a host, that are tried in one attempt."""
COMPATIBLE = IPv6Network("::/96")


class RefusedTargetError(EligoError):
    """An address that webhooks may not lead to."""


class Target(NamedTuple):
    """Where to connect to, and what to call it there."""

    scheme: str
    host: str
    port: int
    address: str
    path: str
    """With its query."""
    others: tuple[str, ...] = ()
    """Further addresses of the host, which were looked at as well."""

    @property
    def each(self) -> Iterator[Target]:
        """One for each address, in the order in which the resolver gave them."""
        for address in (self.address, *self.others):
            yield self._replace(address=address)

    @property
    def url(self) -> str:
        """The address to connect to, as a URL."""
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"{self.scheme}://{host}:{self.port}{self.path}"

    @property
    def host_header(self) -> str:
        """What the header Host says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


def host_of(url: str) -> str:
    """The host that a URL names."""
    return (urlsplit(url).hostname or "").rstrip(".")


def embedded(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for; itself where it stands for none."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if address in COMPATIBLE or any(address in network for network in TRANSLATED):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def is_public(address: Address) -> bool:
    """Whether an address is one of the public network, and of no special use."""
    if isinstance(address, IPv6Address) and (address.scope_id is not None or address.is_site_local):
        return False
    meant = embedded(address)
    return all(
        each.is_global
        and not (each.is_multicast or each.is_reserved or each.is_private or each.is_loopback)
        and not (each.is_link_local or each.is_unspecified)
        for each in ({meant} if isinstance(meant, IPv4Address) else {meant, address})
    )


def allowed_hosts(names: Collection[str]) -> frozenset[tuple[str, int | None]]:
    """Hosts that may be private, as they were named: `HOST` or `HOST:PORT`, an IPv6 address in brackets."""
    found = set()
    for name in names:
        try:
            parts = urlsplit(f"//{name}")
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if not host or parts.path or parts.query or "@" in name:
            raise InputError(f"{shown(name)} is no host that webhooks may lead to", help="HOST or HOST:PORT")
        found.add((host.rstrip("."), port))
    return frozenset(found)


class Targets:
    """Resolves addresses of webhooks, and refuses those that are not public."""

    def __init__(self, allowed: Collection[str] = (), resolve: Resolve | None = None) -> None:
        self._allowed = allowed_hosts(allowed)
        self._resolve = resolve
        self._lookups = Lookups()

    async def of(self, url: str, standing: Standing = Standing.NEW) -> Target:
        """Where a URL leads to now; a `RefusedTargetError` where nothing may be sent to, an `OSError` for no answer."""
        parts = urlsplit(url)
        host = host_of(url)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
        if self._resolve is None:
            addresses = await self._lookups.addresses(host, port, standing)
        else:
            addresses = await self._resolve(host, port)
        if not addresses:
            raise OSError(f"the host {host} has no address")
        is_allowed = (host, None) in self._allowed or (host, port) in self._allowed
        if not is_allowed and not all(is_public(ip_address(each)) for each in addresses):
            raise RefusedTargetError(
                f"the host {host} has an address that is not public",
                help=f"start the service with --allow-webhook {host}:{port} if it is meant",
            )
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return Target(parts.scheme, host, port, addresses[0], path, tuple(addresses[1:MOST_ADDRESSES]))

    def close(self) -> None:
        """Wait for no answer any more."""
        self._lookups.close()
