"""Which addresses are public, and which hosts are allowed by name?"""

from __future__ import annotations

import asyncio
from ipaddress import ip_address

import pytest

from eligo.errors import InputError
from eligo.service.delivery.webhooks.target import RefusedTargetError, Target, Targets, allowed_hosts, is_public


@pytest.mark.parametrize(
    "address",
    ["93.184.216.34", "8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"],
)
def test_public_addresses(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.255.255.254",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "192.0.0.1",
        "192.0.2.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::a00:1",
        "2002:7f00:1::1",
        "2002:a00:1::",
        "2001:0:4136:e378:8000:63bf:80ff:fffe",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fd12:3456::1",
        "fec0::1",
        "ff02::1",
        "100::1",
        "2001:db8::1",
    ],
)
def test_addresses_of_special_use(address: str) -> None:
    assert not is_public(ip_address(address))


def test_hosts_are_allowed_by_name_with_or_without_a_port() -> None:
    assert allowed_hosts(["Hooks.internal", "127.0.0.1:9000", "[::1]:80", "dot.example."]) == {
        ("hooks.internal", None),
        ("127.0.0.1", 9000),
        ("::1", 80),
        ("dot.example", None),
    }
    for odd in ("", "http://a", "a/b", "a:x", "user@a"):
        with pytest.raises(InputError, match="no host"):
            allowed_hosts([odd])


def test_only_the_port_that_was_named_is_allowed() -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    targets = Targets(["inner.example:81"], resolve)
    assert asyncio.run(targets.of("http://INNER.example.:81/a?b")) == Target(
        "http", "inner.example", 81, "127.0.0.1", "/a?b"
    )
    with pytest.raises(RefusedTargetError, match="not public") as refused:
        asyncio.run(targets.of("http://inner.example/"))
    assert "--allow-webhook inner.example:80" in refused.value.help
    targets.close()


def test_names_and_addresses_become_urls_and_host_headers() -> None:
    target = Target("https", "a.example", 443, "2606:4700::1", "/x")
    assert (target.url, target.host_header) == ("https://[2606:4700::1]:443/x", "a.example")
    target = Target("http", "::1", 81, "::1", "/")
    assert (target.url, target.host_header) == ("http://[::1]:81/", "[::1]:81")
