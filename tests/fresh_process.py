"""What a process does that begins without compiled code: run a script in one, and hear what it printed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from source_tree import SOURCE

COMPILING = """
import logging, os, sys, time
import numpy as np
from numba.core import event

class Compiled(event.Listener):
    names = []
    def on_start(self, found):
        self.names.append(found.data["dispatcher"].py_func.__name__)
    def on_end(self, found):
        pass

event.register("numba:compile", Compiled())
from eligo.kernels.bits import transpose
SQUARE = np.arange(64, dtype=np.uint64)

def turned():
    square = SQUARE.copy()
    transpose(square, np.uint64(0))
    return [int(word) for word in square]

EXPECTED = [sum((row >> bit & 1) << row for row in range(64)) for bit in range(64)]
"""
"""Notes what is compiled in a process; `turned` runs a small kernel, and `EXPECTED` is what it gives."""


def run(script: str, cache: Path, package: Path = SOURCE, **environment: str) -> str:
    """The output of a script in a process whose compiled code is in `cache`; warnings are errors."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ELIGO_", "NUMBA_"))}
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", COMPILING + script],
        env={**kept, "ELIGO_CACHE_DIR": str(cache), "PYTHONPATH": str(package.parent), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()
