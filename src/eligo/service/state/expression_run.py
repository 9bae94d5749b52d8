"""How do many changes of expressions become one change of the index, with the outcome that one by one would have?

    put a, put b, delete c │ put a if it is as before │ publish …
    └─ one change ─────────┘ └─ another ──────────────┘

A run ends before an id comes again, so that a condition is looked at when all before it is done; conditions of
different ids do not depend on each other. A run that the index refuses is made one by one: then each of its records
has an outcome of its own.
"""

from __future__ import annotations

from collections.abc import Callable

from eligo.errors import EligoError
from eligo.service.records import DeleteExpression, ExpressionId, PutExpression
from eligo.service.state.expressions import Expressions, Planned
from eligo.service.state.outcome import Answer, Outcome

ExpressionRecord = PutExpression | DeleteExpression


class ExpressionRun:
    """Changes of expressions that follow each other; their answers are put into a list when they are made."""

    def __init__(self, expressions: Expressions, answers: list[Answer], note: Callable[[str], None]) -> None:
        self._expressions = expressions
        self._answers = answers
        self._note = note
        """Told the text of every expression that comes."""
        self._records: list[tuple[int, int, ExpressionRecord]] = []
        """For each: its place among the answers, its number."""
        self._planned: list[Planned] = []
        self._ids: set[ExpressionId] = set()

    def add(self, place: int, seq: int, record: ExpressionRecord) -> None:
        """Take up a record; it is made at the latest by `end`."""
        if record.id in self._ids or (self._ids and self._expressions.id_type is None):
            self.end()
        try:
            planned = self._expressions.planned(record)
        except EligoError as error:
            self._answers[place] = error
            return
        self._answers[place] = Outcome(seq, planned.result)
        self._records.append((place, seq, record))
        self._planned.append(planned)
        self._ids.add(record.id)

    def end(self) -> None:
        """Make the changes."""
        if not self._planned:
            return
        records, planned = self._records, self._planned
        self._records, self._planned, self._ids = [], [], set()
        try:
            self._expressions.change(planned)
        except EligoError:
            planned = [one for (place, _, _), one in zip(records, planned, strict=True) if self._made(place, one)]
        for one in planned:
            if one.text is not None:
                self._note(one.text)

    def _made(self, place: int, one: Planned) -> bool:
        """Make one change by itself; false when it is refused, which is then its answer."""
        try:
            self._expressions.change([one])
        except EligoError as error:
            self._answers[place] = error
            return False
        return True
