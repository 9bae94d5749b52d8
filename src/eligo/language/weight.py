"""What is a weight? A number from 0 to a billion, of an expression or of an event; nothing else is taken for one."""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Real
from typing import Any

from eligo.kernels.score_units import MOST_WEIGHT

RULE = f"a weight is a number from 0 to {MOST_WEIGHT:,}"
"""What an error says."""


def weight_of(raw: Any) -> float | None:
    """The weight that is given, or None for what is no weight, such as `True`, `"2"`, NaN or -1."""
    if isinstance(raw, bool) or not isinstance(raw, Real | Decimal):
        return None
    try:
        weight = float(raw)
    except (ValueError, OverflowError):
        return None
    if not math.isfinite(weight) or not 0 <= weight <= MOST_WEIGHT:
        return None
    return weight + 0.0  # no negative zero
