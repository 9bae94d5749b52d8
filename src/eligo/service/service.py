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
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Self

from eligo.arguments import path as path_argument
from eligo.errors import EligoError
from eligo.index.build_open import build
from eligo.joins.document_base import DocumentBase, restored_base
from eligo.joins.keep_rules import KeepRules
from eligo.language.evaluate import Missing
from eligo.service.delivery.subscriptions import Subscriptions
from eligo.service.records import AnyRecord, Durability
from eligo.service.state.checkpoint_manifest import Checkpoint
from eligo.service.state.checkpointer import Checkpointer
from eligo.service.state.committer import Committer, Queue
from eligo.service.state.document_moments import DocumentMoments
from eligo.service.state.expressions import Expressions
from eligo.service.state.memory_log import MemoryLog
from eligo.service.state.outcome import Answer, Outcome, ReadOnlyError
from eligo.service.state.owner_lock import own
from eligo.service.state.progress import Progress
from eligo.service.state.publications import Publications
from eligo.service.state.recovery import Recovered, Recovery, recover
from eligo.service.state.rules import Rules
from eligo.service.state.service_state import ServiceState
from eligo.storage.log.log import Log
from eligo.storage.publish_lock import HeldLock
from eligo.storage.replace_file import make_directory

KEEP_LAST = 1_000_000
"""Documents that the base keeps unless something else is said."""


@dataclass(frozen=True)
class ServiceOptions:
    """How a service is run; what it means (`missing`) is decided when its directory is made."""

    missing: Missing | None = None
    """None: as the directory has it, "unknown" for a new one. Another than the directory's is refused."""
    durability: Durability = "fsync"
    keep_last: int | None = KEEP_LAST
    """Documents that the base keeps; None for all."""
    keep_for: timedelta | str | None = None
    keep_if: str | None = None
    remember_publications: timedelta = field(default=timedelta(days=1))
    """For so long a publication that comes again is recognised."""
    checkpoint_bytes: int = 64 << 20
    """When the log has grown by so much, a checkpoint is made."""
    queue: Queue = field(default=Queue())
    """How much may wait to be written, before writers are told to come back."""

    @property
    def rules(self) -> Rules:
        """What records are applied by."""
        keep = KeepRules.of(self.keep_last, self.keep_for, self.keep_if)
        return Rules.of(self.missing or "unknown", keep, self.remember_publications)


class Service:
    """Expressions, documents and subscriptions that many ask and change, and that survive the process."""

    def __init__(
        self,
        state: ServiceState,
        options: ServiceOptions,
        log: Log | MemoryLog,
        lock: HeldLock | None = None,
    ) -> None:
        self.state = state
        self.options = options
        self.version = 0
        """Of the expressions' index: the last that was published; 0 before the first."""
        self.log = log
        self.recovery: Recovery | None = None
        """What opening the directory has found."""
        self.directory: Path | None = None
        self.progress = Progress(state.seq)
        self._lock = lock
        self._checkpointer: Checkpointer | None = None
        self.committer = Committer(log, self._apply, options.queue)

    def _take_up(self, recovered: Recovered) -> None:
        self.directory = recovered.writer.directory
        self.recovery = recovered.recovery
        rules = Rules.of(recovered.rules.missing, self.options.rules.keep, self.options.remember_publications)
        checkpointer = Checkpointer(
            self.state,
            recovered.log,
            self.committer,
            recovered.writer,
            rules,
            self.options.checkpoint_bytes,
            self._note_checkpoint,
        )
        self.version = 0 if recovered.writer.last is None else recovered.writer.last.expressions
        if rules != recovered.rules:
            checkpointer.make()
            self.state.set_rules(rules)
        self._checkpointer = checkpointer

    def _note_checkpoint(self, checkpoint: Checkpoint) -> None:
        self.version = checkpoint.expressions

    @classmethod
    def open(cls, directory: str | os.PathLike[str] | None, options: ServiceOptions | None = None) -> Self:
        """The service of a directory, which is made where there is none; with None one in memory, for trying.

        A directory has one owner: an `OwnedElsewhereError` names the process that has it. What was acknowledged before
        is there again; `recovery` says what was found.
        """
        known = options or ServiceOptions()
        rules = known.rules
        if directory is None:
            state = ServiceState(
                Expressions(build({}, missing=rules.missing)),
                restored_base((), 0, rules.keep),
                Subscriptions(rules.missing),
                Publications(rules.remember_publications),
                DocumentMoments(),
            )
            return cls(state, known, MemoryLog())
        path = Path(path_argument(directory))
        make_directory(path, is_private=True)
        lock = own(path)
        try:
            recovered = recover(path, rules, known.missing, known.durability)
        except BaseException:
            lock.release()
            raise
        service = cls(recovered.state, known, recovered.log, lock)
        try:
            service._take_up(recovered)
        except BaseException:
            service.close()
            raise
        return service

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
        if self._checkpointer is not None:
            self._checkpointer.begin_if_due()
        return answers

    @property
    def following(self) -> dict[str, object] | None:
        """Of a follower: whom it follows, and how far behind it is. An owner follows nobody."""
        return None

    @property
    def checkpoints(self) -> Checkpointer | None:
        """What makes checkpoints; None in memory."""
        return self._checkpointer

    def checkpoint(self) -> Checkpoint:
        """Make a checkpoint now, while others read and write on, and return it."""
        if self._checkpointer is None:
            raise ReadOnlyError("a service in memory has no checkpoints", help="open one with a directory")
        return self._checkpointer.make()

    def close(self) -> None:
        """Write what is not written, make a checkpoint, so that the next start is quick, and let the directory go."""
        with ExitStack() as closing:  # each of them is closed, whatever the others raise
            if self._lock is not None:
                closing.callback(self._lock.release)
            closing.callback(self._close_log)
            closing.callback(self.committer.close)
            if self._checkpointer is not None and not self.committer.is_closed:
                self._checkpointer.wait()
                self._checkpointer.make_last()

    def _close_log(self) -> None:
        with suppress(EligoError):  # which has said so before
            self.log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
