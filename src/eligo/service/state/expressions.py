"""Which expressions does a service hold? An index of them, and beside it the metadata that is to come back.

A tenant and a validity are guards in front of the expression, as in every index, so that a version of it can be matched
anywhere; `guarded_text` reads them from the text. So an expression takes no memory but its place in the index.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from eligo.errors import InputError, UnknownIdError, shown
from eligo.index.index import Index
from eligo.service.records import DeleteExpression, ExpressionId, PutExpression
from eligo.service.state.metadata import Metadata
from eligo.service.state.outcome import ConditionError, ForeignTenantError, NewEtag
from eligo.service.state.stored_expression import (
    StoredExpression,
    etag_of,
    metadata_of,
    text_to_index,
)
from eligo.storage.packed_ids import are_numbers

__all__ = ["Expressions", "StoredExpression"]

READ_AT_ONCE = 1_000
MOST_LOOKED_AT = 10_000
"""Expressions that are looked at for a page."""


class Planned(NamedTuple):
    """A change of one expression, before it is made."""

    id: ExpressionId
    text: str | None
    """As the index is to have it; None when it goes."""
    metadata: bytes | None
    result: str | None
    """What the writer hears: the etag."""


class ExpressionsPage(NamedTuple):
    """Some of the expressions that were asked for."""

    expressions: list[StoredExpression]
    next: ExpressionId | None
    """Behind this one there may be more; None when there are not."""


class Expressions:
    """The expressions of a service; changed by one thread, read by any."""

    def __init__(self, index: Index, metadata: Metadata | None = None, id_type: type | None = None) -> None:
        self.index = index
        self.metadata = metadata or Metadata()
        self.id_type = id_type or _id_type(index)
        """What all ids are, `str` or `int`: what the first was. None before there is one."""

    def __len__(self) -> int:
        return len(self.index)

    def __contains__(self, id: object) -> bool:
        return id in self.index

    def __iter__(self) -> Iterator[StoredExpression]:
        """All of them, in the order in which they came; those that go meanwhile are left out."""
        for id in self.ids():
            try:
                yield self.get(id)
            except UnknownIdError:
                continue

    def ids(self) -> Iterator[ExpressionId]:
        """Their ids, in the order in which they came."""
        return _in_turn(self.index.ids_array())

    def get(self, id: ExpressionId) -> StoredExpression:
        """One expression; an `UnknownIdError` where there is none."""
        text = self._text(id)
        return StoredExpression.of(id, text, self.metadata.get(id, text))

    def etag(self, id: ExpressionId) -> str:
        """The etag of an expression that is there."""
        text = self._text(id)
        return etag_of(text, self.metadata.get(id, text))

    def _text(self, id: ExpressionId) -> str:
        try:
            return self.index.text(id)
        except UnknownIdError:
            raise UnknownIdError(f"there is no expression {shown(id)}") from None

    def page(
        self,
        *,
        prefix: str = "",
        contains: str = "",
        tenant: str | None = None,
        after: ExpressionId | None = None,
        limit: int = 100,
    ) -> ExpressionsPage:
        """Expressions in the order of their ids, behind one of them: whose ids begin so, whose texts have this.

        With a tenant those of others are left out. What is looked at is bounded: a page may have few, and more follow.
        """
        ids = self.index.ids_array()
        if after is not None and len(ids):
            ids = ids.filter(pc.greater(ids, after))
        if prefix:
            ids = ids.filter(pc.starts_with(ids.cast(pa.large_string()), pattern=prefix))
        most = min(len(ids), MOST_LOOKED_AT if contains or tenant is not None else limit)
        places = pc.select_k_unstable(ids, most, [("", "ascending")]) if most < len(ids) else pc.sort_indices(ids)
        found: list[StoredExpression] = []
        for number, id in enumerate(islice(_in_turn(ids.take(places)), most), 1):
            try:
                text = self.index.text(id)
                if contains not in text:  # which has the expression as it is, and its guards
                    continue
                stored = StoredExpression.of(id, text, self.metadata.get(id, text))
            except UnknownIdError:  # deleted meanwhile
                continue
            if contains in stored.expression and (tenant is None or stored.tenant in (None, tenant)):
                found.append(stored)
                if len(found) == limit:
                    return ExpressionsPage(found, id if number < len(ids) else None)
        return ExpressionsPage(found, ids[places[most - 1].as_py()].as_py() if most < len(ids) else None)

    def known_id(self, id: ExpressionId) -> ExpressionId:
        """An id as the ids here are: a text that is a number's, where they are numbers."""
        if self.id_type is int and isinstance(id, str):
            try:
                number = int(id)
            except ValueError:
                return id
            return number if str(number) == id else id
        return id

    def guards(self, tenant: str | None, at: datetime | None = None) -> dict[str, Any]:
        """What an event is given so that it meets what is its tenant's, and in force."""
        found: dict[str, Any] = {"@time": at or datetime.now(UTC)}
        return found if tenant is None else {**found, "@tenant": tenant}

    def planned(self, record: PutExpression | DeleteExpression) -> Planned:
        """What a record is to change, when its conditions hold; an `EligoError` when they do not."""
        self._check_kind(record.id)
        if isinstance(record, DeleteExpression):
            self._text(record.id)
            self._check(record.id, record.if_match, record.only_tenant)
            return Planned(record.id, None, None, None)
        text = text_to_index(record, self.index.settings)
        self._check(record.id, record.if_match, record.only_tenant)
        metadata = metadata_of(record.metadata)
        etag = etag_of(text, metadata)
        return Planned(record.id, text, metadata, etag if record.id in self.index else NewEtag(etag))

    def change(self, changes: Sequence[Planned]) -> None:
        """Make changes of different ids, all of them or, when an `EligoError` is raised, none."""
        before = [(change.id, self.metadata.known(change.id)) for change in changes]
        for change in changes:
            self.metadata.set(change.id, change.text, change.metadata)
        try:
            self._change_index(changes)
        except BaseException:
            for id, known in before:
                self.metadata.restore(id, known)
            raise
        if self.id_type is None:
            self.id_type = next((type(change.id) for change in changes if change.text is not None), None)

    def _change_index(self, changes: Sequence[Planned]) -> None:
        puts = [(change.id, change.text) for change in changes if change.text is not None]
        self.index.change(puts, [change.id for change in changes if change.text is None])

    def _check_kind(self, id: ExpressionId) -> None:
        # The index forgets the type of its ids when it is empty and merged; when that is depends on no record.
        if self.id_type is not None and not isinstance(id, self.id_type):
            raise InputError(
                f"the ids of this service are of type {self.id_type.__name__}, and {shown(id)} is not",
                help="ids are all strings or all integers, as the first one was",
            )

    def _check(self, id: ExpressionId, if_match: str | None, only_tenant: str | None) -> None:
        if if_match is None and only_tenant is None:
            return
        there = self.get(id) if id in self.index else None
        if there is not None and only_tenant is not None and there.tenant != only_tenant:
            raise ForeignTenantError(f"the expression {shown(id)} belongs to another tenant", help="use another id")
        if if_match is None:
            return
        if if_match == "":
            if there is not None:
                raise ConditionError(f"there is an expression {shown(id)} already")
        elif there is None or if_match not in {"*", self.etag(id)}:
            raise ConditionError(
                f"the expression {shown(id)} is not the one that was expected", help="read it again, then change that"
            )


def _in_turn(ids: pa.Array) -> Iterator[ExpressionId]:
    for first in range(0, len(ids), READ_AT_ONCE):
        yield from ids[first : first + READ_AT_ONCE].to_pylist()


def _id_type(index: Index) -> type | None:
    if not len(index):
        return None
    return int if are_numbers(index.ids_array()) else str
