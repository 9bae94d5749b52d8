"""Which files make up the live version of an index?

`manifest.json` says: JSON that people can read, and that is refused when a single bit of it changed. Its last field,
`checksum`, is the SHA-256 of the file with these 64 digits replaced by zeros. Fields that this version does not know
are ignored, so that one may be added; a field that a reader must know raises the format number.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar, Literal, TypeVar, get_args

from eligo.errors import InputError
from eligo.storage.canonical_json import Json, from_bytes, to_readable
from eligo.storage.json_fields import JsonFields
from eligo.storage.refusal import damaged, foreign, newer, unusable

MANIFEST_NAME = "manifest.json"
FORMAT = 1
Missing = Literal["unknown", "false"]
"""What a missing attribute means; as in `language.evaluate`, but storage knows the words only."""
MAGIC = b'{\n  "kind": "eligo index",\n'
"""How every manifest of every format begins."""
MAX_MANIFEST_BYTES = 256 << 20

SHA256_TEXT = re.compile(r"[0-9a-f]{64}")
FILE_NAME = re.compile(r"[0-9a-f]{64}\.eligo")
"""The name of an array file in an index: its content hash."""
CRC_TEXT = re.compile(r"[0-9a-f]{8}")
NO_CHECKSUM = "0" * 64


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
    """The vocabulary that all shards of a version share."""

    FOLDER: ClassVar[str] = "vocabulary"


@dataclass(frozen=True, kw_only=True)
class ShardEntry(FileEntry):
    """One shard of a version."""

    FOLDER: ClassVar[str] = "shards"

    num_expressions: int

    def to_json(self) -> dict[str, Json]:
        """As the manifest has it."""
        return {**super().to_json(), "num_expressions": self.num_expressions}


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """One version of an index."""

    version: int
    """1 for the first one published in a directory, then one more each time."""
    created: datetime
    """The only time in an index; in UTC."""
    eligo_version: str
    """The version of the program that published; for people, nothing depends on it."""
    missing: Missing
    engine: str
    vocabulary: VocabularyEntry
    shards: tuple[ShardEntry, ...]
    schema: Mapping[str, Json] | None = None
    hierarchies: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.missing not in get_args(Missing):
            raise InputError(f"{self.missing!r} is not a missing policy", help="use 'unknown' or 'false'")
        if self.created.tzinfo is None:
            raise InputError("the time of publishing has no zone", help="give it one, such as datetime.UTC")

    @property
    def num_expressions(self) -> int:
        """Of all shards."""
        return sum(shard.num_expressions for shard in self.shards)

    @property
    def files(self) -> tuple[FileEntry, ...]:
        """The vocabulary and the shards."""
        return (self.vocabulary, *self.shards)

    def to_bytes(self) -> bytes:
        """The text of `manifest.json`; equal manifests give equal bytes."""
        document: dict[str, Json] = {
            "kind": "eligo index",
            "format": FORMAT,
            "version": self.version,
            "created": self.created.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            "eligo_version": self.eligo_version,
            "missing": self.missing,
            "engine": self.engine,
            "num_expressions": self.num_expressions,
            "vocabulary": self.vocabulary.to_json(),
            "shards": [shard.to_json() for shard in self.shards],
            "schema": self.schema,
            "hierarchies": self.hierarchies,
            "checksum": NO_CHECKSUM,
        }
        try:
            text = to_readable(document)
        except ValueError as error:
            raise InputError(f"this cannot be stored in the manifest of an index: {error}") from None
        head, zeros, tail = text.rpartition(NO_CHECKSUM.encode())
        return head + hashlib.sha256(head + zeros + tail).hexdigest().encode() + tail

    @classmethod
    def from_bytes(cls, data: bytes, path: Path = Path(MANIFEST_NAME)) -> Manifest:
        """Reads and checks the text of a manifest; `path` is named in errors."""
        fields = JsonFields(_checked_document(data, path), path)
        shards = fields.items("shards")
        manifest = cls(
            version=fields.number("version", least=1),
            created=fields.time("created"),
            eligo_version=fields.text("eligo_version"),
            missing=_missing_policy(fields),
            engine=fields.text("engine"),
            vocabulary=_vocabulary_entry(fields.inner("vocabulary")),
            shards=tuple(_shard_entry(JsonFields(shard, path)) for shard in shards),
            schema=fields.optional_object("schema"),
            hierarchies=fields.inner("hierarchies").document,
        )
        if fields.number("num_expressions") != manifest.num_expressions:
            raise damaged(path, "its 'num_expressions' is not the sum of its shards'")
        return manifest


def read_manifest(index: str | os.PathLike[str]) -> Manifest:
    """The manifest of the version that is live in the directory now."""
    index = Path(index)
    path = index / MANIFEST_NAME
    try:
        if os.path.exists(index) and not index.is_dir():
            raise foreign(index, "is a file, not the directory of an index")
        if os.path.exists(index) and not path.is_file():
            raise foreign(index, f"is not an index: it has no {MANIFEST_NAME}")
        with open(path, "rb") as file:
            data = file.read(MAX_MANIFEST_BYTES + 1)
    except FileNotFoundError as error:
        raise unusable(index, "open the index", error) from None
    except OSError as error:
        raise unusable(path, "read", error) from error
    if len(data) > MAX_MANIFEST_BYTES:
        raise damaged(path, f"it has more than {MAX_MANIFEST_BYTES} bytes")
    return Manifest.from_bytes(data, path)


def _checked_document(data: bytes, path: Path) -> Mapping[str, Json]:
    """The JSON object of a manifest whose checksum and format are right."""
    if not data.startswith(MAGIC) and not MAGIC.startswith(data):
        raise foreign(path, "is not the manifest of an eligo index")
    try:
        document = from_bytes(data)
    except ValueError as error:
        raise damaged(path, f"it is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise damaged(path, "it is not a JSON object")
    fields = JsonFields(document, path)
    checksum = fields.text("checksum", pattern=SHA256_TEXT)
    head, _, tail = data.rpartition(checksum.encode())
    if hashlib.sha256(head + NO_CHECKSUM.encode() + tail).hexdigest() != checksum:
        raise damaged(path, "its checksum does not fit")
    format_number = fields.number("format")
    if format_number > FORMAT:
        raise newer(path, format_number, FORMAT)
    if format_number != FORMAT:
        raise damaged(path, f"there is no format {format_number}")
    return document


def _missing_policy(fields: JsonFields) -> Missing:
    return "unknown" if fields.text("missing", allowed=get_args(Missing)) == "unknown" else "false"


def _vocabulary_entry(fields: JsonFields) -> VocabularyEntry:
    entry = VocabularyEntry(
        num_bytes=fields.number("bytes"),
        sha256=fields.text("sha256", pattern=SHA256_TEXT),
        checksum=int(fields.text("crc32", pattern=CRC_TEXT), 16),
    )
    return _with_own_path(entry, fields)


def _shard_entry(fields: JsonFields) -> ShardEntry:
    entry = ShardEntry(
        num_bytes=fields.number("bytes"),
        sha256=fields.text("sha256", pattern=SHA256_TEXT),
        checksum=int(fields.text("crc32", pattern=CRC_TEXT), 16),
        num_expressions=fields.number("num_expressions"),
    )
    return _with_own_path(entry, fields)


_Entry = TypeVar("_Entry", bound=FileEntry)


def _with_own_path(entry: _Entry, fields: JsonFields) -> _Entry:
    """The path is written for people and other programs; only the one that follows from the content is right."""
    path = fields.text("path")
    if path != entry.path:
        raise damaged(fields.path, f"it names the file {path!r}, which should be {entry.path!r}")
    return entry
