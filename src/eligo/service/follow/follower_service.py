"""What does a program hold of a follower? A `Service` that is asked like any other, and that only its source changes.

    source ──▶ a thread: fetches, verifies, applies ──▶ state, swapped whole ──▶ readers, who wait for nobody

Readers keep the state that they have begun with. Subscriptions are delivered by the owner alone: a follower has none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, NoReturn, Protocol

from eligo.service.delivery.subscriptions import Subscriptions
from eligo.service.follow.following import Following
from eligo.service.records import AnyRecord
from eligo.service.service import Service, ServiceOptions
from eligo.service.state.memory_log import MemoryLog
from eligo.service.state.outcome import Answer, FollowerError, Outcome
from eligo.service.state.service_state import ServiceState
from eligo.storage.publish_lock import HeldLock


class Source(Protocol):
    """Where a follower has it from."""

    def begin(self, take_up: Callable[[ServiceState, int], None]) -> None:
        """Go on calling `take_up` with a state and its version, in a thread of its own."""

    def close(self) -> None:
        """Do so no more."""


class FollowerService(Service):
    """A service that can be read only, and that keeps up with a source."""

    def __init__(
        self,
        state: ServiceState,
        version: int,
        following: Following,
        source: Source,
        options: ServiceOptions | None = None,
        lock: HeldLock | None = None,
    ) -> None:
        super().__init__(state, options or ServiceOptions(), MemoryLog(state.seq), lock)
        self.version = version
        self._following = following
        self._source = source
        self._no_subscriptions = Subscriptions(state.expressions.index.missing)
        source.begin(self._take_up_state)

    def _take_up_state(self, state: ServiceState, version: int) -> None:
        """Answer from a state from now on; it may be the one of before, which has moved on."""
        self.state = state
        self.version = version
        self.progress.move(state.seq)

    @property
    def subscriptions(self) -> Subscriptions:
        """None: whoever follows delivers nothing."""
        return self._no_subscriptions

    @property
    def following(self) -> dict[str, object] | None:
        """Whom it follows, and how far behind it is."""
        return self._following.to_json(self.seq, self.version)

    def submit(self, record: AnyRecord) -> Future[Outcome]:
        """Refused."""
        self._refuse()

    def submit_many(self, records: Sequence[AnyRecord]) -> Future[list[Answer]]:
        """Refused."""
        self._refuse()

    def submit_in_loop(self, record: AnyRecord) -> asyncio.Future[Outcome]:
        """Refused."""
        self._refuse()

    def submit_many_in_loop(self, records: Sequence[AnyRecord]) -> asyncio.Future[list[Answer]]:
        """Refused."""
        self._refuse()

    def checkpoint(self) -> Any:
        """Refused."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise FollowerError(
            f"this service follows {self._following.source} and can only be read",
            help=f"send changes to the owner: {self._following.source}",
        )

    def close(self) -> None:
        """Follow no more."""
        self._source.close()
        super().close()
