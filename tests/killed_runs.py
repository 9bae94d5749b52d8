"""What is left after a process was killed again and again? It is started anew until it ends by itself."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Sequence


def run_with_kills(
    command: Sequence[str], kills: int, begun: Callable[[], bool], *, seed: int = 1, most_seconds: float = 600
) -> None:
    """Run a command, kill it and all that it started so many times after it has begun its work, then let it end."""
    chance = random.Random(seed)
    for _ in range(kills):
        process = subprocess.Popen(
            command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + most_seconds
        while process.poll() is None and not begun() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(chance.uniform(0, 1.5))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
