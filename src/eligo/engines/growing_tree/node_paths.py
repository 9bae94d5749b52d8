"""Which of many nodes is a path under? Found in one pass over the path, however deep it is and they are.

Each start of a path that ends with a step has a mark, its length and a checksum, which the next step's follows from. A
start is only taken out of the path and compared when some node has the same mark:

    Sports/NFL/Jets       (6, crc) no node    (10, crc) marks Sports/NFL    (15, crc) no node
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from zlib import crc32

from eligo.language.paths import SEPARATOR


class NodePaths:
    """Nodes that come and go, each once."""

    def __init__(self) -> None:
        self._marks: Counter[tuple[int, int]] = Counter()
        self._lengths: Counter[int] = Counter()
        self._longest = 0

    def copy(self) -> NodePaths:
        """The same nodes, to be changed apart."""
        twin = NodePaths()
        twin._marks, twin._lengths, twin._longest = self._marks.copy(), self._lengths.copy(), self._longest
        return twin

    def add(self, node: str) -> None:
        """Note a node."""
        self._marks[self._mark(node)] += 1
        self._lengths[len(node)] += 1
        self._longest = max(self._longest, len(node))

    def remove(self, node: str) -> None:
        """Forget a node."""
        mark = self._mark(node)
        self._marks[mark] -= 1
        if not self._marks[mark]:
            del self._marks[mark]
        self._lengths[len(node)] -= 1
        if not self._lengths[len(node)]:
            del self._lengths[len(node)]
            if len(node) == self._longest:
                self._longest = max(self._lengths, default=0)

    def above(self, path: str) -> Iterator[str]:
        """The nodes that the path is under, and perhaps others of its starts."""
        for mark in _marks(path, self._longest):
            if mark in self._marks:
                yield path[: mark[0]]

    @staticmethod
    def _mark(node: str) -> tuple[int, int]:
        *_, mark = _marks(node, len(node))
        return mark


def _marks(path: str, longest: int) -> Iterator[tuple[int, int]]:
    """The length and checksum of each start of a path that ends with a step and is not too long."""
    length, checksum = -1, 0
    for step in path[: longest + 1].split(SEPARATOR):
        length += 1 + len(step)
        if length > longest:
            return
        checksum = crc32(step.encode("utf-8", "surrogatepass"), crc32(b"/", checksum))
        yield length, checksum
