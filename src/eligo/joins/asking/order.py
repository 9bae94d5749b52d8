"""Are documents looked at first, or the other predicates? By an estimate of both (Tatbul 2001, section 4.3.1).

    joins first        decide all j parts, then ask the engine           j log D + k log N
    constants first    ask the engine with every part as hoped for,      k log N + j' log D + k log N
                       decide the parts of what is left, ask again

D documents, N expressions, k attributes of the event on which there are constant predicates. How many parts are left,
j', is not known before; it is guessed from what was left of earlier events. To keep that guess, constants come first
now and then, at fixed places, whatever the estimate. Answers do not depend on the order.
"""

from __future__ import annotations

from math import log2
from typing import NamedTuple

from eligo.joins.asking.question import Order

FIRST_SHARE = 0.25
"""What is guessed to be left of the parts before any event was seen."""
MEMORY = 0.9
"""What the share of earlier events counts against that of the next one."""
TRIED_EVERY = 256
"""Questions from one on which constants come first by turn to the next."""


class Estimate(NamedTuple):
    """What both orders are expected to cost an event, in evaluations."""

    joins: float
    """All j parts, then the engine."""
    constants: float
    """The engine, the parts that are left, the engine again."""

    @property
    def order(self) -> Order:
        """The one that costs less."""
        return "constants" if self.constants < self.joins else "joins"

    def told(self) -> str:
        """For people."""
        costs = f"{self.joins:,.0f} evaluations with joins first, {self.constants:,.0f} with constants first"
        return f"{self.order} first: an event like this is expected to cost {costs}"


def estimate(num_parts: int, share: float, num_attributes: float, num_expressions: int, num_documents: int) -> Estimate:
    """The estimate for an event with so many attributes, if that share of the parts is left by constants."""
    deciding, asking = log2(num_documents + 1), num_attributes * log2(num_expressions + 1)
    return Estimate(num_parts * deciding + asking, 2 * asking + share * num_parts * deciding)


class OrderChoice:
    """What to look at first, for one set of expressions; it learns from what was left."""

    def __init__(self, num_parts: int, num_expressions: int) -> None:
        self._num_parts = num_parts
        self._num_expressions = num_expressions
        self.share = FIRST_SHARE
        """Of the parts, what constants left on the last events."""
        self.num_questions = 0
        self.last: Order | None = None
        self.last_estimate: Estimate | None = None

    def estimate(self, num_attributes: float, num_documents: int) -> Estimate:
        """What both orders are expected to cost an event."""
        return estimate(self._num_parts, self.share, num_attributes, self._num_expressions, num_documents)

    def choose(self, num_attributes: float, num_documents: int, wanted: Order | None) -> Order:
        """The order for the next question; `wanted` is the caller's word."""
        found = self.estimate(num_attributes, num_documents)
        order: Order = found.order if wanted is None else wanted
        # One part is decided as soon as it is found out whether it need be.
        is_tried = wanted is None and self._num_parts > 1 and self.num_questions % TRIED_EVERY == 0
        self.num_questions += 1
        self.last, self.last_estimate = "constants" if is_tried else order, found
        return self.last

    def observed(self, share: float) -> None:
        """Constants have left this share of the parts."""
        self.share = share if self.num_questions <= 1 else MEMORY * self.share + (1 - MEMORY) * share
