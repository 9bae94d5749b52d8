"""What is a service at one record, for it to be written while others go on? A cut: nothing of it changes any more.

It is taken by the thread that applies records, between two groups, and costs little: an index gives a view, the base a
snapshot, and metadata is set aside. Only what waits for subscriptions, and the remembered publications, are copied.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from eligo.index.view import View
from eligo.joins.segment import Snapshot
from eligo.service.records import ExpressionId
from eligo.service.state.metadata import Known, MetadataRows
from eligo.service.state.publications import Frozen
from eligo.service.state.service_state import ServiceState


class Cut(NamedTuple):
    """All that a checkpoint has."""

    seq: int
    expressions: View
    subscriptions: View
    documents: Snapshot
    next_document: int
    metadata: tuple[MetadataRows, Mapping[ExpressionId, Known]]
    delivery: bytes
    publications: Frozen
    moments: tuple[tuple[str, str, str], ...]
    id_type: type | None


def cut(state: ServiceState) -> Cut:
    """The state as it is now; called by the thread that applies records."""
    return Cut(
        seq=state.seq,
        expressions=state.expressions.index.view(),
        subscriptions=state.subscriptions.index.view(),
        documents=state.documents.snapshot(),
        next_document=state.documents.stats().next_number,
        metadata=state.expressions.metadata.freeze(),
        delivery=state.subscriptions.to_json(),
        publications=state.publications.frozen(),
        moments=state.moments.known,
        id_type=state.expressions.id_type,
    )
