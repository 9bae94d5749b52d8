"""What does the process beside a caller do? It compiles what it is asked for, one kernel after another.

It is started with the directory for the code and the number of its parent, and is told what to compile on standard
input; see `background`.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO

from eligo.kernels.background import LENGTH

NICE = 19
"""How much the process stands back for others."""
WAIT = 0.2
"""Seconds between two attempts to be the one that works."""


def main(directory: str, parent: int) -> None:
    """Compile what comes on standard input, until its end or that of the parent."""
    with suppress(OSError):
        os.nice(NICE)
    with _turn(Path(directory) / "filling.lock", parent):
        for message in messages(sys.stdin.buffer):
            if os.getppid() != parent:
                break
            with suppress(Exception):  # what does not compile is worded where it is called
                fill(message)


@contextmanager
def _turn(lock: Path, parent: int) -> Iterator[None]:
    """Wait until no other process compiles into a directory; nothing big is loaded meanwhile."""
    with lock.open("ab") as file:
        while os.getppid() == parent:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(WAIT)
            except OSError:  # a file system without locks
                break
        yield


def messages(stream: IO[bytes]) -> Iterator[bytes]:
    """The messages of a stream, up to the one without content or the end."""
    while len(header := stream.read(LENGTH.size)) == LENGTH.size and (size := LENGTH.unpack(header)[0]):
        if len(message := stream.read(size)) < size:
            break
        yield message


def fill(message: bytes) -> None:
    """Compile one kernel, unless its code is there already; what it calls is compiled with it."""
    from eligo.kernels.kernel import Kernel

    module, name, types = pickle.loads(message)  # the parent's, through a pipe that nobody else has
    kernel = getattr(import_module(module), name)
    if isinstance(kernel, Kernel):
        kernel.compile_entry(types)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
