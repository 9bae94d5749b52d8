"""Loops over flat arrays, compiled by Numba; see `cache_guard` for what happens here when the first one is loaded."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from eligo.kernels.cache_guard import drop_outdated

with suppress(OSError):  # an installation that cannot be read or written file by file keeps no code either
    drop_outdated(Path(__file__).resolve().parent)
