"""Which ranges does a value fall into? One file for each structure that tells; engines number its nodes as lists.

`RangeIndex` answers without an engine. The public names are loaded when they are first used. No module
below may have the name of one of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eligo.ranges.range_index import RangeIndex, RangeRows
    from eligo.ranges.range_stats import RangeStats

_HOME = {
    "RangeIndex": "eligo.ranges.range_index",
    "RangeRows": "eligo.ranges.range_index",
    "RangeStats": "eligo.ranges.range_stats",
}

__all__ = ["RangeIndex", "RangeRows", "RangeStats"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'eligo.ranges' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
