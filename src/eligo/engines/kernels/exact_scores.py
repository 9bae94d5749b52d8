"""How do compiled loops count scores? As the oracle does, with the functions of `score_units`, compiled.

Floating-point operations must not be reordered here (no `fastmath`): a hit is the same number wherever it is counted.
"""

from __future__ import annotations

from eligo.kernels import score_units
from eligo.kernels.compiled import hot_loop

hit_units = hot_loop(score_units.hit_units)
add_units = hot_loop(score_units.add_units)

HAIR = 1.0 + 1e-9
"""By how much a bound that was added up in floats is raised, so that rounding never makes it too low."""
SLACK = 0.5
"""By how many units rounding may raise a hit above the product of its weights."""


@hot_loop
def bound_units(weight: float) -> float:
    """What no hit of a weight passes, as a float; times a factor of 1 or more, when the event's weight is that."""
    return weight * 1e9 + SLACK if weight > 0.0 else 0.0
