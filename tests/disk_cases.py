"""What do tests of files share? What an index consists of, and whether a small disk can be had."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def array_files(path: Path) -> list[str]:
    """The files of arrays of an index, named from its directory."""
    return sorted(str(file.relative_to(path)) for file in path.rglob("*.eligo"))


def may_mount() -> bool:
    """Whether this process may have a mount of its own, which then ends with it."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return False
    trial = ["unshare", "--mount", "sh", "-c", "mount -t tmpfs none /mnt"]
    return subprocess.run(trial, capture_output=True).returncode == 0
