"""What is said of an expression that is probably not meant? A rule, a sentence, where it is known a place, and advice.

'ad-3': unknown-attribute: no event has an attribute agee
  line 1, column 1
    | agee > 18
    | ^
  help: did you mean age?
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eligo.errors import ExpressionError, Position, printable

Id = str | int

REMARKS = ("out-of-range", "unseen-value", "no-match-seen")
"""Rules that speak of the events that were looked at; others, yet to come, may be different."""


@dataclass(frozen=True)
class Finding:
    """One remark on one expression."""

    id: Id
    rule: str
    message: str
    other_id: Id | None = None
    """The expression that this one is a duplicate of or subsumed by."""
    help: str = ""
    text: str = ""
    """The text of the expression, where the place in it is known."""
    position: Position | None = None

    @property
    def is_remark(self) -> bool:
        """Whether it may be no fault at all, because it is about the events that were looked at."""
        return self.rule in REMARKS

    def __str__(self) -> str:
        said = ExpressionError(self.message, text=self.text, position=self.position, help=self.help)
        return f"{printable(repr(self.id))}: {self.rule}: {said}"

    def to_json(self) -> dict[str, Any]:
        """A form that JSON can hold."""
        return {
            "id": self.id,
            "rule": self.rule,
            "is_remark": self.is_remark,
            "message": self.message,
            "help": self.help or None,
            "other_id": self.other_id,
            "expression": self.text or None,
            "expression_line": self.position.line if self.position is not None else None,
            "expression_column": self.position.column if self.position is not None else None,
        }
