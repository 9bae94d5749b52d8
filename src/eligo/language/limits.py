"""How large may an expression be? Bounds that keep hostile input from taking unbounded time or memory."""

from __future__ import annotations

from dataclasses import dataclass, fields

from eligo.arguments import whole_number


@dataclass(frozen=True)
class Limits:
    """The bounds on one expression; an expression beyond one is refused with a `LimitError`."""

    length: int = 1_000_000
    """Bytes of UTF-8 text."""
    depth: int = 500
    """Nested parentheses, `not`s and connectives."""
    set_size: int = 100_000
    """Operands of one `in`, `not in` or `contains all`."""
    normal_form: int = 10_000
    """Literals in a disjunctive or conjunctive normal form."""

    def __post_init__(self) -> None:
        for bound in fields(self):
            value = whole_number(getattr(self, bound.name), f"Limits.{bound.name}", least=1)
            object.__setattr__(self, bound.name, value)


DEFAULT_LIMITS = Limits()
