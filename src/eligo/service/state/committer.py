"""How do many writers share one disk? One thread takes all records that wait, and writes them with one fsync.

    writers      a   b c     d e f …       each gets a future
    committer    [a] [b c]   [d e f]       append, fsync, apply, then the futures are done
                  1   2 3     4 5 6        seq

While one group is on its way to the disk the next one gathers: the slower the disk, the larger the groups. What is
acknowledged is on the disk and is seen. The queue is bounded, in records and in bytes: beyond that a writer is told
when to come back. When the log fails, nothing more is written until the service is opened again, because what the disk
has is not known; readers go on.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from eligo.errors import EligoError
from eligo.service.records import AnyRecord, to_bytes
from eligo.service.state.memory_log import RecordLog
from eligo.service.state.outcome import Answer, BusyError, ReadOnlyError
from eligo.service.state.progress import call_in_loop

logger = logging.getLogger("eligo.service")

MOST_IN_GROUP = 4_096
"""Records of one fsync; more wait for the next."""
MOST_BYTES_IN_GROUP = 8 << 20
LEAST_RETRY, MOST_RETRY = 0.05, 5.0
"""Bounds of the seconds after which a writer is told to come back."""
OPEN_AGAIN = "restart the service: it has everything that was acknowledged"

Apply = Callable[[int, Sequence[AnyRecord]], list[Answer]]
"""Applies records of consecutive numbers, of which the first is given, and says what became of each."""


class Queue(NamedTuple):
    """How much may wait."""

    records: int = 16_384
    num_bytes: int = 64 << 20


class Waiting(NamedTuple):
    """Records that someone waits for, all of them together."""

    records: Sequence[AnyRecord]
    payloads: Sequence[bytes]
    num_bytes: int
    loop: asyncio.AbstractEventLoop | None
    """Where the future is to be resolved; None for one that any thread may."""
    future: Any
    is_single: bool


class Commits(NamedTuple):
    """What a committer has done so far."""

    num_groups: int = 0
    num_records: int = 0
    append_seconds: float = 0.0
    """In the log, fsync included."""
    apply_seconds: float = 0.0


class Committer:
    """Writes records to a log and applies them, in one order, for any number of writers."""

    def __init__(self, log: RecordLog, apply: Apply, queue: Queue = Queue()) -> None:  # noqa: B008
        self.commits = Commits()
        self.failure: str | None = None
        """Why nothing is written any more, if so."""
        self._log = log
        self._apply = apply
        self._queue = queue
        self._waiting: deque[Waiting] = deque()
        self._num_waiting = self._num_bytes = 0
        self._seconds_of_record = 1e-4
        self._changed = threading.Condition(threading.Lock())
        self._is_idle = False
        self._is_closed = False
        self._errands: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._thread = threading.Thread(target=self._run, name="eligo-committer", daemon=True)
        self._thread.start()

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    @property
    def num_waiting(self) -> int:
        """Records that are not on the disk yet."""
        return self._num_waiting

    def submit(self, records: Sequence[AnyRecord], *, is_single: bool) -> Future[Any]:
        """Have records written; the future has an `Outcome` or raises, for a single one, or a list of answers."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # what is on its way to the disk cannot be called back
        self._add(records, None, future, is_single)
        return future

    def submit_in_loop(self, records: Sequence[AnyRecord], *, is_single: bool) -> asyncio.Future[Any]:
        """The same from a running loop; all futures of a group are resolved there by one call."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._add(records, loop, future, is_single)
        return future

    def _add(
        self, records: Sequence[AnyRecord], loop: asyncio.AbstractEventLoop | None, future: Any, is_single: bool
    ) -> None:
        if not records:
            _resolve(future, [])
            return
        payloads = [to_bytes(record) for record in records]
        num_bytes = sum(map(len, payloads))
        waiting = Waiting(records, payloads, num_bytes, loop, future, is_single)
        with self._changed:
            self._require_open()
            # What is larger than the queue is let in when it is alone: it could never be otherwise.
            if self._num_waiting and (
                self._num_waiting + len(records) > self._queue.records
                or self._num_bytes + num_bytes > self._queue.num_bytes
            ):
                raise self._busy()
            self._waiting.append(waiting)
            self._num_waiting += len(records)
            self._num_bytes += num_bytes
            if self._is_idle:
                self._changed.notify()

    def _require_open(self) -> None:
        if self.failure is not None:
            raise ReadOnlyError(f"nothing is written any more: {self.failure}", help=OPEN_AGAIN)
        if self._is_closed:
            raise ReadOnlyError("the service is closed", help="open it again")

    def _busy(self) -> BusyError:
        seconds = min(MOST_RETRY, max(LEAST_RETRY, self._num_waiting * self._seconds_of_record))
        return BusyError(
            f"{self._num_waiting:,} changes of {self._num_bytes:,} bytes wait to be written, and no more may",
            retry_after=seconds,
            help=f"try again in {seconds:.2g} seconds",
        )

    def between_groups(self, errand: Callable[[], Any]) -> Future[Any]:
        """Have something done by the committer's thread while no record is half applied; records wait for it."""
        future: Future[Any] = Future()
        with self._changed:
            if self._is_closed:
                raise ReadOnlyError("the service is closed", help="open it again")
            self._errands.append((errand, future))
            self._changed.notify()
        return future

    def close(self) -> None:
        """Write what waits, then take no more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._errands:
                    if self._is_closed:
                        return
                    self._is_idle = True
                    self._changed.wait()
                self._is_idle = False
                errands, group = self._take()
            for errand, future in errands:
                _run_errand(errand, future)
            if group:
                self._commit(group)
                with self._changed:
                    self._num_waiting -= sum(len(waiting.records) for waiting in group)
                    self._num_bytes -= sum(waiting.num_bytes for waiting in group)

    def _take(self) -> tuple[list[tuple[Callable[[], Any], Future[Any]]], list[Waiting]]:
        """The next group, and what is to be done before it."""
        errands = list(self._errands)
        self._errands.clear()
        group: list[Waiting] = []
        num_records = num_bytes = 0
        while self._waiting and num_records < MOST_IN_GROUP and num_bytes < MOST_BYTES_IN_GROUP:
            waiting = self._waiting.popleft()
            group.append(waiting)
            num_records += len(waiting.records)
            num_bytes += waiting.num_bytes
        return errands, group

    def _commit(self, group: list[Waiting]) -> None:
        if self.failure is not None:
            _refuse(group, f"nothing is written any more: {self.failure}")
            return
        records = [record for waiting in group for record in waiting.records]
        began = time.perf_counter()
        try:
            seqs = self._log.append([payload for waiting in group for payload in waiting.payloads])
            written = time.perf_counter()
            answers = self._apply(seqs.start, records)
        except BaseException as error:
            self.failure = _said(error)
            logger.error("nothing more is written until a restart: %s", self.failure, exc_info=error)
            _refuse(group, f"the change may be lost, and nothing more is written: {self.failure}")
            return
        ended = time.perf_counter()
        self._note(len(records), written - began, ended - written)
        _answer(group, answers)

    def _note(self, num_records: int, append_seconds: float, apply_seconds: float) -> None:
        before = self.commits
        self.commits = Commits(
            before.num_groups + 1,
            before.num_records + num_records,
            before.append_seconds + append_seconds,
            before.apply_seconds + apply_seconds,
        )
        now = (append_seconds + apply_seconds) / num_records
        self._seconds_of_record += (now - self._seconds_of_record) / 8


def _said(error: BaseException) -> str:
    return error.message if isinstance(error, EligoError) else f"{type(error).__name__}: {error}"


def _run_errand(errand: Callable[[], Any], future: Future[Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(errand())
    except BaseException as error:
        future.set_exception(error)


def _answer(group: Sequence[Waiting], answers: Sequence[Answer]) -> None:
    """Resolve the futures of a group; those of a loop by one call."""
    place = 0
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[Any, Any]]] = {}
    for waiting in group:
        end = place + len(waiting.records)
        answer: Any = answers[place] if waiting.is_single else list(answers[place:end])
        place = end
        if waiting.loop is not None:
            by_loop.setdefault(waiting.loop, []).append((waiting.future, answer))
        else:
            _resolve(waiting.future, answer)
    for loop, resolved in by_loop.items():
        call_in_loop(loop, _resolve_all, resolved)


def _refuse(group: Sequence[Waiting], why: str) -> None:
    """Tell all of a group the same."""
    for waiting in group:
        error = ReadOnlyError(why, help=OPEN_AGAIN)  # each its own, for each gets a traceback of its own
        if waiting.loop is not None:
            call_in_loop(waiting.loop, _resolve, waiting.future, error)
        else:
            _resolve(waiting.future, error)


def _resolve_all(resolved: Sequence[tuple[Any, Any]]) -> None:
    for future, answer in resolved:
        _resolve(future, answer)


def _resolve(future: Any, answer: Any) -> None:
    if future.done():  # one of a loop, which was cancelled
        return
    if isinstance(answer, EligoError):
        future.set_exception(answer)
    else:
        future.set_result(answer)
