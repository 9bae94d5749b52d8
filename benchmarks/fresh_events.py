"""Which events may be timed next? Those that nobody was asked before: a table of events is handed out once, in slices.

An engine that has just been asked an event has its lists, entries and tests in the caches, as it would not have for
the next event of a user. So every round takes events of its own, and so does every way through one engine.
"""

from __future__ import annotations

import pyarrow as pa


class FreshEvents:
    """Events that are handed out once."""

    def __init__(self, events: pa.Table) -> None:
        self.events = events
        self.num_taken = 0

    def take(self, count: int) -> pa.Table:
        """The next events; refuses when there are not as many left, and never starts again."""
        left = self.events.num_rows - self.num_taken
        if count > left:
            raise ValueError(
                f"{count:,} more events are asked for, and only {left:,} of {self.events.num_rows:,} were not handed "
                "out yet; give the workload a larger num_events"
            )
        first, self.num_taken = self.num_taken, self.num_taken + count
        return self.events.slice(first, count)
