"""A service in memory that all tests of a module ask."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from served import Served, served


@pytest.fixture
def asked() -> Iterator[Served]:
    with served() as running:
        yield running
