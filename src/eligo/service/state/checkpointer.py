"""When is a checkpoint made? When the log has grown by so much, or when someone asks; beside readers and writers.

Records wait only while the cut is taken. A checkpoint that fails changes nothing: the one before it counts, the log
stays as it is, and the next is tried when the log has grown again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from eligo.errors import EligoError
from eligo.service.state.checkpoint_manifest import Checkpoint
from eligo.service.state.checkpoint_writer import CheckpointWriter
from eligo.service.state.committer import OPEN_AGAIN, Committer
from eligo.service.state.cut import cut
from eligo.service.state.outcome import ReadOnlyError
from eligo.service.state.rules import Rules
from eligo.service.state.service_state import ServiceState
from eligo.storage.log.log import Log

logger = logging.getLogger("eligo.service")


class Checkpointer:
    """Makes checkpoints of a service."""

    def __init__(
        self,
        state: ServiceState,
        log: Log,
        committer: Committer,
        writer: CheckpointWriter,
        rules: Rules,
        after_bytes: int,
        made: Callable[[Checkpoint], None],
    ) -> None:
        self.last_seconds = 0.0
        """That the last one took."""
        self.last_error: BaseException | None = None
        """Why the last one failed, if it did."""
        self.num_failed = 0
        """Those that have failed since the start."""
        self._state, self._log, self._committer = state, log, committer
        self._writer, self._made = writer, made
        self.rules = rules
        """By which records are applied from now on."""
        self._after_bytes = after_bytes
        self._due_at = after_bytes
        """When the log has so many bytes; those of the last checkpoint are told from it by the log's growth."""
        self._one_at_a_time = threading.Lock()
        self._thread: threading.Thread | None = None

    @property
    def last(self) -> Checkpoint | None:
        """The checkpoint that counts."""
        return self._writer.last

    def begin_if_due(self) -> None:
        """Make a checkpoint in the background when the log has grown enough; called between groups."""
        if self._log.num_bytes < self._due_at or (self._thread is not None and self._thread.is_alive()):
            return
        self._due_at = self._log.num_bytes + self._after_bytes
        self._thread = threading.Thread(target=self._run, name="eligo-checkpoint", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.make()
        except ReadOnlyError:
            pass  # the service was closed, or has failed, meanwhile
        except BaseException as error:
            _log_failure(error)

    def make_last(self) -> None:
        """Make one before the service is closed. One that fails is said: the log has everything."""
        try:
            self.make()
        except ReadOnlyError:
            pass  # it has said so before
        except Exception as error:
            _log_failure(error)

    def make(self) -> Checkpoint:
        """Make a checkpoint, unless nothing has changed since the last one, and return what counts then."""
        with self._one_at_a_time:
            began = time.perf_counter()
            try:
                checkpoint = self._make()
            except BaseException as error:
                self.last_error = error
                self.num_failed += not isinstance(error, ReadOnlyError)
                raise
            self.last_error = None
            self.last_seconds = time.perf_counter() - began
            return checkpoint

    def _make(self) -> Checkpoint:
        last = self._writer.last
        if last is not None and last.seq == self._state.seq and last.rules == self.rules:
            return last
        taken = self._committer.between_groups(self._cut).result()
        checkpoint, rows = self._writer.write(taken, self.rules)
        self._committer.between_groups(lambda: self._state.expressions.metadata.settle(rows)).result()
        self._made(checkpoint)
        self._log.drop_before(self._writer.remove_old() + 1)
        self._due_at = self._log.num_bytes + self._after_bytes
        return checkpoint

    def _cut(self) -> object:
        if self._committer.failure is not None:  # what is in memory may be half of a record
            raise ReadOnlyError(f"no checkpoint is made: {self._committer.failure}", help=OPEN_AGAIN)
        return cut(self._state)

    def wait(self) -> None:
        """Wait for one that is being made."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()


def said(error: BaseException) -> str:
    """What is wrong, in a line."""
    return error.message if isinstance(error, EligoError) else f"{type(error).__name__}: {error}"


def _log_failure(error: BaseException) -> None:
    logger.warning("a checkpoint failed; the log stays as it is for now: %s", said(error), exc_info=error)
