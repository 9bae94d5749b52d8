"""How does one talk to a harness? It builds and answers; if the answers are right it is told to go on.

harness DIRECTORY WARM_SECONDS MOST_SECONDS [more]      its command, with the files of `exchange` in the directory
← {"build_s": 1.2, "bytes": 3456, "kind": "heap", …}    the index is there; what it holds, on the heap or resident
← {"answered": true}                                    answers.txt has the answers to the checked events
→ go                                                    they are right; else the harness is ended here
← {"times_ns": [1203, …], "matches": 70}                nanoseconds of each call, after the warm-up
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import IO, Any

from benchmarks.experiment import RefusedError
from benchmarks.neighbours.python_harness import resident_bytes

SHOWN = 400
"""Characters of what a harness that failed has written, its last ones."""


@dataclass(frozen=True)
class Timed:
    """What a harness found out."""

    times_ns: Sequence[int]
    """For each call."""
    matches: int
    """Of all calls together."""
    build_s: float
    bytes: int
    """What the index holds."""
    kind: str
    """How that was told: `heap` after a collection, or what became `resident` in the process."""
    runtime: str
    """The language, and its version."""
    process_bytes: int = 0
    """What the whole process had resident when it had answered."""


def ask(
    command: Sequence[str],
    directory: Path,
    check: Callable[[], None],
    *,
    warm_s: float,
    most_s: float,
    longest_s: float,
    more: Sequence[str] = (),
    environment: Mapping[str, str],
) -> Timed:
    """Run a harness; `check` compares its answers before it may go on. Longer than `longest_s` in all, it is ended."""
    whole = [*command, str(directory), str(warm_s), str(most_s), *more]
    with (
        TemporaryFile("w+") as errors,
        subprocess.Popen(
            whole,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, **environment},
        ) as process,
    ):
        clock = Timer(longest_s, process.kill)
        clock.start()
        try:
            built = _line(process, errors, longest_s)
            _line(process, errors, longest_s)
            whole_bytes = resident_bytes(process.pid)
            check()
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
            timed = _line(process, errors, longest_s)
        except BaseException:
            process.kill()
            raise
        finally:
            clock.cancel()
    return Timed(timed["times_ns"], timed["matches"], **built, process_bytes=whole_bytes)


def _line(process: subprocess.Popen[str], errors: IO[str], longest_s: float) -> dict[str, Any]:
    """The next line that the harness says."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if line:
        found: dict[str, Any] = json.loads(line)
        return found
    process.wait()
    errors.seek(0)
    written = errors.read()[-SHOWN:].strip()
    if process.returncode == -9 and not written:
        raise RefusedError(f"it was not done after {longest_s:,.0f} s, or had no memory left")
    raise RefusedError(f"the harness ended with {process.returncode}: {written or 'no word'}")
