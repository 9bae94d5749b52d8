"""How long is a store waited for? A request for some seconds, and for as long again while it is tried anew.

A store that is silent, or gives a byte now and then, would else hold a publisher, a reader or a worker for ever. What
cannot be reached at all, or answers that it is busy, is asked up to ten times, ever less often, in the same time.
"""

from __future__ import annotations

import os

from eligo.errors import InputError, shown

VARIABLE = "ELIGO_STORE_SECONDS"
"""Of the environment: after how many seconds a request is broken off, and is no longer tried anew."""
SECONDS = 120
"""Enough for eight ranges of 8 MB at once through 5 megabits a second."""
CONNECT_SECONDS = 10
MOST_RETRIES = 10


def seconds() -> int:
    """How long a request may take."""
    given = os.environ.get(VARIABLE)
    if not given:
        return SECONDS
    if not given.isdecimal() or not 1 <= int(given) <= 3600:
        raise InputError(f"{VARIABLE} is a number of seconds from 1 to 3600, not {shown(given)}")
    return int(given)
