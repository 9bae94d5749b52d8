"""Which engines are there? An engine joins the system, and all agreement tests, by standing in this table."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.protocol import Engine
from eligo.errors import NormalFormTooLargeError, UnknownEngineError, shown
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.ranges.list_choice import RangeLists

R = TypeVar("R")

_ENGINES = {
    "a_tree": "eligo.engines.a_tree.engine:ATree",
    "scan": "eligo.engines.scan.engine:Scan",
    "k_index": "eligo.engines.whang.k_index:KIndex",
    "cnf": "eligo.engines.whang.cnf:Cnf",
    "sift": "eligo.engines.rivals.sift:Sift",
    "propagation": "eligo.engines.rivals.propagation:Propagation",
    "pscan": "eligo.engines.rivals.pscan:Pscan",
    "bop": "eligo.engines.bop.engine:Bop",
    "bdd": "eligo.engines.bdd.engine:Bdd",
    "translation": "eligo.engines.translation.engine:Translation",
    "dewey_id": "eligo.engines.fontoura.dewey_id:DeweyId",
    "interval_id": "eligo.engines.fontoura.interval_id:IntervalId",
    "conjunction_scan": "eligo.engines.fontoura.conjunction_scan:ConjunctionScan",
}

AUTO = "auto"
"""In place of an engine's name: `engines.choice` takes the one that suits the expressions."""
DEFAULT_ENGINE = AUTO
LARGEST_FORM = 1 << 30
"""Literals of a normal form beyond which none is tried, whatever the limit."""
ROOMY_FORM = 1 << 20
"""Literals of a normal form for which there is always room."""


def names() -> tuple[str, ...]:
    """The names of all engines."""
    return tuple(_ENGINES)


def build(
    name: str,
    table: ExpressionTable,
    vocabulary: Vocabulary,
    sample: EventBatch | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    ranges: RangeLists = "auto",
) -> Engine:
    """An engine of that name over a table; one that makes normal forms keeps to the limit of them.

    It makes room for forms as large as the limit, so a very large one is come to by degrees.
    """
    engine = get(name)
    if engine.capabilities.takes_any_shape:
        return engine.build(table, vocabulary, sample, ranges=ranges)

    def build_within(bound: int) -> Engine:
        options: dict[str, Any] = {"bound": bound}
        return engine.build(table, vocabulary, sample, ranges=ranges, **options)

    return _by_degrees(build_within, limits)


def require_shapes(name: str, table: ExpressionTable, *, limits: Limits = DEFAULT_LIMITS) -> None:
    """Refuse the expressions that `build` would refuse, by the same error; nothing is built."""
    engine = get(name)
    if not engine.capabilities.takes_any_shape:
        _by_degrees(lambda bound: engine.require_shapes(table, bound), limits)


def _by_degrees(attempt: Callable[[int], R], limits: Limits) -> R:
    """What an attempt within some bound on normal forms gives, or its error with the largest that is allowed."""
    most = min(limits.normal_form, LARGEST_FORM)
    bound = min(most, ROOMY_FORM)
    while True:
        try:
            return attempt(bound)
        except NormalFormTooLargeError:
            if bound == most:
                raise
            bound = min(most, 8 * bound)


def require_name(name: str) -> None:
    """Refuse what is neither the name of an engine nor AUTO."""
    known = (AUTO, *_ENGINES)
    if not isinstance(name, str):
        raise UnknownEngineError(f"an engine is named by a string, not {shown(name)}", help=", ".join(known))
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UnknownEngineError(f"there is no engine {shown(name)}", help=f"{hint}the engines are: {', '.join(known)}")


def takes_any_shape(name: str) -> bool:
    """Whether an index with that engine takes every expression; AUTO does."""
    return name == AUTO or get(name).capabilities.takes_any_shape


def get(name: str) -> type[Engine]:
    """The engine of that name."""
    require_name(name)
    if name == AUTO:
        raise UnknownEngineError("an engine has yet to be chosen for 'auto'", help=f"name one: {', '.join(_ENGINES)}")
    module, _, attribute = _ENGINES[name].partition(":")
    engine: type[Engine] = getattr(import_module(module), attribute)
    return engine
