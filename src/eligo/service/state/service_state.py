"""What does a service know after a record? The state before, changed as the record says.

Records are applied by one thread, in groups that came to the disk together; readers of other threads see each of them
whole or not at all. What a record does depends on the records before it alone, never on how they were grouped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eligo.data.events.event_json import parsed_event
from eligo.errors import EligoError
from eligo.joins.document_base import DocumentBase
from eligo.service.records import AddDocuments, AnyRecord, DeleteExpression, PutExpression, RemoveDocuments
from eligo.service.state.expression_run import ExpressionRun
from eligo.service.state.expressions import Expressions
from eligo.service.state.outcome import Answer, Outcome


class ServiceState:
    """Expressions, documents and subscriptions, as the records up to `seq` have made them."""

    def __init__(self, expressions: Expressions, documents: DocumentBase, seq: int = 0) -> None:
        self.expressions = expressions
        self.documents = documents
        self.seq = seq
        """Of the last record that was applied."""
        self._applies: Mapping[type, Callable[[int, Any], object]] = {
            AddDocuments: self._add_documents,
            RemoveDocuments: self._remove_documents,
        }

    def apply(self, seq: int, record: AnyRecord) -> object:
        """Apply the record of a number; what it gives depends on its kind. An `EligoError` says that nothing changed.

        The etag of a `PutExpression`, None of a deletion, the numbers of added documents, a `Publication` of a
        `Publish`.
        """
        answer = self.apply_group(seq, [record])[0]
        if isinstance(answer, EligoError):
            raise answer
        return answer.result

    def apply_group(self, first_seq: int, records: Sequence[AnyRecord]) -> list[Answer]:
        """Apply records of consecutive numbers, and say what became of each."""
        answers: list[Answer] = [Outcome(0)] * len(records)
        run = ExpressionRun(self.expressions, answers)
        for place, record in enumerate(records):
            seq = first_seq + place
            if isinstance(record, PutExpression | DeleteExpression):
                run.add(place, seq, record)
                continue
            run.end()
            try:
                answers[place] = Outcome(seq, self._applies[type(record)](seq, record))
            except EligoError as error:
                answers[place] = error
        run.end()
        self.seq = first_seq + len(records) - 1
        return answers

    def _add_documents(self, seq: int, record: AddDocuments) -> range:
        limits = self.documents.limits
        documents = [parsed_event(bytes(document), limits) for document in record.documents]
        return self.documents.add_batch(documents, times=record.time, now=record.time).numbers

    def _remove_documents(self, seq: int, record: RemoveDocuments) -> int:
        return self.documents.remove(record.numbers)
