"""How does an event get its tenant and its time, so that nothing in it can say otherwise? Both are put in front.

    {"age": 30}   of tenant acme   {"@tenant":"acme","@time":"2026-11-18T09:00:00Z","age": 30}

A name that stands twice in an object is an error wherever events are read, however it is escaped; so an event that
brings one of the two itself is refused, also when it has no tenant (null, which is none). What follows is JSON after
the members in front exactly when it was before: no text that is not JSON becomes an event by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
import pyarrow as pa

from eligo.data.events.event_json import parsed_event
from eligo.data.schema.guards import GUARDS, TENANT, TIME
from eligo.errors import EligoError, EventError, InputError
from eligo.language.limits import DEFAULT_LIMITS, Limits

_BLANKS = b" \t\r\n"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def guard_text(tenant: str | None, at: datetime) -> bytes:
    """What is put in front of the members of an event."""
    moment = at.astimezone(UTC).isoformat()
    return b'{"%b":%b,"%b":"%b"' % (TENANT.encode(), msgspec.json.encode(tenant), TIME.encode(), moment.encode())


def guarded_event(text: bytes, front: bytes) -> bytes:
    """The event with the guards in front; an `EventError` for what does not begin as an object."""
    if text[:1] != b"{":
        text = text.removeprefix(_BYTE_ORDER_MARK).lstrip(_BLANKS)
        if text[:1] != b"{":
            raise not_an_event(text)
    after = text[1:16].lstrip(_BLANKS) or text[1:].lstrip(_BLANKS)
    return b"%b%b" % (front, text[1:]) if after[:1] == b"}" else b"%b,%b" % (front, text[1:])


def not_an_event(text: bytes, limits: Limits = DEFAULT_LIMITS) -> EligoError:
    """Why a text is no event."""
    try:
        given = parsed_event(text, limits)
    except EligoError as error:
        return error
    return EventError(f"an event does not begin as this does: {given!r:.60}")


def refusal(text: bytes, found: EligoError, limits: Limits = DEFAULT_LIMITS) -> EligoError:
    """The error that a client is told: places are those in the event as it was sent."""
    try:
        given = parsed_event(text, limits)
    except EligoError as error:
        return _without_row(error)
    for name in GUARDS:
        if name in given:
            return says_itself(name)
    return _without_row(found)


_PARAMETERS = {TENANT: "tenant", TIME: "at"}


def says_itself(name: str) -> EventError:
    """The error for an event that brings a guard."""
    return EventError(
        f"an event does not say its {name} itself", attribute=name, help=f"ask with ?{_PARAMETERS[name]}=…"
    )


def _without_row(error: EligoError) -> EligoError:
    """One event alone has no row."""
    if isinstance(error, EventError):
        error.row = None
    return error


def guarded_table(events: pa.Table, tenant: str | None, at: datetime) -> pa.Table:
    """A table of events with the columns of the guards; an `InputError` for one that brings them."""
    brought: Sequence[str] = [name for name in GUARDS if name in events.column_names]
    if brought:
        raise InputError(
            f"a table of events does not have a column {brought[0]!r}", help=f"ask with ?{_PARAMETERS[brought[0]]}=…"
        )
    times = pa.repeat(pa.scalar(at.astimezone(UTC), pa.timestamp("us", "UTC")), events.num_rows)
    guarded = events.append_column(TIME, times)
    if tenant is None:
        return guarded
    return guarded.append_column(TENANT, pa.repeat(pa.scalar(tenant, pa.string()), events.num_rows))
