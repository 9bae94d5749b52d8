"""How does a base in memory change while others read it? By one state after another; readers take the last one.

A writer makes the next state beside the last one and hangs it behind it by a single step. Whatever is raised before
that step leaves everything as it was. Writers of different threads take turns. A signal handler that changes the base
in the middle of a change of its own thread comes first, and the change in whose middle it came is begun again.
"""

from __future__ import annotations

import threading

from eligo.joins.base_state import NEXT, After, Change, State


class StateChain:
    """States of a base that is kept in memory only."""

    num_bytes_on_disk = 0

    def __init__(self, first: State | None = None) -> None:
        self._known = State() if first is None else first
        """The last state, or one before it."""
        self.leave_behind()

    def leave_behind(self) -> None:
        """Forget, after a fork, what the threads of the other process were at."""
        self.changing = threading.RLock()

    @property
    def last(self) -> State:
        """The last state."""
        state = self._known
        while (later := state.after.get(NEXT)) is not None:
            state = later
        return state

    def change(self, after: After) -> None:
        """Put another state behind the last one."""
        with self.changing:
            while True:
                state = self.last
                change = after(state)
                if change is None:
                    return
                if state.after.setdefault(NEXT, change.state) is change.state:
                    self._known = change.state
                    return
                # A signal handler has made a change of its own meanwhile.

    def compact(self) -> None:
        """Hold all documents in one segment, without the dead."""

        def after(state: State) -> Change | None:
            compacted = state.compacted()
            return None if compacted is state else Change(compacted)

        self.change(after)

    def close(self) -> None:
        """Nothing is open."""
