"""How many threads does one batch of events use? As many as there are cores, unless told otherwise.

Kernels release the interpreter's lock, so blocks of events run side by side. A Spark task has one core, and says so.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from eligo.arguments import whole_number

MOST_THREADS = 4_096

_chosen: int | None = None


def set_threads(threads: int | None) -> None:
    """Let each batch use so many threads from now on; None for as many as there are cores, the default."""
    global _chosen
    help = "at least 1, or None for all cores"
    _chosen = None if threads is None else whole_number(threads, "threads", least=1, most=MOST_THREADS, help=help)


def num_threads() -> int:
    """How many threads a batch uses: what was set, else `ELIGO_THREADS`, else the cores that this process may use."""
    if _chosen is not None:
        return _chosen
    from_environment = os.environ.get("ELIGO_THREADS", "")
    if from_environment.isdecimal() and int(from_environment) > 0:
        return int(from_environment)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share_out(work: Callable[[range], None], count: int) -> None:
    """Call `work` with every threads-th of the numbers below `count`, in as many threads; errors come out here.

    The calling thread is one of them, and does the share of one that cannot be started. The pools of
    `concurrent.futures` share a lock, on which a signal handler would wait for its own thread: they are not used.
    """
    threads = min(num_threads(), count)
    errors: list[BaseException] = []

    def work_on(first: int) -> None:
        try:
            work(range(first, count, threads))
        except BaseException as error:
            errors.append(error)

    started: list[threading.Thread] = []
    own = [0] if count else []
    for first in range(1, threads):
        thread = threading.Thread(target=work_on, args=(first,), name=f"eligo {first}", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # no more threads for this process
            own.append(first)
        else:
            started.append(thread)
    for first in own:
        work(range(first, count, threads))
    for thread in started:
        thread.join()
    if errors:
        raise errors[0]
