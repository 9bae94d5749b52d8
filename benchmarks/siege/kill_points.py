"""Where can a writer be killed? Before each of its calls to the operating system, one after the other.

died_at(3, publish)      a child process does what `publish` does and kills itself before its fourth such call
"""

from __future__ import annotations

import builtins
import os
import signal
import time
import traceback
from collections.abc import Callable
from typing import Any

CALLS = (
    "open",
    "fsync",
    "replace",
    "rename",
    "link",
    "unlink",
    "mkdir",
    "rmdir",
    "close",
    "utime",
    "ftruncate",
    "pwrite",
)
"""Calls of `os` that change what is on disk, or make it durable; `open` the builtin is counted as well."""
PATIENCE = 120.0
"""Seconds after which a child that has neither ended nor died counts as stuck."""


class StuckError(Exception):
    """A child did not end."""


def died_at(step: int, action: Callable[[], object]) -> bool:
    """Do something in a child that is killed at a step; whether it died there, rather than came to its end."""
    child = os.fork()
    if child == 0:
        try:
            arm(step)
            action()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    status = wait_for(child)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return True
    if os.waitstatus_to_exitcode(status) != 0:
        raise StuckError(f"a writer ended with {os.waitstatus_to_exitcode(status)} before step {step}")
    return False


def wait_for(child: int, patience: float = PATIENCE) -> int:
    """The status of a child that ends in time; one that does not is killed and counts as stuck."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise StuckError(f"a writer did not end within {patience:g} seconds")


def arm(step: int) -> None:
    """From now on this process kills itself before the call of that number."""
    num_calls = 0

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **named: Any) -> Any:
            nonlocal num_calls
            if num_calls == step:
                os.kill(os.getpid(), signal.SIGKILL)
            num_calls += 1
            return call(*arguments, **named)

        return wrapper

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))
    builtins.open = counted(builtins.open)
