"""What did the host's cache do for this process? Files that were there, files that came, and their bytes."""

from __future__ import annotations

import threading
from typing import NamedTuple


class CacheUsage(NamedTuple):
    """Counts since the process began, or between two moments."""

    num_hits: int = 0
    """Files that were there already."""
    num_downloads: int = 0
    num_downloaded_bytes: int = 0

    def __sub__(self, other: CacheUsage) -> CacheUsage:
        return CacheUsage(*(mine - theirs for mine, theirs in zip(self, other, strict=True)))

    def plus(self, other: CacheUsage) -> CacheUsage:
        """Both together."""
        return CacheUsage(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


_used: dict[int, CacheUsage] = {}
"""By the thread that counted, so that no two write to one place."""


def note_hit() -> None:
    """A file was there."""
    _note(CacheUsage(num_hits=1))


def note_download(num_bytes: int) -> None:
    """A file came."""
    _note(CacheUsage(num_downloads=1, num_downloaded_bytes=num_bytes))


def cache_usage() -> CacheUsage:
    """What this process has counted so far."""
    return CacheUsage(*(sum(column) for column in zip(CacheUsage(), *list(_used.values()), strict=True)))


def _note(used: CacheUsage) -> None:
    own = threading.get_ident()
    _used[own] = _used.get(own, CacheUsage()).plus(used)
