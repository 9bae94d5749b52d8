"""Which documents came last? The newest of the base, as lines of JSON with which an expression can be tried."""

from __future__ import annotations

from datetime import date
from typing import Any

import msgspec

from eligo.joins.document_base import DocumentBase
from eligo.language.value import Scalar

MOST_DOCUMENTS = 100


def newest_lines(documents: DocumentBase, wanted: int) -> list[str]:
    """A line for each of the newest documents, the newest last."""
    snapshot = documents.snapshot()
    lines = []
    for number in snapshot.numbers()[-wanted:].tolist() if wanted else ():
        place = snapshot.place(number)
        if place is not None:
            segment, row = place
            lines.append(msgspec.json.encode(_given(segment.document(row))).decode())
    return lines


def _given(document: dict[str, tuple[Scalar, ...]]) -> dict[str, Any]:
    """A document as it may have come: one value alone, several as a list."""
    found = {name: [_written(value) for value in values] for name, values in document.items()}
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _written(value: Scalar) -> Any:
    return value.isoformat() if isinstance(value, date) else value
