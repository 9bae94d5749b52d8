"""What does an owner tell a follower that begins? Its checkpoint, in texts that name every file by its content.

{"seq": 812, "version": 7, "checkpoint": "…", "expressions": "…", "subscriptions": "…"}

The texts are those of `state/<seq>.json` and of the manifests of the two indexes, each with its checksum. The path of
a file follows from its content, so that no text can lead a follower to write elsewhere.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from eligo.errors import StorageError
from eligo.service.follow.log_piece import record_crc
from eligo.service.service import Service
from eligo.service.state.checkpoint_manifest import EXPRESSIONS, SUBSCRIPTIONS, Checkpoint
from eligo.service.state.outcome import ReadOnlyError
from eligo.storage.file_entries import FileEntry
from eligo.storage.kept_versions import read_version
from eligo.storage.manifest import Manifest

INDEXES = (EXPRESSIONS, SUBSCRIPTIONS)


class CheckpointText(msgspec.Struct, frozen=True):
    """A checkpoint as it is sent."""

    seq: int
    version: int
    checkpoint: str
    expressions: str
    subscriptions: str
    crc: int | None = None
    """CRC-32 of the record `seq`; None where the log does not have it."""

    def parts(self) -> tuple[Checkpoint, dict[str, Manifest]]:
        """The checkpoint and the manifests of its indexes, checked."""
        where = Path("the owner's checkpoint")
        checkpoint = Checkpoint.from_bytes(self.checkpoint.encode(), where)
        texts = {EXPRESSIONS: self.expressions, SUBSCRIPTIONS: self.subscriptions}
        manifests = {name: Manifest.from_bytes(text.encode(), where) for name, text in texts.items()}
        told = (manifests[EXPRESSIONS].version, manifests[SUBSCRIPTIONS].version, self.seq)
        if told != (checkpoint.expressions, checkpoint.subscriptions, checkpoint.seq):
            raise StorageError("the parts of the owner's checkpoint do not belong together", help="ask it again")
        return checkpoint, manifests


def files_of(checkpoint: Checkpoint, manifests: dict[str, Manifest]) -> dict[str, FileEntry]:
    """Every file of a checkpoint, by its path below the directory of the service."""
    own = {entry.path: entry for entry in checkpoint.files}
    return own | {f"{name}/{entry.path}": entry for name in INDEXES for entry in manifests[name].files}


class OwnCheckpoints:
    """The checkpoints of an owner, for followers."""

    MOST_KNOWN = 3

    def __init__(self) -> None:
        self._known: dict[int, dict[str, Path]] = {}
        """For the last ones that were told: the path of each file by its SHA-256."""

    def last(self, service: Service) -> CheckpointText:
        """The checkpoint that counts; one is made where there is none."""
        if service.directory is None or service.checkpoints is None:
            raise ReadOnlyError("a service in memory cannot be followed", help="follow one with a directory")
        checkpoint = service.checkpoints.last or service.checkpoint()
        versions = {EXPRESSIONS: checkpoint.expressions, SUBSCRIPTIONS: checkpoint.subscriptions}
        manifests = {name: read_version(service.directory / name, version) for name, version in versions.items()}
        files = files_of(checkpoint, manifests)
        self._known[checkpoint.seq] = {entry.sha256: service.directory / path for path, entry in files.items()}
        for seq in sorted(self._known)[: -self.MOST_KNOWN]:
            self._known.pop(seq, None)
        return CheckpointText(
            seq=checkpoint.seq,
            version=checkpoint.expressions,
            checkpoint=checkpoint.to_bytes().decode(),
            expressions=manifests[EXPRESSIONS].to_bytes().decode(),
            subscriptions=manifests[SUBSCRIPTIONS].to_bytes().decode(),
            crc=record_crc(service.log, checkpoint.seq),
        )

    def path(self, sha256: str) -> Path | None:
        """The file of a content, if a checkpoint that was told has it and it is there."""
        for files in list(self._known.values()):
            found = files.get(sha256)
            if found is not None and found.is_file():
                return found
        return None
