"""How is a service followed? Its checkpoint is fetched, and then its log is applied as the owner itself applies it.

    GET /checkpoint, /checkpoint/files/…   every file that is not here yet, verified by its SHA-256
    GET /log?from=seq                      again and again; answered at once when there is something new
    410 Gone                               the checkpoint again; the old state is answered from until the new is whole

The directory of a follower is that of a service without a log: `eligo serve` makes an owner of it when it follows no
more. Records are applied by the one thread that asks, so that readers see each of them whole or not at all.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from eligo.errors import EligoError, InputError, LogGoneError, ServiceError, StorageError
from eligo.service.delivery.backoff import jittered, pause
from eligo.service.follow.checkpoint_text import INDEXES, files_of
from eligo.service.follow.following import Following
from eligo.service.follow.log_piece import records_of
from eligo.service.follow.owner_client import OwnerClient
from eligo.service.follow.retries import FIRST_PAUSE, LONGEST_PAUSE, Repeated
from eligo.service.state.checkpoint_manifest import CHECKPOINT_NAME, CURRENT, STATE, checkpoint_name
from eligo.service.state.recovery import LOG, restored
from eligo.service.state.service_state import ServiceState
from eligo.storage.file_entries import FILE_NAME
from eligo.storage.manifest import MANIFEST_NAME
from eligo.storage.replace_file import TEMPORARY_NAME, make_directory, replace_file

WAIT = 2.0
"""Seconds for which the owner holds a question that has no answer yet."""
FIRST_TRIES = 6
"""How often a checkpoint is asked for before a follower that has none gives up."""
_REMOVABLE = re.compile(rf"{FILE_NAME.pattern}|{CHECKPOINT_NAME.pattern}|{TEMPORARY_NAME.pattern}")


class FollowedService:
    """A source of states: a service that is asked over HTTP."""

    def __init__(self, client: OwnerClient, directory: Path, following: Following) -> None:
        self._client = client
        self._directory = directory
        self._following = following
        self._steps = Repeated(self._step, following, every=0.0)
        self._take_up: Callable[[ServiceState, int], None] = lambda state, version: None
        self._crc: int | None = None
        """Of the last record, where it is known."""
        self._rules = 0
        """Of the rules by which records are applied (`Rules.crc`)."""
        self.version = 0
        self._state: ServiceState | None = None
        if (directory / LOG).exists():
            raise InputError(
                f"{directory} is the directory of a service that is no follower",
                help="follow with a directory of its own, which is made where there is none",
            )

    def first(self) -> ServiceState:
        """The owner's checkpoint; tried a few times."""
        for attempt in range(1, FIRST_TRIES + 1):
            try:
                return self._fetched()
            except ServiceError as error:
                if attempt == FIRST_TRIES or (error.status or 500) < 500:
                    raise
            except StorageError:
                if attempt == FIRST_TRIES:
                    raise
            time.sleep(jittered(min(LONGEST_PAUSE, pause(FIRST_PAUSE * 2, attempt))))
        raise AssertionError

    def begin(self, take_up: Callable[[ServiceState, int], None]) -> None:
        """Follow from now on."""
        self._take_up = take_up
        self._steps.begin()

    def close(self) -> None:
        """Follow no more."""
        self._steps.close()
        self._client.close()

    def _step(self) -> None:
        state = self._state
        if state is None:
            state = self._fetched()
            self._take_up(state, self.version)
        try:
            piece = self._client.log(state.seq + 1, self._crc, self._rules, WAIT)
        except LogGoneError:
            self._state = None
            return
        records, crc = records_of(piece.data)
        if records:
            try:
                state.apply_group(state.seq + 1, records)
            except BaseException:
                self._state = None  # what it is now is not known
                raise
            self._crc = crc
        if state.seq >= piece.last_seq:
            self.version = max(self.version, piece.version)
        self._take_up(state, self.version)
        self._following.heard(piece.last_seq, state.seq)

    def _fetched(self) -> ServiceState:
        """The owner's checkpoint as a state of its own."""
        text = self._client.checkpoint()
        checkpoint, manifests = text.parts()
        wanted = files_of(checkpoint, manifests)
        for path, entry in wanted.items():
            target = self._directory / path
            make_directory(target.parent, is_private=target.parent.name == STATE)
            with suppress(OSError):
                if os.path.getsize(target) == entry.num_bytes:  # verified when it is opened
                    continue
            self._client.fetch(entry, target)
        for name in INDEXES:
            replace_file(self._directory / name / MANIFEST_NAME, [manifests[name].to_bytes()])
        replace_file(self._directory / checkpoint.path, [checkpoint.to_bytes()], is_private=True)
        replace_file(self._directory / CURRENT, [f"{checkpoint_name(checkpoint.seq)}\n".encode()])
        try:
            state, _ = restored(self._directory, checkpoint)
        except EligoError:
            self._forget(wanted)
            raise
        self._remove_others({checkpoint.path, *wanted})
        self._state, self._crc, self.version = state, text.crc, checkpoint.expressions
        self._rules = checkpoint.rules.crc
        self._following.num_checkpoints += 1
        return state

    def _forget(self, paths: Iterable[str]) -> None:
        """Have the files fetched again that were found damaged here."""
        for path in paths:
            with suppress(OSError):
                os.unlink(self._directory / path)

    def _remove_others(self, kept: set[str]) -> None:
        """Remove the files of checkpoints before; what is mapped stays readable."""
        folders = {str(Path(path).parent) for path in kept} | {STATE}
        for folder in folders:
            with suppress(OSError):
                for name in os.listdir(self._directory / folder):
                    if _REMOVABLE.fullmatch(name) and f"{folder}/{name}" not in kept:
                        with suppress(OSError):
                            os.unlink(self._directory / folder / name)
