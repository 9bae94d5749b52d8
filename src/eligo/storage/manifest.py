"""Which files make up the live version of an index?

`manifest.json` says: JSON that people can read, and that is refused when a single bit of it changed. Its last field,
`checksum`, is the SHA-256 of the file with these 64 digits replaced by zeros; it stands at the end, so that it is
compared before anything else is believed. Fields that this version does not know are ignored, so that one may be
added; a field that a reader must know raises the format number.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from eligo.errors import InputError
from eligo.storage.canonical_json import Json, from_bytes, to_readable
from eligo.storage.file_entries import DeltaEntry, FileEntry, ShardEntry, VocabularyEntry
from eligo.storage.json_fields import JsonFields
from eligo.storage.refusal import damaged, foreign, newer, unusable
from eligo.storage.remote.store_versions import live_bytes, read_version_file
from eligo.storage.stored_settings import ANY_LISTS, StoredSettings
from eligo.stores.address import Address, Place, place

MANIFEST_NAME = "manifest.json"
FORMAT = 1
"""Of a version without deltas."""
DELTA_FORMAT = 2
"""Of a version with deltas, which a reader must not overlook."""
MAGIC = b'{\n  "kind": "eligo index",\n'
"""How every manifest of every format begins."""
MAX_MANIFEST_BYTES = 256 << 20
"""Bound on the text, for writers as for readers."""

NO_CHECKSUM = "0" * 64
CHECKSUM_AT_END = re.compile(rb'"checksum"\s{0,8}:\s{0,8}"([0-9a-f]{64})"\s{0,8}\}\s{0,8}\Z')
CHECKSUM_BYTES = 256
"""No more than these at the end of a manifest can be the last field."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """One version of an index."""

    version: int
    """1 for the first one published in a directory, then one more each time."""
    created: datetime
    """The only time in an index; in UTC."""
    eligo_version: str
    """The version of the program that published; for people, nothing depends on it."""
    settings: StoredSettings
    """What its expressions mean."""
    vocabulary: VocabularyEntry
    shards: tuple[ShardEntry, ...]
    deltas: tuple[DeltaEntry, ...] = ()
    """Parts on top of the base part (`vocabulary` and `shards`), oldest first."""

    def __post_init__(self) -> None:
        if self.created.tzinfo is None:
            raise InputError("the time of publishing has no zone", help="give it one, such as datetime.UTC")

    @property
    def format(self) -> int:
        """The format number: the lowest that readers must know."""
        return DELTA_FORMAT if self.deltas else FORMAT

    @property
    def num_expressions(self) -> int:
        """Of all shards of all parts; those that a later part's tombstones hide are counted too."""
        deltas = (shard for delta in self.deltas for shard in delta.shards)
        return sum(shard.num_expressions for shard in (*self.shards, *deltas))

    @property
    def files(self) -> tuple[FileEntry, ...]:
        """The files of all parts."""
        return (self.vocabulary, *self.shards, *(file for delta in self.deltas for file in delta.files))

    @property
    def num_bytes(self) -> int:
        """Of the files of all parts."""
        return sum({file.path: file.num_bytes for file in self.files}.values())

    def to_bytes(self, *, attempt: str = "") -> bytes:
        """The text of `manifest.json`; equal manifests give equal bytes, unless an attempt at publishing is named."""
        document: dict[str, Json] = {
            "kind": "eligo index",
            "format": self.format,
            "version": self.version,
            "created": self.created.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            "eligo_version": self.eligo_version,
            "missing": self.settings.missing,
            "engine": self.settings.engine,
            **({"ranges": self.settings.ranges} if self.settings.ranges != ANY_LISTS else {}),
            "num_expressions": self.num_expressions,
            "vocabulary": self.vocabulary.to_json(),
            "shards": [shard.to_json() for shard in self.shards],
            **({"deltas": [delta.to_json() for delta in self.deltas]} if self.deltas else {}),
            "schema": self.settings.schema,
            "hierarchies": self.settings.hierarchies,
            **({"attempt": attempt} if attempt else {}),
            "checksum": NO_CHECKSUM,
        }
        try:
            text = to_readable(document)
        except ValueError as error:
            raise InputError(f"this cannot be stored in the manifest of an index: {error}") from None
        if len(text) > MAX_MANIFEST_BYTES:
            raise InputError(
                f"the manifest of this index would take {len(text):,} bytes, more than {MAX_MANIFEST_BYTES:,}",
                help="give it smaller hierarchies, or a smaller schema",
            )
        return with_checksum(text)

    @classmethod
    def from_bytes(cls, data: bytes, path: Place = Path(MANIFEST_NAME)) -> Manifest:
        """Reads and checks the text of a manifest; `path` is named in errors."""
        fields = JsonFields(_checked_document(data, path), path)
        deltas = fields.items("deltas") if fields.number("format") >= DELTA_FORMAT else []
        manifest = cls(
            version=fields.number("version", least=1),
            created=fields.time("created"),
            eligo_version=fields.text("eligo_version"),
            settings=StoredSettings.from_fields(fields),
            vocabulary=VocabularyEntry.from_json(fields.inner("vocabulary")),
            shards=tuple(ShardEntry.from_json(JsonFields(shard, path)) for shard in fields.items("shards")),
            deltas=tuple(DeltaEntry.from_json(JsonFields(delta, path)) for delta in deltas),
        )
        if fields.number("num_expressions") != manifest.num_expressions:
            raise damaged(path, "its 'num_expressions' is not the sum of its shards'")
        return manifest


