"""How do a tenant and a validity get into the text of an expression, and out of it again?

    "@tenant" = 'acme'^0 and "@time" >= timestamp '2026-01-01 00:00:00.000000Z'^0 and (
    age > 18
    )

The same text as `index.guard` makes of a table, so that expressions of a service and of a table are of one kind, and a
version of the index can be matched anywhere. What guards say is read from the text: it is kept nowhere else.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import NamedTuple

from eligo.data.schema.guards import TENANT, TIME

_MOMENT = r"timestamp '([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]{8,15}Z?)'\^0 and "
_HEAD = re.compile(
    rf"(?:\"{TENANT}\" = '((?:[^']|'')*)'\^0 and )?(?:\"{TIME}\" >= {_MOMENT})?(?:\"{TIME}\" < {_MOMENT})?\(\n"
)


class Guarded(NamedTuple):
    """An expression and what guards it."""

    expression: str
    tenant: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None


def with_guards(given: Guarded) -> str:
    """The text with its guards in front."""
    head = "" if given.tenant is None else f"\"{TENANT}\" = '{_quoted(given.tenant)}'^0 and "
    for moment, comparison in ((given.valid_from, ">="), (given.valid_to, "<")):
        if moment is not None:
            head += f"\"{TIME}\" {comparison} timestamp '{_text(moment)}'^0 and "
    return f"{head}(\n{given.expression}\n)" if head else given.expression


def without_guards(text: str) -> Guarded:
    """The expression that stands behind the guards of a text, and what they say."""
    if not text.startswith('"@'):
        return Guarded(text)
    head = _HEAD.match(text)
    if head is None or not text.endswith("\n)"):
        return Guarded(text)
    tenant, valid_from, valid_to = head.groups()
    return Guarded(
        text[head.end() : -2],
        None if tenant is None else tenant.replace("''", "'"),
        None if valid_from is None else _moment(valid_from),
        None if valid_to is None else _moment(valid_to),
    )


def in_utc(moment: datetime) -> datetime:
    """A moment in UTC; one without a zone is."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _quoted(text: str) -> str:
    return text.replace("'", "''")


def _text(moment: datetime) -> str:
    return in_utc(moment).isoformat(sep=" ", timespec="microseconds").replace("+00:00", "Z")


def _moment(text: str) -> datetime:
    return in_utc(datetime.fromisoformat(text))
