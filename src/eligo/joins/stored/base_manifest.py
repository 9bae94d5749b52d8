"""Which files make up a document base? `manifest.json` says, replaced atomically, with a checksum over all of it.

segments   files of documents, from the oldest to the newest
dead       the numbers in them that live no longer, where there are any
log        what came and went since, one record after another
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from eligo._version import __version__
from eligo.storage.canonical_json import Json, from_bytes, to_readable
from eligo.storage.file_entries import FileEntry, entry_content, with_own_path
from eligo.storage.json_fields import JsonFields
from eligo.storage.manifest import (
    MANIFEST_NAME,
    MAX_MANIFEST_BYTES,
    NO_CHECKSUM,
    verify_checksum,
    with_checksum,
)
from eligo.storage.refusal import damaged, foreign, newer, unusable

FORMAT = 1
MAGIC = b'{\n  "kind": "eligo document base",\n'
"""How every manifest of every format begins."""


@dataclass(frozen=True, kw_only=True)
class SegmentEntry(FileEntry):
    """One file of documents."""

    FOLDER: ClassVar[str] = "segments"

    num_documents: int

    def to_json(self) -> dict[str, Json]:
        """As the manifest has it."""
        return {**super().to_json(), "num_documents": self.num_documents}

    @classmethod
    def from_json(cls, fields: JsonFields) -> SegmentEntry:
        """Reads and checks what `to_json` gives."""
        return with_own_path(cls(**entry_content(fields), num_documents=fields.number("num_documents")), fields)


@dataclass(frozen=True, kw_only=True)
class DeadEntry(FileEntry):
    """The numbers that live no longer."""

    FOLDER: ClassVar[str] = "dead"

    @classmethod
    def from_json(cls, fields: JsonFields) -> DeadEntry:
        """Reads and checks what `to_json` gives."""
        return with_own_path(cls(**entry_content(fields)), fields)


@dataclass(frozen=True, kw_only=True)
class BaseManifest:
    """A base as its files have it, before what its log says."""

    checkpoint: int
    """How often the log was turned into files; the name of the log has this number."""
    next_number: int
    """Of the next document."""
    segments: tuple[SegmentEntry, ...] = ()
    dead: DeadEntry | None = None

    @property
    def log(self) -> str:
        """The log, below the directory of the base."""
        return log_name(self.checkpoint)

    @property
    def files(self) -> tuple[FileEntry, ...]:
        return (*self.segments, *([self.dead] if self.dead is not None else []))

    def to_bytes(self) -> bytes:
        """The text of the manifest; equal ones give equal bytes."""
        document: dict[str, Json] = {
            "kind": "eligo document base",
            "format": FORMAT,
            "eligo_version": __version__,
            "checkpoint": self.checkpoint,
            "next_number": self.next_number,
            "segments": [segment.to_json() for segment in self.segments],
            "dead": None if self.dead is None else self.dead.to_json(),
            "log": self.log,
            "checksum": NO_CHECKSUM,
        }
        return with_checksum(to_readable(document))

    @classmethod
    def from_bytes(cls, data: bytes, path: Path = Path(MANIFEST_NAME)) -> BaseManifest:
        """Reads and checks the text of a manifest; `path` is named in errors."""
        if not data.startswith(MAGIC) and not MAGIC.startswith(data):
            raise foreign(path, "is not the manifest of a document base")
        verify_checksum(data, path)
        try:
            fields = JsonFields(from_bytes(data), path)
        except ValueError as error:
            raise damaged(path, f"it is not JSON: {error}") from None
        if fields.number("format") > FORMAT:
            raise newer(path, fields.number("format"), FORMAT)
        manifest = cls(
            checkpoint=fields.number("checkpoint"),
            next_number=fields.number("next_number"),
            segments=tuple(SegmentEntry.from_json(JsonFields(each, path)) for each in fields.items("segments")),
            dead=None if fields.document.get("dead") is None else DeadEntry.from_json(fields.inner("dead")),
        )
        if fields.text("log") != manifest.log:
            raise damaged(path, f"it names the log {fields.text('log')!r}, which should be {manifest.log!r}")
        return manifest


def log_name(checkpoint: int) -> str:
    """The log that goes on from a checkpoint."""
    return f"log/{checkpoint:016d}.log"


def read_base_manifest(base: Path) -> BaseManifest:
    """The manifest that the directory of a base has now; `FileNotFoundError` when there is none."""
    path = base / MANIFEST_NAME
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size > MAX_MANIFEST_BYTES:
                raise damaged(path, f"it has more than {MAX_MANIFEST_BYTES} bytes")
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except OSError as error:
        raise unusable(path, "read", error) from error
    return BaseManifest.from_bytes(data, path)
