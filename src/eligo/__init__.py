"""Eligo: which of my millions of Boolean expressions does this event satisfy?

The public names. They are loaded when they are first used, so that `import eligo` stays quick: it starts no JVM and
loads no compiler.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from eligo._version import __version__ as __version__

if TYPE_CHECKING:
    from eligo.client.async_client import AsyncClient
    from eligo.client.client import Client
    from eligo.data.events.event_batch import EventBatch
    from eligo.data.lint.lint_expressions import lint
    from eligo.data.schema.hierarchy import Hierarchy
    from eligo.data.schema.schema import Schema
    from eligo.engines.threads import set_threads
    from eligo.errors import BuildError, EligoError, Reject
    from eligo.index.build_open import build, open
    from eligo.index.index import Index
    from eligo.index.matches import Matches, TopMatches
    from eligo.index.one_event.matcher import Matcher
    from eligo.index.stored.verification import Verification, verify
    from eligo.joins.document_base import DocumentBase
    from eligo.language.canonical import canonical_text
    from eligo.language.evaluate import evaluate
    from eligo.language.explain.explain import Explanation, explain
    from eligo.language.forms.builder import all_of, any_of, col, exists, forall, weighted
    from eligo.language.forms.sql import from_sql
    from eligo.language.limits import Limits
    from eligo.language.lint.finding import Finding
    from eligo.language.text.parse import parse
    from eligo.language.tree import Expression
    from eligo.storage.rollback import rollback
    from eligo.stores.given_options import set_store_options

_HOME = {
    "AsyncClient": "eligo.client.async_client",
    "BuildError": "eligo.errors",
    "Client": "eligo.client.client",
    "DocumentBase": "eligo.joins.document_base",
    "EligoError": "eligo.errors",
    "EventBatch": "eligo.data.events.event_batch",
    "Explanation": "eligo.language.explain.explain",
    "Expression": "eligo.language.tree",
    "Finding": "eligo.language.lint.finding",
    "Hierarchy": "eligo.data.schema.hierarchy",
    "Index": "eligo.index.index",
    "Limits": "eligo.language.limits",
    "Matcher": "eligo.index.one_event.matcher",
    "Matches": "eligo.index.matches",
    "Reject": "eligo.errors",
    "Schema": "eligo.data.schema.schema",
    "TopMatches": "eligo.index.matches",
    "Verification": "eligo.index.stored.verification",
    "all_of": "eligo.language.forms.builder",
    "any_of": "eligo.language.forms.builder",
    "build": "eligo.index.build_open",
    "canonical_text": "eligo.language.canonical",
    "col": "eligo.language.forms.builder",
    "evaluate": "eligo.language.evaluate",
    "exists": "eligo.language.forms.builder",
    "explain": "eligo.language.explain.explain",
    "forall": "eligo.language.forms.builder",
    "from_sql": "eligo.language.forms.sql",
    "lint": "eligo.data.lint.lint_expressions",
    "open": "eligo.index.build_open",
    "parse": "eligo.language.text.parse",
    "rollback": "eligo.storage.rollback",
    "set_store_options": "eligo.stores.given_options",
    "set_threads": "eligo.engines.threads",
    "verify": "eligo.index.stored.verification",
    "weighted": "eligo.language.forms.builder",
}

__all__ = [
    "AsyncClient",
    "BuildError",
    "Client",
    "DocumentBase",
    "EligoError",
    "EventBatch",
    "Explanation",
    "Expression",
    "Finding",
    "Hierarchy",
    "Index",
    "Limits",
    "Matcher",
    "Matches",
    "Reject",
    "Schema",
    "TopMatches",
    "Verification",
    "all_of",
    "any_of",
    "build",
    "canonical_text",
    "col",
    "evaluate",
    "exists",
    "explain",
    "forall",
    "from_sql",
    "lint",
    "open",
    "parse",
    "rollback",
    "set_store_options",
    "set_threads",
    "verify",
    "weighted",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'eligo' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
