"""What is a checkpoint? `state/<seq>.json`: the files and versions that a service was at one record, with checksums.

DATA_DIR/
  CURRENT                                names the checkpoint that counts; replaced last
  state/00000000000000000812.json        this
  state/<sha256>.eligo                   metadata, subscriptions and what waits for them, remembered publications
  documents/<sha256>.eligo               documents, and the numbers of those that have gone
  expressions/, subscriptions/           indexes; a checkpoint names a version of each
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from eligo._version import __version__
from eligo.errors import StorageError
from eligo.service.state.rules import Rules
from eligo.storage.canonical_json import Json, from_bytes, to_readable
from eligo.storage.file_entries import FileEntry, entry_content, with_own_path
from eligo.storage.json_fields import JsonFields
from eligo.storage.manifest import MAX_MANIFEST_BYTES, NO_CHECKSUM, verify_checksum, with_checksum
from eligo.storage.refusal import damaged, foreign, newer, unusable

FORMAT: Final = 1
MAGIC: Final = b'{\n  "kind": "eligo service checkpoint",\n'
CURRENT: Final = "CURRENT"
STATE: Final = "state"
DOCUMENTS: Final = "documents"
EXPRESSIONS: Final = "expressions"
SUBSCRIPTIONS: Final = "subscriptions"
CHECKPOINT_NAME = re.compile(r"([0-9]{20})\.json")
_ID_TYPES: dict[str, type | None] = {"": None, "string": str, "int": int}
_ID_WORDS = {of: word for word, of in _ID_TYPES.items()}


@dataclass(frozen=True, kw_only=True)
class DocumentsEntry(FileEntry):
    """A file of documents, or of numbers of those that have gone."""

    FOLDER: ClassVar[str] = DOCUMENTS


@dataclass(frozen=True, kw_only=True)
class StateEntry(FileEntry):
    """A file of what is neither an expression nor a document."""

    FOLDER: ClassVar[str] = STATE


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A service at one record."""

    seq: int
    """Everything up to this record is in it."""
    rules: Rules
    """By which the records behind it are applied."""
    id_type: type | None
    """What the ids of expressions are."""
    next_document: int
    moments: tuple[tuple[str, str, str], ...]
    """See `document_moments`."""
    expressions: int
    """The version of the index."""
    subscriptions: int
    documents: tuple[DocumentsEntry, ...]
    """From the oldest to the newest."""
    gone: DocumentsEntry | None
    """The numbers in them that have gone."""
    metadata: StateEntry
    delivery: StateEntry
    publications: StateEntry

    @property
    def files(self) -> tuple[FileEntry, ...]:
        """All but those of the indexes."""
        gone = () if self.gone is None else (self.gone,)
        return (*self.documents, *gone, self.metadata, self.delivery, self.publications)

    @property
    def path(self) -> str:
        """Below the directory of the service."""
        return f"{STATE}/{checkpoint_name(self.seq)}"

    def to_bytes(self) -> bytes:
        """The text of the checkpoint; equal ones give equal bytes."""
        document: dict[str, Json] = {
            "kind": "eligo service checkpoint",
            "format": FORMAT,
            "eligo_version": __version__,
            "seq": self.seq,
            "rules": self.rules.to_json(),
            "ids": _ID_WORDS[self.id_type],
            "next_document": self.next_document,
            "moments": [list(each) for each in self.moments],
            "expressions": self.expressions,
            "subscriptions": self.subscriptions,
            "documents": [entry.to_json() for entry in self.documents],
            "gone": None if self.gone is None else self.gone.to_json(),
            "metadata": self.metadata.to_json(),
            "delivery": self.delivery.to_json(),
            "publications": self.publications.to_json(),
            "checksum": NO_CHECKSUM,
        }
        return with_checksum(to_readable(document))

    @classmethod
    def from_bytes(cls, data: bytes, path: Path) -> Checkpoint:
        """Reads and checks the text of a checkpoint; `path` is named in errors."""
        if not data.startswith(MAGIC) and not MAGIC.startswith(data):
            raise foreign(path, "is not a checkpoint of a service")
        verify_checksum(data, path)
        try:
            fields = JsonFields(from_bytes(data), path)
        except ValueError as error:
            raise damaged(path, f"it is not JSON: {error}") from None
        if fields.number("format") > FORMAT:
            raise newer(path, fields.number("format"), FORMAT)
        return cls(
            seq=fields.number("seq"),
            rules=Rules.from_json(fields.inner("rules")),
            id_type=_ID_TYPES[fields.text("ids", allowed=tuple(_ID_TYPES))],
            next_document=fields.number("next_document"),
            moments=tuple(_moment(each, path) for each in fields.items("moments")),
            expressions=fields.number("expressions", least=1),
            subscriptions=fields.number("subscriptions", least=1),
            documents=tuple(_documents(JsonFields(each, path)) for each in fields.items("documents")),
            gone=None if fields.document.get("gone") is None else _documents(fields.inner("gone")),
            metadata=_state(fields.inner("metadata")),
            delivery=_state(fields.inner("delivery")),
            publications=_state(fields.inner("publications")),
        )


def checkpoint_name(seq: int) -> str:
    """What the file of a checkpoint is called."""
    return f"{seq:020d}.json"


def _documents(fields: JsonFields) -> DocumentsEntry:
    return with_own_path(DocumentsEntry(**entry_content(fields)), fields)


def _state(fields: JsonFields) -> StateEntry:
    return with_own_path(StateEntry(**entry_content(fields)), fields)


def _moment(given: Json, path: Path) -> tuple[str, str, str]:
    if not isinstance(given, list) or len(given) != 3 or not all(isinstance(each, str) for each in given):
        raise damaged(path, "one of its 'moments' is none")
    return (given[0], given[1], given[2])


def read_checkpoint(directory: Path, seq: int) -> Checkpoint:
    """The checkpoint of a record."""
    path = directory / STATE / checkpoint_name(seq)
    try:
        if os.path.getsize(path) > MAX_MANIFEST_BYTES:
            raise damaged(path, f"it has more than {MAX_MANIFEST_BYTES} bytes")
        data = path.read_bytes()
    except FileNotFoundError:
        raise damaged(directory, f"its checkpoint {path.name} is missing") from None
    except OSError as error:
        raise unusable(path, "read", error) from error
    found = Checkpoint.from_bytes(data, path)
    if found.seq != seq:
        raise damaged(path, f"it is the checkpoint of record {found.seq}")
    return found


def current_seq(directory: Path) -> int | None:
    """The record whose checkpoint counts; None where there is no checkpoint."""
    path = directory / CURRENT
    try:
        text = path.read_text(encoding="ascii")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"cannot read {path}: {error}") from error
    found = CHECKPOINT_NAME.fullmatch(text.removesuffix("\n"))
    if found is None:
        raise damaged(path, "it does not name a checkpoint")
    return int(found[1])
