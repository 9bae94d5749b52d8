"""Are requests that come together matched together, each with its own answer?"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from eligo.errors import EventError
from eligo.service.http.events import event_matching
from eligo.service.http.events.event_block import EventBlock
from eligo.service.records import PutExpression
from eligo.service.service import Service


@pytest.fixture
def service() -> Service:
    service = Service.open(None)
    service.write(PutExpression(id="one", expression="x = 1"))
    service.write(PutExpression(id="some", expression="x > 0"))
    service.write(PutExpression(id="acme", expression="x > 0", tenant="acme"))
    service.write(PutExpression(id="old", expression="x > 0", valid_to=datetime(2020, 1, 1, tzinfo=UTC)))
    return service


def blocks_of(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the blocks that are matched from now on."""
    sizes: list[int] = []
    before = event_matching.matched

    def counted(service: Service, events: list[event_matching.Event]) -> object:
        sizes.append(len(events))
        return before(service, events)

    monkeypatch.setattr(event_matching, "matched", counted)
    return sizes


@pytest.mark.parametrize("number", [1, 2, 15, 16, 40])
def test_what_comes_in_one_turn_is_one_block(service: Service, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    sizes = blocks_of(monkeypatch)

    async def main() -> list[list[str | int]]:
        block = EventBlock(service, 256)
        return await asyncio.gather(*(block.ask(b'{"x":%d}' % place, None, None) for place in range(number)))

    found = asyncio.run(main())
    assert sizes == [number]
    assert found == [([] if place < 1 else ["one", "some"] if place == 1 else ["some"]) for place in range(number)]


def test_a_block_is_bounded(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = blocks_of(monkeypatch)

    async def main() -> None:
        block = EventBlock(service, 4)
        await asyncio.gather(*(block.ask(b'{"x":1}', None, None) for _ in range(10)))

    asyncio.run(main())
    assert sizes == [4, 4, 2]


@pytest.mark.parametrize("number", [3, 40])
def test_a_bad_event_fails_alone(service: Service, number: int) -> None:
    texts = [b'{"x":2}'] * number
    texts[1] = b'{"x":'

    async def main() -> list[object]:
        block = EventBlock(service, 256)
        return await asyncio.gather(*(block.ask(text, None, None) for text in texts), return_exceptions=True)

    found = asyncio.run(main())
    assert isinstance(found[1], EventError)
    assert found[:1] + found[2:] == [["some"]] * (number - 1)


@pytest.mark.parametrize("number", [1, 20])
def test_each_event_has_its_own_tenant_and_time(service: Service, number: int) -> None:
    old = datetime(2019, 1, 1, tzinfo=UTC)

    async def main() -> list[list[list[str | int]]]:
        block = EventBlock(service, 256)
        asked = [
            [block.ask(b'{"x":5}', *of) for of in ((None, None), ("acme", None), (None, old))] for _ in range(number)
        ]
        return [await asyncio.gather(*each) for each in asked]

    assert asyncio.run(main()) == [[["some"], ["some", "acme"], ["some", "old"]]] * number


def test_a_client_that_goes_keeps_nobody_waiting(service: Service) -> None:
    async def main() -> list[str | int]:
        block = EventBlock(service, 256)
        gone, waits = block.ask(b'{"x":1}', None, None), block.ask(b'{"x":1}', None, None)
        gone.cancel()
        return await waits

    assert asyncio.run(main()) == ["one", "some"]
