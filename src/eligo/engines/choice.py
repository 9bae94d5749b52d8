"""Which engine suits a set of expressions? Rules over a few statistics, backed by a benchmark of all engines.

    few expressions, or predicates that seldom come again       a_tree
    ORs of ANDs, of predicates that come again and again        k_index
    ANDs of ORs                                                 cnf
    what an OR of ANDs is not much larger than                  propagation
    anything else                                               a_tree

`a_tree` takes every shape. The others are ahead where an event satisfies few distinct predicates, of which each stands
in many expressions. `docs/engines.md` has the figures behind the numbers below.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines import registry
from eligo.engines.protocol import Engine
from eligo.engines.set_statistics import SetStatistics, measure
from eligo.errors import NormalFormTooLargeError
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.ranges.list_choice import RangeLists

ANY_SHAPE = "a_tree"
"""The engine for what no rule is about."""
FEW_EXPRESSIONS = 10_000
"""Below, every engine answers in microseconds, and the others would have to be compiled first."""
FLAT = 1.25
"""A normal form with at most so many times the literals of the expressions is what they were written as."""
MOST_GROWTH = 6.5
"""Beyond so many times the literals a disjunctive normal form costs more than it brings."""
MOST_LITERALS = DEFAULT_LIMITS.normal_form
"""Of a normal form, however large a limit allows: what is too large for one engine is not for another."""
DENSE = 0.2
DENSE_GROWTH = 8.0
"""Where this share of expressions matches an event, it may be so much larger."""
SHARED = 5.0
"""In so many places a predicate stands on average, where predicates come again."""
SHARED_WHEN_FLAT = 10.0
"""In so many, where it pays in ORs of ANDs too: these the tree enters by one of their predicates alone."""
MUCH_SHARED = 25.0
"""In so many, where conjunctions have many beginnings in common."""


class Choice(NamedTuple):
    """An engine, and why this one."""

    engine: str
    why: str


def choose(statistics: SetStatistics, *, limits: Limits = DEFAULT_LIMITS) -> Choice:
    """The engine for a set, by the first rule that fits."""
    if statistics.num_expressions < FEW_EXPRESSIONS:
        return _choice_for_few(statistics.num_expressions)
    sharing, growth = statistics.sharing, statistics.dnf_growth
    if sharing < (SHARED_WHEN_FLAT if growth <= FLAT else SHARED):
        return Choice(ANY_SHAPE, f"a predicate stands in {sharing:.1f} places, so there is little to share")
    matching = "" if statistics.share is None else f"; {statistics.share:.1%} of the expressions match an event"
    reason = f"a predicate stands in {sharing:.0f} places{matching}"
    most = min(limits.normal_form, MOST_LITERALS)
    has_dnf = statistics.largest_dnf <= most
    if has_dnf and growth <= FLAT and sharing >= MUCH_SHARED:
        return Choice("k_index", f"expressions are ORs of ANDs, and {reason}")
    if statistics.largest_cnf <= most and statistics.cnf_growth <= FLAT and growth > FLAT:
        return Choice("cnf", f"expressions are ANDs of ORs, and {reason}")
    is_dense = statistics.share is not None and statistics.share >= DENSE
    if has_dnf and growth <= (DENSE_GROWTH if is_dense else MOST_GROWTH):
        return Choice("propagation", f"as ORs of ANDs, expressions grow {growth:.1f}-fold, and {reason}")
    if not has_dnf:
        return Choice(ANY_SHAPE, f"expressions are nested {statistics.depth} deep, too large as ORs of ANDs")
    return Choice(ANY_SHAPE, f"as ORs of ANDs, expressions would grow {growth:.1f}-fold")


def _choice_for_few(num_expressions: int) -> Choice:
    return Choice(ANY_SHAPE, f"{num_expressions:,} expressions are few: any engine is quick")


def build_chosen(
    table: ExpressionTable,
    vocabulary: Vocabulary,
    sample: EventBatch | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    ranges: RangeLists = "auto",
) -> tuple[Engine, str]:
    """The engine that suits a table, over that table, and why; every table has one."""
    if table.num_expressions < FEW_EXPRESSIONS:  # nothing is measured, and no loop compiled for it
        engine, why = _choice_for_few(table.num_expressions)
    else:
        engine, why = choose(measure(table, vocabulary, sample), limits=limits)
    try:
        bounded = replace(limits, normal_form=min(limits.normal_form, MOST_LITERALS))
        return registry.build(engine, table, vocabulary, sample, limits=bounded, ranges=ranges), why
    except NormalFormTooLargeError:
        why = f"{why}; but {engine} cannot hold them all"
        return registry.build(ANY_SHAPE, table, vocabulary, sample, limits=limits, ranges=ranges), why
