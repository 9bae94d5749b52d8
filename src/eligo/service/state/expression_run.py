"""How do many changes of expressions become one change of the index, with the outcome that one by one would have?

    put a, put b, delete c │ put a if it is as before │ publish …
    └─ one change ─────────┘ └─ another ──────────────┘

A run ends before an id comes again, so that a condition is looked at when all before it is done; conditions of
different ids do not depend on each other. Expressions that the index refuses are answered with their errors, and the
others of the run are made without them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eligo.errors import BuildError, EligoError
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
        places = {one.id: place for (place, _, _), one in zip(self._records, self._planned, strict=True)}
        made = self._made(self._planned, places)
        self._records, self._planned, self._ids = [], [], set()
        for one in made:
            if one.text is not None:
                self._note(one.text)

    def _made(self, planned: list[Planned], places: Mapping[ExpressionId, int]) -> list[Planned]:
        """Make changes together, but for those that are refused, whose errors are their answers."""
        try:
            self._expressions.change(planned)
            return planned
        except BuildError as error:
            errors: dict[ExpressionId, EligoError] = {reject.id: reject.error for reject in error.rejects}
        except EligoError as error:
            if len(planned) > 1:
                return [one for each in planned for one in self._made([each], places)]
            errors = {planned[0].id: error}
        for id, refused in errors.items():
            self._answers[places[id]] = refused
        rest = [one for one in planned if one.id not in errors]
        return self._made(rest, places) if rest else []
