"""Who are the neighbours? Each with its harness, what one of its calls is, and up to which size it is asked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.neighbours import preparing
from benchmarks.neighbours.harnesses import (
    GivenGoHarness,
    GivenJavaHarness,
    Harness,
    JavaHarness,
    PythonHarness,
    RustHarness,
)
from benchmarks.neighbours.preparing import PreparationError

VESPA, BE_INDEXER = "ELIGO_VESPA_CLASSPATH", "ELIGO_BE_INDEXER_DIR"
"""Where the two are that are in no package registry."""

BUILD_LIMIT = "ELIGO_NEIGHBOURS_BUILD_S"
LONGEST_BUILD_S = 300.0
"""A neighbour whose build is known to take longer is not asked, unless the variable above has other seconds."""

TOO_SLOW = "not asked: an event takes over 10 ms at 100,000 already"


@dataclass(frozen=True)
class Contender:
    """A library that a user might take instead."""

    name: str
    title: str
    harness: Harness
    inside: str
    """What one call is, for the reader."""
    only_up_to: int = 1_000_000
    """Expressions beyond which it is not asked."""
    why_not: str = ""
    """Why not beyond."""
    builds_s: Mapping[int, float] = field(default_factory=dict)
    """By expressions: the seconds that its build took in an earlier run, where these are many."""
    events_a_call: int = 1
    more: tuple[str, ...] = ()
    """Further arguments of the harness."""
    is_repeatable: bool = True
    """Whether a reader gets it from a package registry."""
    is_near: bool = False
    """Whether it is asked right after Eligo, and not when all that may be the fastest have been."""

    def refusal(self, num_expressions: int) -> str | None:
        """Why it is not asked of so many expressions, or None if it is."""
        if num_expressions > self.only_up_to:
            return self.why_not
        limit = float(os.environ.get(BUILD_LIMIT, LONGEST_BUILD_S))
        known = self.builds_s.get(num_expressions, 0.0)
        if known > limit:
            return f"not asked: its build takes some {known:,.0f} s, more than {limit:g} s ({BUILD_LIMIT})"
        return None


def _vespa(arity: int) -> Contender:
    return Contender(
        f"vespa_{arity}",
        f"Vespa predicate-search (Java), arity {arity}",
        GivenJavaHarness("vespa", "Vespa's predicate-search", "VespaHarness", VESPA),
        "`HashMap` to query to ids",
        more=(str(arity),),
        is_repeatable=False,
        is_near=True,
    )


def _join(name: str, title: str, version: str, events_a_call: int) -> Contender:
    calls = "one event a query" if events_a_call == 1 else f"{events_a_call:,} events a query"
    return Contender(
        name if events_a_call == 1 else f"{name}_{events_a_call}",
        f"{title} {version}, counting join, {calls}",
        PythonHarness(f"{name}_join", (f"{name}=={version}",)),
        "list of `dict` to rows, joins, ids",
        only_up_to=1_000_000 if events_a_call == 1 else 100_000,
        why_not=f"not asked: {events_a_call:,} events have some 90 million rows between the joins",
        events_a_call=events_a_call,
        more=(str(events_a_call),),
    )


CONTENDERS = (
    _vespa(8),
    _vespa(32),
    Contender(
        "be_indexer",
        "be_indexer (Go)",
        GivenGoHarness("be_indexer", "github.com/echoface/be_indexer", BE_INDEXER),
        "its own map to ids",
        is_repeatable=False,
    ),
    Contender(
        "event_ruler",
        "AWS event-ruler 2.1.0 (Java)",
        JavaHarness("event_ruler", "EventRulerHarness"),
        "parsed JSON object to ids",
        only_up_to=100_000,
        why_not="not asked: its machine takes some 28 kB an expression",
        builds_s={100_000: 490},
    ),
    Contender(
        "lucene_monitor",
        "Lucene Monitor 9.11.1 (Java)",
        JavaHarness("lucene_monitor", "LuceneMonitorHarness"),
        "`HashMap` to document to ids",
        only_up_to=100_000,
        why_not=TOO_SLOW,
    ),
    Contender(
        "a_tree",
        "a-tree 0.6.1 (Rust)",
        RustHarness("a_tree"),
        "`HashMap` to event to ids",
        only_up_to=100_000,
        why_not=TOO_SLOW,
    ),
    _join("duckdb", "DuckDB", "2.0.0", 1),
    _join("duckdb", "DuckDB", "2.0.0", 100),
    _join("polars", "Polars", "2.1.0", 1),
    _join("polars", "Polars", "2.1.0", 100),
    Contender(
        "python_loop",
        "a loop in Python",
        PythonHarness("python_loop"),
        "`dict` to ids",
        only_up_to=100_000,
        why_not=TOO_SLOW,
    ),
)


def missing(contender: Contender) -> str | None:
    """Why a contender cannot be asked as things are, or None if it can."""
    try:
        path = contender.harness.place()
    except PreparationError as error:
        return str(error)
    return None if path.exists() else "not prepared: python -m benchmarks.neighbours"


def prepare(contender: Contender) -> str | None:
    """Fetch and compile what a contender needs; why that failed, or None."""
    try:
        preparing.make(contender.harness.place(), contender.harness.prepare)
    except PreparationError as error:
        return str(error)
    return None
