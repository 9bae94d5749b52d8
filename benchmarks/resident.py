"""How much memory does this process take, and how much did it take at most? Looked at every few milliseconds."""

from __future__ import annotations

import gc
import threading
from pathlib import Path
from typing import NamedTuple, Self

from eligo.index.memory import give_back

INTERVAL = 0.02
FIELDS = ("VmRSS", "RssAnon", "RssFile")


class Resident(NamedTuple):
    """Bytes that are in memory."""

    all: int
    anonymous: int
    """What the process alone holds."""
    of_files: int
    """Pages of mapped files, which the kernel may take back at any time."""

    @classmethod
    def now(cls) -> Resident:
        """What is in use; what is free in the process is given back first."""
        gc.collect()
        give_back()
        return cls._read()

    @classmethod
    def _read(cls) -> Resident:
        lines = Path("/proc/self/status").read_text().splitlines()
        found = {
            name: int(rest.split()[0]) << 10
            for name, _, rest in (line.partition(":") for line in lines)
            if name in FIELDS
        }
        return cls(*(found[name] for name in FIELDS))

    def beyond(self, before: Resident) -> dict[str, int]:
        """What came since."""
        return {name: getattr(self, name) - getattr(before, name) for name in self._fields}


class Watch:
    """The most memory between the beginning and the end of a block."""

    def __enter__(self) -> Self:
        self.most = Resident._read()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def _look(self) -> None:
        while not self._over.wait(INTERVAL):
            self.most = Resident(*map(max, self.most, Resident._read()))

    def __exit__(self, *raised: object) -> None:
        self._over.set()
        self._thread.join()
