"""What does a service keep of an expression? Its text with its guards, in the index, and its metadata beside it."""

from __future__ import annotations

import hashlib
from datetime import datetime

import msgspec

from eligo.data.expressions.expression_source import read_expression
from eligo.index.settings import Settings
from eligo.service.records import NONE, ExpressionId, PutExpression
from eligo.service.state.guarded_text import Guarded, with_guards, without_guards


class StoredExpression(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An expression with what came with it."""

    id: ExpressionId
    expression: str
    tenant: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    metadata: msgspec.Raw = NONE

    @classmethod
    def of(cls, id: ExpressionId, text: str, metadata: bytes | None) -> StoredExpression:
        """The expression of a text that the index has."""
        return cls(
            id=id, **without_guards(text)._asdict(), metadata=NONE if metadata is None else msgspec.Raw(metadata)
        )

    @property
    def guarded_text(self) -> str:
        """The text as the index has it."""
        return with_guards(Guarded(self.expression, self.tenant, self.valid_from, self.valid_to))

    @property
    def etag(self) -> str:
        """What changes with the expression, and with nothing else."""
        return etag_of(self.guarded_text, metadata_of(self.metadata))


def etag_of(text: str, metadata: bytes | None) -> str:
    """The etag of an expression by the text that the index has, and its metadata."""
    found = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12)
    if metadata is not None:
        found.update(b"\0")
        found.update(metadata)
    return found.hexdigest()


def metadata_of(given: msgspec.Raw) -> bytes | None:
    """The bytes of metadata; None where there are none.

    They are text, whatever a log has that was written when this was not looked at: a checkpoint has texts.
    """
    data = bytes(given)
    if not data.isascii():
        data = data.decode("utf-8", "replace").encode()
    return None if data in (b"", b"null") else data


def text_to_index(record: PutExpression, settings: Settings) -> str:
    """The text that the index is to have for a record.

    A text that gets guards must be an expression by itself: else its parentheses could end those of the guard. The JSON
    form becomes the canonical text, as in every index.
    """
    text = record.expression
    is_guarded = record.tenant is not None or record.valid_from is not None or record.valid_to is not None
    if is_guarded or text.lstrip().startswith("{") or not text.isascii():
        text, _ = read_expression(text, schema=settings.schema, limits=settings.limits)
    return with_guards(Guarded(text, record.tenant, record.valid_from, record.valid_to)) if is_guarded else text
