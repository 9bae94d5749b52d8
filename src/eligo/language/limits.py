"""How large may an expression or an event be? Bounds that keep hostile input from taking unbounded time or memory."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields

from eligo.arguments import whole_number
from eligo.errors import InputError, shown


@dataclass(frozen=True)
class Limits:
    """The bounds on one expression and on one event.

    An expression beyond one is refused with a `LimitError`, an event with an `EventLimitError`. Of an event only those
    attributes count that expressions ask about.
    """

    length: int = 1_000_000
    """Bytes of UTF-8 text."""
    depth: int = 500
    """Nested parentheses, `not`s and connectives."""
    set_size: int = 100_000
    """Operands of one `in`, `not in` or `contains all`."""
    normal_form: int = 10_000
    """Literals in a disjunctive or conjunctive normal form; decisions in a decision diagram, while it is made."""
    event_values: int = 100_000
    """Values of one event, repeated ones too; null and NaN are none."""
    event_bytes: int = 10_000_000
    """Bytes of UTF-8 of all strings of one event; for an event as JSON also those of its text."""
    event_depth: int = 100
    """Objects within objects of one event."""

    def __post_init__(self) -> None:
        for bound in fields(self):
            value = whole_number(getattr(self, bound.name), f"Limits.{bound.name}", least=1)
            object.__setattr__(self, bound.name, value)


def checked_limits(limits: Limits) -> Limits:
    """The limits, or an `InputError` for what are none."""
    if not isinstance(limits, Limits):
        raise InputError(f"limits are a Limits, not {shown(limits)}", help="write Limits(depth=1_000)")
    return limits


DEFAULT_LIMITS = Limits()

UNBOUNDED = Limits(*[sys.maxsize] * len(fields(Limits)))
"""For what has been checked within its limits already."""
