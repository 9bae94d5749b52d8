"""Which index does a worker ask? The very version that the driver saw, opened once a process and kept.

The arrays are memory-mapped, so all workers on a machine share one copy; nothing is broadcast. The cache lives in this
module, and not in the function that Spark ships, because a shipped function comes new with every task.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from eligo import index
from eligo.storage.manifest import Manifest, read_manifest


def live_version(path: str) -> bytes:
    """The manifest of the version that is live now, to give to workers."""
    return read_manifest(Path(path)).to_bytes()


@lru_cache(maxsize=4)
def opened_index(path: str, manifest: bytes, verify: bool = False) -> index.Index:
    """The index of that version; `verify` compares checksums, which the driver does once for all workers."""
    return index.open(path, manifest=Manifest.from_bytes(manifest), verify=verify)
