"""What can be given as documents? A document base, a snapshot of one, or documents in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from eligo.errors import InputError, shown
from eligo.joins.document_base import DocumentBase
from eligo.joins.segment import Segment, Snapshot, microseconds_of
from eligo.language.document_truth import Received
from eligo.language.limits import Limits
from eligo.language.quantified import Quantified
from eligo.language.value import event_attributes

GivenDocuments: TypeAlias = DocumentBase | Snapshot | Sequence[Mapping[str, Any] | Received]


def snapshot_of(documents: Any, timed: Quantified | None, limits: Limits) -> Snapshot:
    """What was given, as it is now; `timed` is a part for which documents need times, if there is one."""
    if isinstance(documents, Snapshot):
        return documents
    if isinstance(documents, DocumentBase):
        return documents.snapshot()
    if not isinstance(documents, Sequence) or isinstance(documents, str | bytes):
        raise InputError(
            f"documents are an eligo.DocumentBase, a snapshot of one, or a list of documents, not {shown(documents)}",
            help="put them into a DocumentBase with add_batch",
        )
    if timed is not None and any(not isinstance(document, Received) for document in documents):
        raise InputError(
            f"documents without times were given, and their times are asked for: {shown(repr(timed))}",
            help="use eligo.DocumentBase",
        )
    plain = [document.document if isinstance(document, Received) else document for document in documents]
    times = [microseconds_of(document.time) if isinstance(document, Received) else 0 for document in documents]
    attributes = [event_attributes(document, limits=limits) for document in plain]
    if not attributes:
        return Snapshot([], 0)
    return Snapshot([(Segment.of(attributes, range(len(plain)), times), None)], 0)
