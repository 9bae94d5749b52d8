"""How does a command show that it waits for a store? By a line now and then, for files that take a while."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from eligo.cli.shared.console import messages
from eligo.stores.download import Fetched, listening

SHOWN_FROM = 32 << 20
"""Bytes of a file from which on its way is told."""
SECONDS_BETWEEN = 2.0


@contextmanager
def shown_downloads() -> Iterator[None]:
    """Tell on stderr how far files of stores are that are fetched in the block."""
    last = 0.0

    def show(told: Fetched) -> None:
        nonlocal last
        now = time.monotonic()
        if told.num_bytes >= SHOWN_FROM and (now - last >= SECONDS_BETWEEN or told.num_done == told.num_bytes):
            last = now
            done, all_of_it = told.num_done / 1e6, told.num_bytes / 1e6
            messages().print(f"fetching {told.address}: {done:,.0f} of {all_of_it:,.0f} MB")

    with listening(show):
        yield
