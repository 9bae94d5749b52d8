"""Which events does a person try an expression with? Lines of JSON, each an event or, for itself, an error.

They come as texts and not as parsed JSON: a browser would round 9007199254740993.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eligo.data.schema.guards import GUARDS
from eligo.errors import EligoError, InputError, LimitError
from eligo.index.build_open import build
from eligo.index.index import Index
from eligo.index.one_event.json_event import json_bytes, json_event
from eligo.index.view import known_event
from eligo.language.tree import Expression, Predicate, Under, distinct_nodes
from eligo.language.value import Kind, kind_of

MOST_EVENTS = 200
"""Events of a sample."""
MOST_EVENT_BYTES = 1 << 20
"""Bytes of all of them together."""

Sample = Sequence[Mapping[str, Any] | EligoError]
"""Each event, or why it is none."""


def read_sample(lines: Sequence[str], index: Index, drafts: Sequence[Expression] = ()) -> Sample:
    """The events of some lines, as an index reads them that has the drafts among its expressions."""
    if len(lines) > MOST_EVENTS:
        raise LimitError(f"a sample has at most {MOST_EVENTS} events, not {len(lines):,}", help="leave some out")
    if sum(map(len, lines)) > MOST_EVENT_BYTES:
        raise LimitError(f"a sample has at most {MOST_EVENT_BYTES:,} characters", help="leave some events out")
    kinds = _temporal_kinds(index, drafts)
    return [_read(line, index, kinds) for line in lines]


def _read(line: str, index: Index, kinds: Mapping[str, Kind]) -> Mapping[str, Any] | EligoError:
    try:
        event = json_event(json_bytes(line), kinds, index.schema, index.limits)
        return known_event({name: value for name, value in event.items() if name not in GUARDS}, index.settings)
    except EligoError as error:
        return error
    except RecursionError:
        return InputError("the event is nested too deep")


def _temporal_kinds(index: Index, drafts: Sequence[Expression]) -> Mapping[str, Kind]:
    """Attributes whose texts stand for dates or timestamps, since drafts and index compare them with such only."""
    if not drafts:
        return index.view().temporal_kinds
    if not any(map(_may_be_temporal, drafts)):
        return {}
    wanted = build(dict(enumerate(drafts)), missing=index.missing).view().temporal_kinds
    view = index.view()
    named, found = frozenset(view.attribute_names), view.temporal_kinds
    return {name: kind for name, kind in wanted.items() if name not in named or found.get(name) is kind}


def _may_be_temporal(draft: Expression) -> bool:
    return any(
        isinstance(node, Under) or any(kind_of(value) in (Kind.DATE, Kind.TIMESTAMP) for value in node.values())
        for node in distinct_nodes(draft)
        if isinstance(node, Predicate)
    )
