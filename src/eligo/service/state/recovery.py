"""What does a directory say when it is opened? Its last checkpoint, and then the log behind it, record by record.

    nothing there            a service without anything, and its first checkpoint
    expressions/ alone       an index that was built elsewhere is where the service begins
    CURRENT, state/, log/    the checkpoint, then the log: a torn tail is cut off and said, damage is refused

A log is applied by the rules of its checkpoint. When the service is opened with others, a checkpoint is made before
they count.
"""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from eligo.data.schema.guards import TENANT
from eligo.errors import InputError
from eligo.index.build_open import build
from eligo.index.build_open import open as open_index
from eligo.index.index import Index
from eligo.joins.document_base import restored_base
from eligo.joins.segment import Mask, Segment
from eligo.joins.stored.segment_file import read_segment
from eligo.language.evaluate import Missing
from eligo.language.value import Kind
from eligo.service.delivery.subscriptions import Subscriptions
from eligo.service.records import AnyRecord, Durability, from_bytes
from eligo.service.state.checkpoint_manifest import (
    CURRENT,
    EXPRESSIONS,
    STATE,
    SUBSCRIPTIONS,
    Checkpoint,
    DocumentsEntry,
    current_seq,
    read_checkpoint,
)
from eligo.service.state.checkpoint_writer import (
    DELIVERY_KIND,
    GONE_KIND,
    METADATA_KIND,
    PUBLICATIONS_KIND,
    CheckpointWriter,
    checkpoint_seqs,
    published_index,
)
from eligo.service.state.cut import cut
from eligo.service.state.document_moments import DocumentMoments
from eligo.service.state.expressions import Expressions
from eligo.service.state.metadata import Metadata, MetadataRows
from eligo.service.state.publications import Publications, publications_from
from eligo.service.state.rules import Rules
from eligo.service.state.service_state import ServiceState
from eligo.storage.array_file import ArrayFile
from eligo.storage.directory import open_file
from eligo.storage.file_entries import FileEntry
from eligo.storage.log.log import Log
from eligo.storage.manifest import MANIFEST_NAME
from eligo.storage.refusal import damaged, foreign

logger = logging.getLogger("eligo.service")

LOG = "log"
REPLAYED_AT_ONCE = 4_096


class Recovery(NamedTuple):
    """What opening a directory has found."""

    checkpoint_seq: int
    num_records: int
    """That the log had behind the checkpoint."""
    num_torn: int
    """Bytes at the end of the log that were cut off; no one had been told that they were written."""
    seconds: float
    """That all of it took."""


class Recovered(NamedTuple):
    """A service that can be gone on with."""

    state: ServiceState
    log: Log
    writer: CheckpointWriter
    rules: Rules
    """By which the log was applied."""
    recovery: Recovery


def recover(directory: Path, wanted: Rules, missing: Missing | None, durability: Durability) -> Recovered:
    """The service of a directory, whose lock is held; `wanted` are the rules for a new one."""
    began = time.perf_counter()
    seq = current_seq(directory)
    if seq is None:
        state, writer, rules = _begun(directory, wanted, missing)
        writer.write(cut(state), rules)  # before there is a log: one without a checkpoint is damage
    else:
        checkpoint = read_checkpoint(directory, seq)
        _require_policy(directory, checkpoint.rules.missing, missing)
        state, writer, rules = *restored(directory, checkpoint), checkpoint.rules
    log = Log.open(directory / LOG, after=state.seq, durability=durability)
    try:
        num_records = _replay(state, log)
    except BaseException:
        log.close()
        raise
    found = Recovery(seq or 0, num_records, log.recovery.num_torn, time.perf_counter() - began)
    if found.num_torn:
        logger.warning(
            "the log of %s ended in the middle of a record: its last %d bytes were cut off; nothing that was "
            "acknowledged is lost",
            directory,
            found.num_torn,
        )
    return Recovered(state, log, writer, rules, found)


def _require_policy(directory: Path, known: Missing, wanted: Missing | None) -> None:
    if wanted is not None and wanted != known:
        raise InputError(
            f"the expressions of {directory} mean missing = {known!r}, not {wanted!r}",
            help="what they mean is decided when a directory is made; leave the policy out, or take another directory",
        )


def _begun(directory: Path, wanted: Rules, missing: Missing | None) -> tuple[ServiceState, CheckpointWriter, Rules]:
    """The service of a directory that has none yet, but for an index that may be there."""
    _require_new(directory)
    place = directory / EXPRESSIONS
    version = 0
    if (place / MANIFEST_NAME).exists():
        index, version = _opened(place, None)
        _require_policy(directory, index.missing, missing)
        kinds = index.view().attribute_kinds().get(TENANT, frozenset())
        if not kinds <= {Kind.STRING}:
            raise InputError(
                f"the tenants of {place} are not strings, as those of a service are",
                help="build it again with tenants as strings",
            )
        wanted = Rules.of(index.missing, wanted.keep, wanted.remember_publications)
    else:
        index = build({}, missing=wanted.missing)
    subscriptions = Subscriptions(wanted.missing)
    state = ServiceState(
        Expressions(index),
        restored_base((), 0, wanted.keep),
        subscriptions,
        Publications(wanted.remember_publications),
        DocumentMoments.of_index(index),
    )
    writer = CheckpointWriter(
        directory,
        published_index(directory, EXPRESSIONS, index, version),
        published_index(directory, SUBSCRIPTIONS, subscriptions.index, 0),
        None,
    )
    return state, writer, wanted


