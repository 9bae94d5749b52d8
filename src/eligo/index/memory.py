"""How much memory may this process use?"""

from __future__ import annotations

import os
from pathlib import Path


def physical_memory() -> int:
    """Bytes of memory that this process may use: the machine's, or the container's limit if that is less."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
    except OSError:
        return memory
    return min(memory, int(limit)) if limit.isdigit() else memory
