"""What does a service know after a record? The state before, changed as the record says.

Records are applied by one thread, in groups that came to the disk together; readers of other threads see each of them
whole or not at all. What a record does depends on the records before it alone, never on how they were grouped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from eligo.data.events.event_json import parsed_event
from eligo.errors import EligoError
from eligo.joins.document_base import DocumentBase
from eligo.service.delivery.subscriptions import Subscriptions
from eligo.service.records import (
    Acknowledge,
    AddDocuments,
    AnyRecord,
    DeleteExpression,
    DeleteSubscription,
    Publish,
    PutExpression,
    PutSubscription,
    Refuse,
    Release,
    RemoveDocuments,
    Resend,
)
from eligo.service.state.document_moments import DocumentMoments
from eligo.service.state.expression_run import ExpressionRun
from eligo.service.state.expressions import Expressions
from eligo.service.state.outcome import Answer, NewEtag, Outcome
from eligo.service.state.publications import Publication, Publications
from eligo.service.state.rules import Rules


class ServiceState:
    """Expressions, documents and subscriptions, as the records up to `seq` have made them."""

    def __init__(
        self,
        expressions: Expressions,
        documents: DocumentBase,
        subscriptions: Subscriptions,
        publications: Publications,
        moments: DocumentMoments,
        seq: int = 0,
    ) -> None:
        self.expressions = expressions
        self.documents = documents
        self.subscriptions = subscriptions
        self.publications = publications
        self.moments = moments
        self.seq = seq
        """Of the last record that was applied."""
        self._applies: Mapping[type, Callable[[int, Any], object]] = {
            AddDocuments: self._add_documents,
            RemoveDocuments: lambda seq, record: self.documents.remove(record.numbers),
            Publish: self._publish,
            PutSubscription: self._put_subscription,
            DeleteSubscription: self.subscriptions.delete,
            Acknowledge: lambda seq, record: self.subscriptions.acknowledge(record),
            Refuse: lambda seq, record: self.subscriptions.refuse(record),
            Release: lambda seq, record: self.subscriptions.release(record),
            Resend: lambda seq, record: self.subscriptions.resend(record),
        }

    def set_rules(self, rules: Rules) -> None:
        """Apply records by these rules from now on; called when a checkpoint has them."""
        self.documents.rules = rules.keep
        self.publications.keep_for = rules.remember_publications

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
        run = ExpressionRun(self.expressions, answers, self.moments.add)
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

    def _put_subscription(self, seq: int, record: PutSubscription) -> str:
        is_known = record.name in self.subscriptions
        etag = self.subscriptions.put(seq, record)
        self.moments.add(record.expression)
        return etag if is_known else NewEtag(etag)

    def _add_documents(self, seq: int, record: AddDocuments) -> range:
        documents = [self._document(document) for document in record.documents]
        return self.documents.add_batch(documents, times=record.time, now=record.time).numbers

    def _publish(self, seq: int, record: Publish) -> Publication:
        repeated = self.publications.find(record)
        if repeated is not None:
            return repeated
        document = self._document(record.document)
        # It is compared with what came before it: this thread alone adds to the base.
        matched = self.subscriptions.match(record, self.documents)
        number = self.documents.add(document, record.time, now=record.time)
        count = self.subscriptions.published(seq, record, matched)
        publication = Publication(seq, number if number in self.documents else None, count)
        self.publications.add(record, publication)
        return publication

    def _document(self, text: bytes | msgspec.Raw) -> dict[str, Any]:
        limits = self.documents.limits
        return self.moments.read(parsed_event(bytes(text), limits), limits)
