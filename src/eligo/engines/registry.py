"""Which engines are there? An engine joins the system, and all agreement tests, by standing in this table."""

from __future__ import annotations

import difflib
from importlib import import_module

from eligo.engines.protocol import Engine
from eligo.errors import UnknownEngineError, shown

_ENGINES = {
    "a_tree": "eligo.engines.a_tree:ATree",
    "scan": "eligo.engines.scan:Scan",
    "k_index": "eligo.engines.k_index:KIndex",
    "cnf": "eligo.engines.cnf:Cnf",
    "sift": "eligo.engines.sift:Sift",
    "propagation": "eligo.engines.propagation:Propagation",
    "pscan": "eligo.engines.pscan:Pscan",
}

DEFAULT_ENGINE = "a_tree"


def names() -> tuple[str, ...]:
    """The names of all engines."""
    return tuple(_ENGINES)


def get(name: str) -> type[Engine]:
    """The engine of that name."""
    if not isinstance(name, str):
        raise UnknownEngineError(f"an engine is named by a string, not {shown(name)}", help=f"{', '.join(_ENGINES)}")
    if name not in _ENGINES:
        near = difflib.get_close_matches(name, _ENGINES, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UnknownEngineError(
            f"there is no engine {shown(name)}", help=f"{hint}the engines are: {', '.join(_ENGINES)}"
        )
    module, _, attribute = _ENGINES[name].partition(":")
    engine: type[Engine] = getattr(import_module(module), attribute)
    return engine
