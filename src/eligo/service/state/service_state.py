"""What does a service know after a record? The state before, changed as the record says.

Records are applied by one thread, one after another; readers of other threads see each of them whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from eligo.errors import InputError
from eligo.joins.document_base import DocumentBase
from eligo.service.records import (
    AddDocuments,
    AnyRecord,
    DeleteExpression,
    PutExpression,
    RemoveDocuments,
)
from eligo.service.state.expressions import Expressions, StoredExpression
from eligo.service.state.outcome import ConditionError, ForeignTenantError


class ServiceState:
    """Expressions, documents and subscriptions, as the records up to `seq` have made them."""

    def __init__(self, expressions: Expressions, documents: DocumentBase, seq: int = 0) -> None:
        self.expressions = expressions
        self.documents = documents
        self.seq = seq
        """Of the last record that was applied."""
        self._applies: Mapping[type, Callable[[int, Any], object]] = {
            PutExpression: self._put_expression,
            DeleteExpression: self._delete_expression,
            AddDocuments: self._add_documents,
            RemoveDocuments: self._remove_documents,
        }

    def apply(self, seq: int, record: AnyRecord) -> object:
        """Apply the record of a number; what it gives depends on its kind. An `EligoError` says that nothing changed.

        The etag of a `PutExpression`, None of a deletion, the numbers of added documents, a `Publication` of a
        `Publish`.
        """
        self.seq = seq
        return self._applies[type(record)](seq, record)

    def _put_expression(self, seq: int, record: PutExpression) -> str:
        stored = StoredExpression.of(record)
        self._check(record.id, record.if_match, record.only_tenant)
        self.expressions.put(stored)
        return stored.etag

    def _delete_expression(self, seq: int, record: DeleteExpression) -> None:
        self.expressions.get(record.id)
        self._check(record.id, record.if_match, record.only_tenant)
        self.expressions.delete(record.id)

    def _check(self, id: str | int, if_match: str | None, only_tenant: str | None) -> None:
        is_there = id in self.expressions
        if is_there and only_tenant is not None and self.expressions.get(id).tenant != only_tenant:
            raise ForeignTenantError(f"the expression {id!r} belongs to another tenant", help="use another id")
        if if_match is None:
            return
        if if_match == "":
            if is_there:
                raise ConditionError(f"there is an expression {id!r} already")
        elif not is_there or if_match not in {"*", self.expressions.get(id).etag}:
            raise ConditionError(
                f"the expression {id!r} is not the one that was expected", help="read it again, then change that"
            )

    def _add_documents(self, seq: int, record: AddDocuments) -> range:
        documents = [msgspec.json.decode(document) for document in record.documents]
        if not all(isinstance(document, dict) for document in documents):
            raise InputError("a document is a JSON object")
        return self.documents.add_batch(documents, times=record.time).numbers

    def _remove_documents(self, seq: int, record: RemoveDocuments) -> int:
        return self.documents.remove(record.numbers)
