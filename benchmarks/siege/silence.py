"""How is an attack made whose victims complain at each try? Without hearing them, and only while it lasts."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def in_silence() -> Iterator[None]:
    """Nothing that Eligo logs is heard."""
    logger = logging.getLogger("eligo")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)
