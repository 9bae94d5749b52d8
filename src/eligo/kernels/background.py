"""Who compiles while the caller goes on? One process of low priority beside this one, which ends soon after it.

Numba compiles for seconds with the interpreter lock in its hands, so a thread would slow down every call, and a fork
would have to wait for it. The process gets the names of kernels and the types of their arguments through a pipe and
puts code where this process looks for it; see `filling`. A daemon thread starts it, feeds it and collects its end:

    caller ── queue ──→ thread ── pipe ──→ process ── files ──→ caller

It ends when it has been without work for a while, and after the kernel at hand when this process is gone. Of several
such processes of a machine one works at a time. Where no process can be started, callers compile.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from eligo.kernels.code_places import GIVEN, code_places

IDLE = 5.0
"""Seconds without work after which the process ends."""
LENGTH = struct.Struct("<I")
"""Before each message: its length. A message without content is the last."""


class _Filler:
    """The thread and what it shares."""

    def __init__(self) -> None:
        self.requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.is_serving = False
        self.pipe: int | None = None
        self.has_failed = False

    def ask(self, request: bytes) -> None:
        self.requests.put(request)
        if not self.is_serving:
            self.is_serving = True
            threading.Thread(target=self._serve, name="eligo-compiling", daemon=True).start()

    def _serve(self) -> None:
        while self.is_serving:
            self._serve_with_a_process()
            self.is_serving = False
            if not self.requests.empty() and not self.has_failed:  # asked for between the two lines above
                self.is_serving = True

    def _serve_with_a_process(self) -> None:
        try:
            process = _start()
        except OSError:
            self.has_failed = True
            return
        assert process.stdin is not None
        self.pipe = process.stdin.fileno()
        with suppress(OSError):  # it has ended: what it was asked for, callers compile in the end
            with suppress(queue.Empty):
                while True:
                    request = self.requests.get(timeout=IDLE)
                    _write(self.pipe, LENGTH.pack(len(request)) + request)
            _write(self.pipe, LENGTH.pack(0))
        self.pipe = None
        process.stdin.close()
        self.has_failed = process.wait() != 0


_filler = _Filler()


def ask_for(kernel: Any, types: tuple[Any, ...]) -> bool:
    """Have a kernel compiled for arguments of these types; False where that cannot be."""
    function = kernel.py_func
    module = sys.modules.get(function.__module__)
    is_found = module is not None and function.__module__ != "__main__"
    if not is_found or getattr(module, function.__qualname__, None) is not kernel:
        return False
    if _filler.has_failed or code_places().written is None or not _is_python(sys.executable):
        return False
    try:
        _filler.ask(pickle.dumps((function.__module__, function.__qualname__, types)))
    except RuntimeError:  # the interpreter is ending, and starts no threads
        return False
    return True


def _is_python(executable: str | None) -> bool:
    """Whether a program is the interpreter, and not one that has it built in."""
    return bool(executable) and Path(str(executable)).name.startswith("python") and not hasattr(sys, "frozen")


def _start() -> subprocess.Popen[bytes]:
    written = code_places().written
    assert written is not None
    environment = {
        **os.environ,
        GIVEN[0]: str(written.parent),  # also where that is a place which only this process knows of
        "PYTHONPATH": os.pathsep.join(os.path.abspath(path) for path in sys.path),
    }
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "eligo.kernels.filling", str(written), str(os.getpid())],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd="/",
        start_new_session=True,  # what a terminal sends to this process is not meant for it
    )


def _write(pipe: int, content: bytes) -> None:
    while content:
        content = content[os.write(pipe, content) :]


def _forget() -> None:
    """In a forked process: leave the thread and its pipe to the parent."""
    global _filler
    abandoned, _filler = _filler, _Filler()
    if abandoned.pipe is not None:
        with suppress(OSError), open(os.devnull, "wb") as nothing:  # the number stays taken, for it will be closed
            os.dup2(nothing.fileno(), abandoned.pipe)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
