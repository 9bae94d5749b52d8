"""When does a merge begin? When it is asked for, or when the changes make up too large a share of the base."""

from __future__ import annotations

from eligo.errors import MergeError
from eligo.index.live.live_set import LiveSet

MERGE_AT = 0.1
"""Changes are merged when they are more than this share of the base."""
FEWEST_CHANGES = 1_000
"""Fewer changes than these start no merge."""


def merge_if_due(live: LiveSet, merge_at: float | None) -> None:
    """Start a merge in the background when changes are more than this share of the base; None for never."""
    if merge_at is None or live.merging is not None:
        return
    state = live.state
    if state.num_changes > max(FEWEST_CHANGES, merge_at * state.base_size, live.retry_at):
        live.merge(background=True)


def merge_now(live: LiveSet) -> None:
    """Merge in this thread, after a merge that is running; an error where it would wait for itself."""
    if live.merges_here or live.changes_here:
        raise MergeError(
            "this thread is in the middle of a merge or another change, for which it would wait for ever",
            help="a signal handler may ask for merge(background=True)",
        )
    if (running := live.merging) is not None:
        running.exception()
    live.merge(background=False).result()
