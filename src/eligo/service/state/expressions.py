"""Which expressions does a service hold? An index of them, and beside it what is to come back with each.

A tenant and a validity are guards in front of the expression, as in every index (`index.guard`), so that a version of
it can be matched anywhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
import pyarrow as pa

from eligo.errors import UnknownIdError, shown
from eligo.index.guard import guarded
from eligo.index.index import Index
from eligo.service.records import NONE, ExpressionId, PutExpression


class StoredExpression(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An expression with what came with it."""

    id: ExpressionId
    expression: str
    tenant: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    metadata: msgspec.Raw = NONE

    @classmethod
    def of(cls, record: PutExpression) -> StoredExpression:
        return cls(**{name: getattr(record, name) for name in cls.__struct_fields__})

    @property
    def etag(self) -> str:
        """What changes with the expression, and with nothing else."""
        return hashlib.blake2b(msgspec.json.encode(self), digest_size=12).hexdigest()

    @property
    def guarded_text(self) -> str:
        """The text as the index has it."""
        columns: dict[str, pa.Array] = {}
        if self.tenant is not None:
            columns["tenant"] = pa.array([self.tenant], pa.string())
        for name in ("valid_from", "valid_to"):
            moment = getattr(self, name)
            if moment is not None:
                columns[name] = pa.array([moment.astimezone(UTC)], pa.timestamp("us", "UTC"))
        if not columns:
            return self.expression
        return str(guarded(pa.array([self.expression], pa.large_string()), columns)[0].as_py())


class Expressions:
    """The expressions of a service; changed by one thread, read by any."""

    def __init__(self, index: Index, given: dict[ExpressionId, StoredExpression]) -> None:
        self.index = index
        self._given = given

    def __len__(self) -> int:
        return len(self._given)

    def __contains__(self, id: object) -> bool:
        return id in self._given

    def __iter__(self) -> Iterator[StoredExpression]:
        return iter(list(self._given.values()))

    def get(self, id: ExpressionId) -> StoredExpression:
        """One expression; an `UnknownIdError` where there is none."""
        found = self._given.get(id)
        if found is None:
            raise UnknownIdError(f"there is no expression {shown(id)}")
        return found

    def put(self, stored: StoredExpression) -> None:
        """Add an expression, or replace the one of its id."""
        self.index.replace(stored.id, stored.guarded_text)
        self._given[stored.id] = stored

    def delete(self, id: ExpressionId) -> None:
        """Give up an expression."""
        self.index.delete(id)
        del self._given[id]

    def guards(self, tenant: str | None, at: datetime | None = None) -> dict[str, Any]:
        """What an event is given so that it meets what is its tenant's, and in force."""
        found: dict[str, Any] = {"@time": at or datetime.now(UTC)}
        return found if tenant is None else {**found, "@tenant": tenant}
