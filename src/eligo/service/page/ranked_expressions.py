"""Which expressions match most, and which never? Of the events since the start, or of those of a sample."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from eligo.errors import EligoError, UnknownIdError
from eligo.service.page.activity import Activity
from eligo.service.page.sample import Sample
from eligo.service.records import ExpressionId
from eligo.service.service import Service

MOST_ROWS = 50
"""Ids of a list."""
MOST_TEXT = 500
"""Characters of an expression that are shown in a list."""
MOST_LOOKED_AT = 10_000
"""Expressions of a list that are looked at to find those that are there and may be seen."""

MaySee = Callable[[ExpressionId], bool]


def since_start(service: Service, activity: Activity, may_see: MaySee, sees_all: bool) -> dict[str, Any]:
    """The expressions that matched most events since the service started, and some that matched none."""
    num_never = 0
    never: list[ExpressionId] = []
    for id in service.expressions.ids():  # once through all ids: to look each of them up takes a hundred times as long
        if not activity.has_matched(id):
            num_never += 1
            if num_never <= MOST_LOOKED_AT:
                never.append(id)
    return {
        "events": activity.events,
        "counted_events": activity.counted_events,
        "most": _rows(service, activity.most_matched(MOST_LOOKED_AT), may_see),
        "never": _rows(service, ((id, 0) for id in never), may_see),
        "num_never": num_never if sees_all else None,
    }


def in_sample(service: Service, sample: Sample, tenant: str | None, may_see: MaySee, sees_all: bool) -> dict[str, Any]:
    """The same of a sample, which is matched with all expressions now."""
    guards = service.expressions.guards(tenant)
    events = [{**event, **guards} for event in sample if not isinstance(event, EligoError)]
    view = service.expressions.index.view()
    ids = view.ids
    if events:
        counts = view.count_batch(events, documents=service.documents.snapshot())
    else:
        counts = np.zeros(len(ids), np.int64)
    order = np.argsort(-counts, kind="stable")
    hit = order[: np.count_nonzero(counts)]
    never = np.flatnonzero(counts == 0)
    matched = [(ids[place].as_py(), int(counts[place])) for place in hit[:MOST_LOOKED_AT].tolist()]
    unmatched = (ids[place].as_py() for place in never[:MOST_LOOKED_AT].tolist())
    return {
        "events": len(events),
        "counted_events": len(events),
        "most": _rows(service, matched, may_see),
        "never": _rows(service, ((id, 0) for id in unmatched), may_see),
        "num_never": len(never) if sees_all else None,
    }


def _rows(service: Service, counted: Iterable[tuple[ExpressionId, int]], may_see: MaySee) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for id, count in counted:
        if not may_see(id):
            continue
        try:
            text = service.expressions.get(id).expression
        except UnknownIdError:  # deleted meanwhile
            continue
        rows.append({"id": id, "count": count, "expression": text[:MOST_TEXT]})
        if len(rows) == MOST_ROWS:
            break
    return rows
