"""How much memory may this process use, and how does it give back what it no longer needs?"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import pyarrow as pa


def physical_memory() -> int:
    """Bytes of memory that this process may use: the machine's, or the container's limit if that is less."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
    except OSError:
        return memory
    return min(memory, int(limit)) if limit.isdigit() else memory


def give_back() -> None:
    """Return to the system what was freed; allocators keep it otherwise, as much as a build has ever held."""
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc
    if trim is not None:
        trim(0)
