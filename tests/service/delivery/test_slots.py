"""Do receivers and name servers that are dead leave slots to the others?"""

from __future__ import annotations

import asyncio
import threading
from contextlib import AsyncExitStack

from delivering_service import DEADLINE
from eligo.service.delivery.webhooks.lookups import Lookups
from eligo.service.delivery.webhooks.slots import Slots, Standing


async def held(slots: Slots, stack: AsyncExitStack, standing: Standing, hosts: list[str]) -> int:
    """How many of the hosts get a slot, of those that want one at once."""

    async def take(host: str) -> None:
        await stack.enter_async_context(slots.of(host, standing))
        taken.append(host)

    taken: list[str] = []
    waiting = [asyncio.create_task(take(host)) for host in hosts]
    for _ in range(100):
        await asyncio.sleep(0)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    return len(taken)


def test_those_that_failed_leave_slots_to_those_that_did_not() -> None:
    async def counts() -> list[int]:
        slots = Slots(16, 4)
        async with AsyncExitStack() as stack:
            hosts = [f"h{place}" for place in range(20)]
            return [await held(slots, stack, standing, hosts) for standing in Standing]

    assert asyncio.run(counts()) == [8, 4, 4]


def test_one_host_has_a_part_of_them_for_each_standing() -> None:
    async def counts() -> list[int]:
        slots = Slots(64, 4)
        async with AsyncExitStack() as stack:
            found = [await held(slots, stack, standing, ["h"] * 9) for standing in (Standing.FAILED, Standing.TAKEN)]
            return [*found, await held(slots, stack, Standing.FAILED, ["other"] * 9)]

    assert asyncio.run(counts()) == [4, 4, 4]


def test_a_slot_that_is_let_go_is_anothers() -> None:
    async def taken() -> int:
        slots = Slots(4, 1)
        async with asyncio.timeout(DEADLINE):
            for _ in range(20):
                async with slots.of("h", Standing.FAILED):
                    await asyncio.sleep(0)
        return 20

    assert asyncio.run(taken()) == 20


def test_name_servers_that_hang_hold_up_no_other_name() -> None:
    is_over = threading.Event()
    asked: list[str] = []

    def ask(host: str, port: int) -> list[str]:
        asked.append(host)
        if host.startswith("dead"):
            is_over.wait(DEADLINE)
        return ["192.0.2.1"]

    async def found() -> list[str]:
        lookups = Lookups(ask, most=16)
        dead = [
            asyncio.create_task(lookups.addresses(f"dead{place}", 80, Standing.FAILED))
            for place in [*range(40), *range(40)]
        ]
        try:
            async with asyncio.timeout(DEADLINE / 2):
                await lookups.addresses("new", 80, Standing.NEW)
                return await lookups.addresses("good", 80, Standing.TAKEN)
        finally:
            is_over.set()
            for task in dead:
                task.cancel()
            await asyncio.gather(*dead, return_exceptions=True)
            lookups.close()

    assert asyncio.run(found()) == ["192.0.2.1"]
    assert len([host for host in asked if host.startswith("dead")]) >= 8
    assert len(asked) == len(set(asked))  # who asks for the same host shares the answer
