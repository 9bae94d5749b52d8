from __future__ import annotations

import pytest

from eligo.engines import registry
from eligo.engines.protocol import Engine
from eligo.errors import UnknownEngineError


def test_every_registered_engine_can_be_had_by_its_name() -> None:
    for name in registry.names():
        engine = registry.get(name)
        assert issubclass(engine, Engine)
        assert engine.name == name
    assert registry.DEFAULT_ENGINE in registry.names()


def test_an_unknown_engine_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownEngineError, match="did you mean 'scan'"):
        registry.get("scam")
