"""In what is a score counted? In billionths, as whole numbers: no order of adding them changes the sum.

Plain Python, so that the oracle counts with the same lines as the compiled loops (`exact_scores`).
"""

from __future__ import annotations

UNITS = 1_000_000_000
"""How many units make a score of 1."""
MOST_WEIGHT = 1_000_000_000
"""No weight, of an expression or an event, is larger."""
MOST_UNITS = 4_000_000_000_000_000_000
"""Where sums stay: the score of 4,000,000,000. Twice this fits 64 bits, so that no sum overflows on the way."""


def hit_units(weight: float, event_weight: float) -> int:
    """What a hit scores: the product, rounded to whole units, half to even.

    Rises with both weights, so that a bound on a weight gives a bound on the hit.
    """
    return round(min(weight * event_weight * 1e9, 4e18))


def add_units(one: int, other: int) -> int:
    """The sum, which stays at `MOST_UNITS`. Any order of adding gives the same, because nothing is below 0."""
    return min(one + other, MOST_UNITS)
