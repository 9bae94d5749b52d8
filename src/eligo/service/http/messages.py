"""What do bodies and answers have in them? One class each; OpenAPI is made of them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from eligo.service.records import NONE, ExpressionId

Form = str | dict[str, Any]
"""An expression: its text, or its JSON form."""
Metadata = Annotated[msgspec.Raw, Meta(extra_json_schema={"type": ["object", "null"]})]
Event = Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "object"})]


class ExpressionBody(Struct, forbid_unknown_fields=True):
    """An expression that is put."""

    expression: Form
    tenant: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    metadata: Metadata = msgspec.field(default_factory=lambda: NONE)


class ExpressionRow(Struct, forbid_unknown_fields=True):
    """One of many: an expression that is put, or the id of one that goes."""

    id: ExpressionId
    expression: Form | None = None
    delete: bool = False
    tenant: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    metadata: Metadata = msgspec.field(default_factory=lambda: NONE)
    if_match: str | None = None


class PutAnswer(Struct):
    """An expression was put."""

    id: ExpressionId
    etag: str
    seq: int
    version: int


class WriteAnswer(Struct):
    """A change was made."""

    seq: int
    version: int


class RowAnswer(Struct, omit_defaults=True):
    """What became of one of many."""

    id: ExpressionId | None = None
    seq: int | None = None
    etag: str | None = None
    error: dict[str, Any] | None = None


class StoredAnswer(Struct):
    """An expression as it is kept."""

    id: ExpressionId
    expression: str
    canonical: str
    etag: str
    tenant: str | None
    valid_from: datetime | None
    valid_to: datetime | None
    metadata: Metadata


class ExpressionAnswer(StoredAnswer):
    """One expression."""

    seq: int
    version: int


class ExpressionPage(Struct):
    """Expressions by id; `next` is what `after` is for the next page."""

    expressions: list[StoredAnswer]
    next: ExpressionId | None
    total: int
    seq: int
    version: int


class EventsBody(Struct, forbid_unknown_fields=True):
    """Many events; `weights` for ranking only."""

    events: list[Event]
    weights: dict[str, Any] | None = None


class MatchAnswer(Struct, omit_defaults=True):
    """The ids that an event matches; a list for each event where there are many."""

    matches: list[ExpressionId | list[ExpressionId]]
    seq: int
    version: int
    metadata: list[Any] | None = None


class MatchLine(Struct, omit_defaults=True):
    """What one line matches, or why that cannot be said."""

    matches: list[ExpressionId] | None = None
    error: dict[str, Any] | None = None
    metadata: list[Any] | None = None


class Scored(Struct):
    """A match with its score."""

    id: ExpressionId
    score: float


class TopAnswer(Struct):
    """The best matches of an event, best first; a list for each event where there are many."""

    matches: list[Scored | list[Scored]]
    seq: int
    version: int


class TopLine(Struct, omit_defaults=True):
    """The best matches of one line, or why that cannot be said."""

    matches: list[Scored] | None = None
    error: dict[str, Any] | None = None


class Counted(Struct):
    """How many events an expression matches."""

    id: ExpressionId
    count: int


class CountAnswer(Struct):
    """Those that match some of the events, in the order of their ids."""

    counts: list[Counted]
    events: int
    seq: int
    version: int


class ExplainBody(Struct, forbid_unknown_fields=True):
    """An expression that need not be stored, and an event, or many."""

    expression: Form
    event: Event = msgspec.field(default_factory=lambda: NONE)
    events: list[Event] | None = None


class ExplanationsAnswer(Struct):
    """An explanation for each event."""

    explanations: list[dict[str, Any]]
    seq: int
    version: int


class ChecksBody(Struct, forbid_unknown_fields=True):
    """An expression to be looked at, or many."""

    expression: Form | None = None
    expressions: list[Form] | None = None


class CheckBody(Struct, forbid_unknown_fields=True):
    """An expression to be looked at."""

    expression: Form


class CheckAnswer(Struct):
    """What an expression says: its tree in the JSON form, its canonical text, and what is odd about it."""

    canonical: str
    tree: dict[str, Any]
    attributes: list[str]
    findings: list[dict[str, Any]]
    seq: int
    version: int


class CheckResult(Struct, omit_defaults=True):
    """What one of many expressions says, or why it says nothing."""

    canonical: str | None = None
    tree: dict[str, Any] | None = None
    attributes: list[str] | None = None
    findings: list[dict[str, Any]] | None = None
    error: dict[str, Any] | None = None


class ChecksAnswer(Struct):
    """What each of many expressions says."""

    checks: list[CheckResult]
    seq: int
    version: int


class DocumentsBody(Struct, forbid_unknown_fields=True):
    """Documents that come into the base, matched with nothing."""

    documents: list[Event]


class NumbersAnswer(Struct):
    """The numbers of documents that were added; those that the rules of the base do not keep have one, too."""

    numbers: list[int]
    seq: int
    version: int


class StoredDocument(Struct):
    """A document of the base."""

    number: int
    document: dict[str, Any]
    time: datetime


class DocumentAnswer(StoredDocument):
    """One document."""

    seq: int
    version: int


class DocumentPage(Struct):
    """Documents by number; `next` is what `after` is for the next page."""

    documents: list[StoredDocument]
    next: int | None
    total: int
    seq: int
    version: int


class FoundAnswer(Struct):
    """All documents that satisfy an expression by number, and the first of them whole."""

    numbers: list[int]
    documents: list[StoredDocument]
    seq: int
    version: int


class Problem(Struct, omit_defaults=True):
    """What is wrong, where, and what to do (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    help: str | None = None
    line: int | None = None
    column: int | None = None
    offset: int | None = None
    excerpt: str | None = None
    caret: str | None = None
    row: int | None = None
    attribute: str | None = None
    request_id: str | None = None