def read_manifest(path: str | os.PathLike[str] | Place) -> Manifest:
    """The manifest of the version that is live at the place now."""
    index = place(path)
    if isinstance(index, Address):
        found = live_bytes(index)
        if found is None:
            raise foreign(index, "is not an index: there is no version of one")
        return Manifest.from_bytes(*found)
    file = index / MANIFEST_NAME
    try:
        if os.path.exists(index) and not index.is_dir():
            raise foreign(index, "is a file, not the directory of an index")
        if os.path.exists(index) and not file.is_file():
            raise foreign(index, f"is not an index: it has no {MANIFEST_NAME}")
        return read_manifest_file(file)
    except FileNotFoundError as error:
        raise unusable(index, "open the index", error) from None
    except OSError as error:
        raise unusable(file, "read", error) from error


def read_manifest_file(path: Place) -> Manifest:
    """The manifest in a file; `FileNotFoundError` when there is none."""
    if isinstance(path, Address):
        return Manifest.from_bytes(read_version_file(path), path)
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size > MAX_MANIFEST_BYTES:
                raise damaged(path, f"it has more than {MAX_MANIFEST_BYTES} bytes")
            data = file.read(MAX_MANIFEST_BYTES + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise unusable(path, "read", error) from error
    if len(data) > MAX_MANIFEST_BYTES:
        raise damaged(path, f"it has more than {MAX_MANIFEST_BYTES} bytes")
    return Manifest.from_bytes(data, path)


def with_checksum(text: bytes) -> bytes:
    """A text whose last field is `checksum`, with that of the rest in the place of its zeros."""
    head, zeros, tail = text.rpartition(NO_CHECKSUM.encode())
    return head + hashlib.sha256(head + zeros + tail).hexdigest().encode() + tail


def _checked_document(data: bytes, path: Place) -> Mapping[str, Json]:
    """The JSON object of a manifest whose checksum and format are right."""
    if not data.startswith(MAGIC) and not MAGIC.startswith(data):
        raise foreign(path, "is not the manifest of an eligo index")
    verify_checksum(data, path)
    try:
        document = from_bytes(data)
    except ValueError as error:
        raise damaged(path, f"it is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise damaged(path, "it is not a JSON object")
    fields = JsonFields(document, path)
    format_number = fields.number("format")
    if format_number > DELTA_FORMAT:
        raise newer(path, format_number, DELTA_FORMAT)
    if format_number < FORMAT:
        raise damaged(path, f"there is no format {format_number}")
    return document


def verify_checksum(data: bytes, path: Place) -> None:
    """One pass over the bytes, before anyone makes objects of them."""
    start = max(0, len(data) - CHECKSUM_BYTES)
    found = CHECKSUM_AT_END.search(data[start:])
    if found is None:
        raise damaged(path, "it is cut off: it does not end with its checksum")
    digest = hashlib.sha256(memoryview(data)[: start + found.start(1)])
    digest.update(NO_CHECKSUM.encode())
    digest.update(memoryview(data)[start + found.end(1) :])
    if digest.hexdigest().encode() != found[1]:
        raise damaged(path, "its checksum does not fit")