def _require_new(directory: Path) -> None:
    """Refuse a directory that has lost the name of its checkpoint, or is something else."""
    has_log = (directory / LOG).is_dir() and any(name.endswith(".log") for name in os.listdir(directory / LOG))
    if has_log:
        raise damaged(directory, f"it has a log and no {CURRENT}, which names its checkpoint")
    if (directory / MANIFEST_NAME).exists():
        raise foreign(directory, f"is an index, not the directory of a service: put it into {directory / EXPRESSIONS}")
    if len(seqs := checkpoint_seqs(directory)) > 1 or any(seqs):  # the first may have been broken off
        raise damaged(directory, f"it has checkpoints in {STATE} and no {CURRENT}")


def _opened(path: Path, version: int | None) -> tuple[Index, int]:
    from eligo.storage.manifest import read_manifest

    known = read_manifest(path).version if version is None else version
    return open_index(path, version=known), known


def restored(directory: Path, checkpoint: Checkpoint) -> tuple[ServiceState, CheckpointWriter]:
    """The state of a checkpoint, whose files are in the directory, and what writes the next."""
    index, _ = _opened(directory / EXPRESSIONS, checkpoint.expressions)
    subscribed, _ = _opened(directory / SUBSCRIPTIONS, checkpoint.subscriptions)
    writer = CheckpointWriter(
        directory,
        published_index(directory, EXPRESSIONS, index, checkpoint.expressions),
        published_index(directory, SUBSCRIPTIONS, subscribed, checkpoint.subscriptions),
        checkpoint,
    )
    rules = checkpoint.rules
    metadata = Metadata(MetadataRows.from_arrays(_file(directory, checkpoint.metadata, METADATA_KIND).arrays))
    delivery = _file(directory, checkpoint.delivery, DELIVERY_KIND)
    publications = _file(directory, checkpoint.publications, PUBLICATIONS_KIND)
    try:
        subscriptions = Subscriptions.from_json(delivery.arrays["json"].tobytes(), rules.missing, subscribed)
    except (msgspec.MsgspecError, KeyError) as error:
        raise damaged(delivery.path, f"it cannot be read: {error}") from None
    state = ServiceState(
        Expressions(index, metadata, checkpoint.id_type),
        restored_base(_segments(directory, checkpoint, writer), checkpoint.next_document, rules.keep),
        subscriptions,
        publications_from(publications.arrays, rules.remember_publications),
        DocumentMoments(checkpoint.moments),
        checkpoint.seq,
    )
    return state, writer


def _file(directory: Path, entry: FileEntry, kind: str) -> ArrayFile:
    file = open_file(directory, entry)
    if file.meta.get("kind") != kind:
        raise damaged(file.path, f"it does not hold {kind}")
    return file


def _segments(directory: Path, checkpoint: Checkpoint, writer: CheckpointWriter) -> list[tuple[Segment, Mask | None]]:
    gone = np.zeros(0, np.int64)
    if checkpoint.gone is not None:
        gone = np.sort(_file(directory, checkpoint.gone, GONE_KIND).arrays["numbers"])
    found: list[tuple[Segment, Mask | None]] = []
    last = -1
    for entry in checkpoint.documents:
        segment = _segment(directory, entry)
        if int(segment.numbers[0]) <= last or int(segment.numbers[-1]) >= checkpoint.next_document:
            raise damaged(directory / entry.path, "its numbers are not those that the checkpoint says")
        last = int(segment.numbers[-1])
        writer.know(segment, entry)
        is_alive = np.ones(segment.num_documents, np.bool_)
        is_alive[segment.rows_of(gone)] = False
        found.append((segment, is_alive))
    return found


def _segment(directory: Path, entry: DocumentsEntry) -> Segment:
    return read_segment(open_file(directory, entry))


def _replay(state: ServiceState, log: Log) -> int:
    """Apply the records behind the checkpoint; how many."""
    first = state.seq
    group: list[AnyRecord] = []
    for seq, payload in log.read(state.seq + 1):
        try:
            group.append(from_bytes(payload))
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise damaged(log.directory, f"record {seq} cannot be read: {error}") from None
        if len(group) == REPLAYED_AT_ONCE:
            state.apply_group(state.seq + 1, group)
            group = []
    if group:
        state.apply_group(state.seq + 1, group)
    return state.seq - first
