"""What can be said of a merge while it runs, and afterwards? Who runs it, and how it ended; it always ends.

The index knows of a merge only for as long as someone runs it. When its thread cannot start, when something is raised
in the middle, and in a process that was forked meanwhile, the merge is over, and whoever waits for it is told.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future

import pyarrow as pa

from eligo.data.expressions.expression_source import ExpressionId
from eligo.errors import MergeError
from eligo.index.live.live_part import LivePart
from eligo.index.live.live_state import State
from eligo.index.part import Part

MOST_DELTAS = 8
"""More deltas than these are made one when they are published, because every part costs an event its encoding."""
FEW_DELTAS = 2
"""So many deltas are left when those are frozen anew that are read often."""
TIMES_SMALLER = 8
"""A delta stays beside one that is so many times larger: so much more seldom the larger one is frozen anew."""

HELP = "nothing was changed; merge() tries again"

Failed = Callable[[BaseException], None]
"""Is told why there is no merge."""


class Merge:
    """One attempt at a merge."""

    def __init__(self, *, is_of_all: bool = True) -> None:
        self.is_of_all = is_of_all
        """Whether all becomes one part, or only what came is frozen."""
        self.future: Future[None] = Future()
        self.future.set_running_or_notify_cancel()
        self.thread = threading.get_ident()
        """The thread that runs it."""
        self.is_over = False
        self.claimed: tuple[LivePart, ...] = ()
        """The parts that it makes another of, which no one else may take away meanwhile."""
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


def first_to_join(sizes: Sequence[int], num_new: int) -> int:
    """Of parts with so many live expressions: from which one on they are frozen anew, together with what came.

    Those that are less than twice as large as what comes after them, so that sizes halve from delta to delta and an
    expression is frozen anew as often as its part doubles; the base only while it is empty.

        3 new   100 | 8 4 2   ▶   100 | 17          1 new   100 | 8 4 2   ▶   100 | 8 4 2 1
    """
    first = len(sizes)
    while first > 1 and (sizes[first - 1] < 2 * num_new or first > MOST_DELTAS):
        first -= 1
        num_new += sizes[first]
    return 0 if first == 1 and not sizes[0] else first


def first_to_tidy(sizes: Sequence[int]) -> int:
    """The same for parts that are to be few: from which one on they are frozen anew; their number if none is.

    100,000 | 5,000 40 7   ▶   100,000 | 5,000 47          100,000 | 300 40 7   ▶   100,000 | 347
    """
    first, num_new = len(sizes), 0
    while first > 1 and (first > 1 + FEW_DELTAS - bool(num_new) or sizes[first - 1] < TIMES_SMALLER * num_new):
        first -= 1
        num_new += sizes[first]
    return first if len(sizes) - first > 1 else len(sizes)


class SupersededError(MergeError):
    """What was to be merged has been merged by another, which a signal handler began in the middle of this one."""


def taken_up(part: Part, replaced: Sequence[LivePart], since: int, state: State) -> State:
    """The state with a part in the place of those that it was made of at a moment, less what has gone since."""
    first = next((place for place, live in enumerate(state.parts) if live is replaced[0]), len(state.parts))
    end = first + len(replaced)
    if [id(live) for live in state.parts[first:end]] != [id(live) for live in replaced]:
        raise SupersededError("another merge came first", help="nothing is left to be done")
    live = LivePart(part)
    gone: list[ExpressionId] = []
    num_dead = state.num_dead
    for old in replaced:
        positions = old.died_between(since, state.moment)
        gone += old.part.ids.take(pa.array(positions)).to_pylist()
        num_dead -= old.num_dead
    if gone:
        live.kill_at(part.order.find_all(gone), 0)
    parts = (*state.parts[:first], live, *state.parts[end:])
    return state.next(parts=parts, num_dead=num_dead + len(gone))
