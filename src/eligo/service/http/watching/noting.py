"""What is noted of an answer? It is counted for the page and for Prometheus, and written down where that is wanted."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from eligo.service.http.asking import Asking, Read
from eligo.service.page.activity import activity_of
from eligo.service.records import ExpressionId

Answered = Sequence[ExpressionId] | Exception
"""The ids that an event was answered with, or why there are none."""


def note_answers(
    asking: Asking, read: Read, events: Sequence[bytes | Mapping[str, Any]], found: Sequence[Answered]
) -> None:
    """Note what each event was answered with; `events` may be left out where nothing is written down."""
    good = [each for each in found if not isinstance(each, Exception)]
    note_numbers(asking, read, len(found), sum(map(len, good)), chain.from_iterable(good))
    if asking.decisions is not None:
        for event, ids in zip(events, found, strict=True):
            if not isinstance(ids, Exception):
                asking.decisions.note(read.call.request_id, read.seq, read.tenant, event, list(ids))


def note_numbers(
    asking: Asking, read: Read, num_events: int, num_matches: int, ids: Iterable[ExpressionId] | None = None
) -> None:
    """Note how much was answered, with the id of every match where they are at hand.

    How long a request took that lasts as long as its lines come says nothing of the service.
    """
    read.call.num_matches += num_matches
    seconds = None if read.call.lasts else time.perf_counter() - read.call.started
    activity_of(asking.service).answered(seconds, num_events, num_matches, ids)
