"""When is a delivery that failed tried again? After a while that doubles with each failure."""

from __future__ import annotations

import random

LONGEST = 3_600.0
"""Seconds; no pause is longer."""


def pause(backoff: float, refusals: int) -> float:
    """Seconds until the next delivery, after so many that failed."""
    if refusals <= 0:
        return 0.0
    return min(backoff * 2.0 ** min(refusals - 1, 32), LONGEST)


def jittered(seconds: float) -> float:
    """Between half of it and all of it, so that those who failed together do not come back together."""
    return seconds * random.uniform(0.5, 1.0)
