"""What can be said of a merge while it runs, and afterwards? Who runs it, and how it ended; it always ends.

The index knows of a merge only for as long as someone runs it. When its thread cannot start, when something is raised
in the middle, and in a process that was forked meanwhile, the merge is over, and whoever waits for it is told.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future

import pyarrow as pa

from eligo.data.expression_source import ExpressionId
from eligo.errors import MergeError
from eligo.live_part import LivePart
from eligo.live_state import State
from eligo.live_tail import TailEntry
from eligo.part import Part

HELP = "nothing was changed; merge() tries again"

Failed = Callable[[BaseException], None]
"""Is told why there is no merge."""


class Merge:
    """One attempt at a merge."""

    def __init__(self) -> None:
        self.future: Future[None] = Future()
        self.future.set_running_or_notify_cancel()
        self.thread = threading.get_ident()
        """The thread that runs it."""
        self.is_over = False
        self._claim: dict[str, str] = {}
        """Who was first: the thread that was to run it, or whoever found that it cannot."""

    def start(self, work: Callable[[], None], failed: Failed, not_started: Failed) -> None:
        """Run it in a thread of its own; when there is none to be had, it is over."""
        self.thread = -1
        thread = threading.Thread(target=self.run, args=(work, failed), name="eligo merge", daemon=True)
        try:
            thread.start()
        except BaseException as error:
            if self._claims("starter"):
                self._end(error)
                not_started(error)
            if not isinstance(error, Exception):
                raise

    def run(self, work: Callable[[], None], failed: Failed) -> None:
        """Run it here; what is raised is for those who ask the future."""
        if not self._claims("runner"):
            return
        error: BaseException | None = _broken_off()
        try:
            self.thread = threading.get_ident()
            work()
            error = None
        except BaseException as raised:
            error = raised
            failed(raised)
        finally:
            self._end(error)

    def __del__(self) -> None:
        if "_claim" in vars(self):  # made as a whole
            self._end(_broken_off())

    def _claims(self, who: str) -> bool:
        return self._claim.setdefault("first", who) == who

    def _end(self, error: BaseException | None) -> None:
        """Tell whoever waits, once."""
        self.is_over = True
        if self.future.done():
            return
        if error is None:
            self.future.set_result(None)
        else:
            self.future.set_exception(error)

    def leave_behind(self) -> None:
        """The one who runs it is in the process that this one was forked from."""
        self.is_over = True
        if not self.future.done():
            # Its lock may be held by a thread that is not here.
            self.future._condition = threading.Condition()
            self.future.set_exception(MergeError("the merge stayed in the process that was forked", help=HELP))


def _broken_off() -> MergeError:
    return MergeError("the merge was broken off", help=HELP)


def taken_up(part: Part, before: State, aside: list[dict[int, TailEntry]], state: State) -> State:
    """The state with a part in the place of the parts and tails that it was made of, less what has gone since."""
    if state.parts is not before.parts:
        raise MergeError("another merge came first", help="nothing is left to be done")
    live = LivePart(part)
    gone: list[ExpressionId] = []
    for old in before.parts:
        positions = old.died_between(before.moment, state.moment)
        gone += old.part.ids.take(pa.array(positions)).to_pylist()
    for entries, tail in zip(aside, state.tails, strict=False):
        gone += [entries[slot].id for slot in entries.keys() - tail.entries.keys()]
    for id in gone:
        position = part.order.find(id)
        assert position is not None
        live.kill(position, 0)
    return state.next(parts=(live,), tails=state.tails[len(aside) :], num_dead=len(gone))
