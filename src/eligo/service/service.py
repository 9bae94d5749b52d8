"""What does a program hold of a service? A `Service`: it is asked without waiting, and changed by records.

    service = Service.open("data")                       # or in memory: Service.open(None)
    outcome = service.write(PutExpression(id="ad-7", expression="age > 18"))
    service.expressions.index.match({"age": 30})         # ["ad-7"]

What was acknowledged is in the log and on the disk, and only then it is seen.
HTTP, delivery and followers stand on this.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Self

from eligo.index.build_open import build
from eligo.joins.document_base import DocumentBase
from eligo.language.evaluate import Missing
from eligo.service.delivery.subscriptions import Subscriptions
from eligo.service.records import AnyRecord, Durability
from eligo.service.state.committer import Committer, Queue
from eligo.service.state.document_moments import DocumentMoments
from eligo.service.state.expressions import Expressions
from eligo.service.state.memory_log import MemoryLog, RecordLog
from eligo.service.state.outcome import Answer, Outcome
from eligo.service.state.progress import Progress
from eligo.service.state.publications import Publications
from eligo.service.state.service_state import ServiceState


@dataclass(frozen=True)
class ServiceOptions:
    """How a service is run; what it means (`missing`) is decided when its directory is made."""

    missing: Missing = "unknown"
    durability: Durability = "fsync"
    keep_last: int | None = None
    """Documents that the base keeps."""
    keep_for: timedelta | str | None = None
    keep_if: str | None = None
    remember_publications: timedelta = field(default=timedelta(days=1))
    """For so long a publication that comes again is recognised."""
    checkpoint_bytes: int = 64 << 20
    """When the log has grown by so much, a checkpoint is made."""
    queue: Queue = field(default=Queue())
    """How much may wait to be written, before writers are told to come back."""


class Service:
    """Expressions, documents and subscriptions that many ask and change, and that survive the process."""

    def __init__(self, state: ServiceState, options: ServiceOptions, log: RecordLog) -> None:
        self.state = state
        self.options = options
        self.version = 0
        """Of the expressions' index: the last that was published; 0 before the first."""
        self.log = log
        self.progress = Progress(state.seq)
        self.committer = Committer(log, self._apply, options.queue)

    @classmethod
    def open(cls, directory: str | os.PathLike[str] | None, options: ServiceOptions | None = None) -> Self:
        """The service of a directory, which is made where there is none; with None one in memory, for trying."""
        known = options or ServiceOptions()
        documents = DocumentBase(keep_last=known.keep_last, keep_for=known.keep_for, keep_if=known.keep_if)
        expressions = Expressions(build({}, missing=known.missing))
        state = ServiceState(
            expressions,
            documents,
            Subscriptions(known.missing),
            Publications(known.remember_publications),
            DocumentMoments(),
        )
        return cls(state, known, MemoryLog())

    @property
    def expressions(self) -> Expressions:
        return self.state.expressions

    @property
    def documents(self) -> DocumentBase:
        return self.state.documents

    @property
    def subscriptions(self) -> Subscriptions:
        return self.state.subscriptions

    @property
    def seq(self) -> int:
        """Of the last record that is seen: whoever reads it and then asks sees at least that."""
        return self.progress.seq

    def submit(self, record: AnyRecord) -> Future[Outcome]:
        """Have a record written; the future is done when it is on the disk and seen, or was refused.

        A `BusyError` when too much waits already, a `ReadOnlyError` when nothing is written any more.
        """
        return self.committer.submit([record], is_single=True)

    def submit_many(self, records: Sequence[AnyRecord]) -> Future[list[Answer]]:
        """The same for records that come together, with an answer for each: quicker than one by one."""
        return self.committer.submit(records, is_single=False)

    def submit_in_loop(self, record: AnyRecord) -> asyncio.Future[Outcome]:
        """As `submit` from a running event loop."""
        return self.committer.submit_in_loop([record], is_single=True)

    def submit_many_in_loop(self, records: Sequence[AnyRecord]) -> asyncio.Future[list[Answer]]:
        """As `submit_many` from a running event loop."""
        return self.committer.submit_in_loop(records, is_single=False)

    def write(self, record: AnyRecord) -> Outcome:
        """As `submit`, waited for."""
        return self.submit(record).result()

    def wait_for(self, seq: int, timeout: float) -> bool:
        """Wait until the record of a number is seen; False when that took too long."""
        return self.progress.wait(seq, timeout)

    async def wait_for_in_loop(self, seq: int, timeout: float) -> bool:
        """The same in a running event loop."""
        return await self.progress.wait_in_loop(seq, timeout)

    def _apply(self, first_seq: int, records: Sequence[AnyRecord]) -> list[Answer]:
        answers = self.state.apply_group(first_seq, records)
        self.progress.move(self.state.seq)
        return answers

    def close(self) -> None:
        """Write what is not written, and let the directory go."""
        self.committer.close()
        self.log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
