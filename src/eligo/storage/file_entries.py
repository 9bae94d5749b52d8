"""What does a manifest say of the files of a version? Their sizes and hashes, from which their names follow.

base part    vocabulary, shards
delta parts  vocabulary, shards, tombstones: the ids that no earlier part may answer with
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from eligo.storage.canonical_json import Json
from eligo.storage.json_fields import JsonFields
from eligo.storage.refusal import damaged

SHA256_TEXT = re.compile(r"[0-9a-f]{64}")
FILE_NAME = re.compile(r"[0-9a-f]{64}\.eligo")
"""The name of an array file in an index: its content hash."""
CRC_TEXT = re.compile(r"[0-9a-f]{8}")


@dataclass(frozen=True, kw_only=True)
class FileEntry:
    """One array file of a version. Its path follows from its content, so a manifest cannot point elsewhere."""

    FOLDER: ClassVar[str] = ""

    num_bytes: int
    sha256: str
    checksum: int
    """`ArrayFile.checksum`, by which a reader knows the file without reading all of it."""

    @property
    def path(self) -> str:
        """Below the directory of the index."""
        return f"{self.FOLDER}/{self.sha256}.eligo"

    def to_json(self) -> dict[str, Json]:
        """As the manifest has it."""
        return {"path": self.path, "bytes": self.num_bytes, "sha256": self.sha256, "crc32": f"{self.checksum:08x}"}


@dataclass(frozen=True, kw_only=True)
class VocabularyEntry(FileEntry):
    """The vocabulary that all shards of a part share."""

    FOLDER: ClassVar[str] = "vocabulary"

    @classmethod
    def from_json(cls, fields: JsonFields) -> VocabularyEntry:
        """Reads and checks what `to_json` gives."""
        return with_own_path(cls(**entry_content(fields)), fields)


@dataclass(frozen=True, kw_only=True)
class ShardEntry(FileEntry):
    """One shard of a part."""

    FOLDER: ClassVar[str] = "shards"

    num_expressions: int

    def to_json(self) -> dict[str, Json]:
        """As the manifest has it."""
        return {**super().to_json(), "num_expressions": self.num_expressions}

    @classmethod
    def from_json(cls, fields: JsonFields) -> ShardEntry:
        """Reads and checks what `to_json` gives."""
        return with_own_path(cls(**entry_content(fields), num_expressions=fields.number("num_expressions")), fields)


@dataclass(frozen=True, kw_only=True)
class TombstonesEntry(FileEntry):
    """The ids that a delta part takes from the parts before it."""

    FOLDER: ClassVar[str] = "tombstones"

    num_ids: int

    def to_json(self) -> dict[str, Json]:
        """As the manifest has it."""
        return {**super().to_json(), "num_ids": self.num_ids}

    @classmethod
    def from_json(cls, fields: JsonFields) -> TombstonesEntry:
        """Reads and checks what `to_json` gives."""
        return with_own_path(cls(**entry_content(fields), num_ids=fields.number("num_ids")), fields)


@dataclass(frozen=True, kw_only=True)
class DeltaEntry:
    """A part that was published on top of others: what came new, and the ids that it takes from those before it."""

    vocabulary: VocabularyEntry
    shards: tuple[ShardEntry, ...]
    tombstones: TombstonesEntry

    @property
    def files(self) -> tuple[FileEntry, ...]:
        """The vocabulary, the shards and the tombstones."""
        return (self.vocabulary, *self.shards, self.tombstones)

    def to_json(self) -> dict[str, Json]:
        """As the manifest has it."""
        return {
            "vocabulary": self.vocabulary.to_json(),
            "shards": [shard.to_json() for shard in self.shards],
            "tombstones": self.tombstones.to_json(),
        }

    @classmethod
    def from_json(cls, fields: JsonFields) -> DeltaEntry:
        """Reads and checks what `to_json` gives."""
        return cls(
            vocabulary=VocabularyEntry.from_json(fields.inner("vocabulary")),
            shards=tuple(ShardEntry.from_json(JsonFields(shard, fields.path)) for shard in fields.items("shards")),
            tombstones=TombstonesEntry.from_json(fields.inner("tombstones")),
        )


EntryKind = TypeVar("EntryKind", bound=FileEntry)


def entry_content(fields: JsonFields) -> dict[str, Any]:
    """What every entry has."""
    return {
        "num_bytes": fields.number("bytes"),
        "sha256": fields.text("sha256", pattern=SHA256_TEXT),
        "checksum": int(fields.text("crc32", pattern=CRC_TEXT), 16),
    }


def with_own_path(entry: EntryKind, fields: JsonFields) -> EntryKind:
    """The path is written for people and other programs; only the one that follows from the content is right."""
    path = fields.text("path")
    if path != entry.path:
        raise damaged(fields.path, f"it names the file {path!r}, which should be {entry.path!r}")
    return entry
