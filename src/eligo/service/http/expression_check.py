"""Which expressions are taken? Those that can be read, that the engine can take, and that leave the guards alone.

This is seen before a change is written down; what depends on what is there already, as an etag, is seen after.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from eligo.data.expressions.expression_source import checked_id, read_expression
from eligo.data.schema.guards import GUARDS
from eligo.errors import ExpressionValueError, InputError
from eligo.index.index import Index
from eligo.index.part import require_shape
from eligo.language.evaluate import attributes_of
from eligo.language.tree import Expression
from eligo.service.records import NONE, ExpressionId, PutExpression

MOST_METADATA = 64 << 10
"""Bytes of the metadata of one expression."""
MOST_TENANT = 1_000
"""Characters of the name of a tenant."""


def read_checked(index: Index, form: str | dict[str, Any]) -> tuple[str, Expression]:
    """The text and the tree of an expression, a text or the JSON form, which was found good."""
    text = form if isinstance(form, str) else msgspec.json.encode(form).decode()
    _, tree = read_expression(text, schema=index.schema, limits=index.limits)
    for name in GUARDS:
        if name in attributes_of(tree):
            raise ExpressionValueError(
                f"an expression does not name {name} itself",
                help="give `tenant`, `valid_from` and `valid_to` beside it",
            )
    return text, tree


def put_record(
    index: Index,
    id: ExpressionId,
    form: str | dict[str, Any],
    *,
    tenant: str | None,
    valid_from: datetime | None,
    valid_to: datetime | None,
    metadata: msgspec.Raw,
    if_match: str | None = None,
    only_tenant: str | None = None,
) -> PutExpression:
    """The change that puts an expression."""
    known_id = checked_id(id)
    text, _ = read_checked(index, form)
    require_shape(known_id, text, index.settings)
    return PutExpression(
        id=known_id,
        expression=text,
        tenant=checked_tenant(tenant),
        valid_from=in_utc(valid_from),
        valid_to=in_utc(valid_to),
        metadata=checked_metadata(metadata),
        if_match=if_match,
        only_tenant=only_tenant,
    )


def checked_tenant(tenant: str | None) -> str | None:
    """Whose something is to be; an `InputError` for a name that no tenant has."""
    if tenant is not None and not 0 < len(tenant) <= MOST_TENANT:
        raise InputError(
            f"a tenant is a text of 1 to {MOST_TENANT:,} characters", help="leave it out for what is everybody's"
        )
    return tenant


def in_utc(moment: datetime | None) -> datetime | None:
    """A moment in UTC, which is also the zone of one that has none."""
    if moment is None:
        return None
    try:
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:
        raise InputError(f"{moment.isoformat()} is no moment in UTC") from None


def checked_metadata(given: msgspec.Raw) -> msgspec.Raw:
    """Metadata, which is a JSON object of bounded size or null."""
    data = bytes(given).strip()
    if data in (b"", b"null"):
        return NONE
    if not data.startswith(b"{"):
        raise InputError("metadata is a JSON object", help='write "metadata": {"owner": "Ann"}')
    if len(data) > MOST_METADATA:
        raise InputError(f"metadata has {len(data):,} bytes, more than the {MOST_METADATA:,} that it may have")
    try:
        msgspec.json.decode(data)  # what is taken over as it came was looked at for its brackets only
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"metadata is no JSON: {error}", help="write JSON in UTF-8") from None
    return msgspec.Raw(data)
