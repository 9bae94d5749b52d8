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

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines import registry
from eligo.engines.fact_keys import used_facts
from eligo.engines.kernels.form_sizes import count_forms
from eligo.engines.parted_engine import events_between
from eligo.engines.protocol import Engine
from eligo.errors import NormalFormTooLargeError
from eligo.language.limits import DEFAULT_LIMITS, Limits

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
NUM_DRAWN = 2_000
NUM_EVENTS = 64
"""Expressions and events of which the expected share of matches is found."""


class SetStatistics(NamedTuple):
    """What is known of a set before anything is built."""

    num_expressions: int
    literals: float
    """For each expression."""
    depth: int
    """Of connectives in negation normal form: 1 for `a and b`, 0 for a single predicate."""
    num_predicates: int
    """Distinct ones."""
    dnf_growth: float
    """Literals of the disjunctive normal forms for each that was written; equal clauses are counted each time."""
    cnf_growth: float
    """The same of the conjunctive normal forms."""
    largest_dnf: float
    """Literals of the largest disjunctive normal form."""
    largest_cnf: float
    share: float | None = None
    """The expected share of expressions that match an event; None without a sample."""

    @property
    def sharing(self) -> float:
        """In how many places a distinct predicate stands on average (A-Tree 2021, Figure 7, level 1)."""
        return self.literals * self.num_expressions / max(1, self.num_predicates)


class Choice(NamedTuple):
    """An engine, and why this one."""

    engine: str
    why: str


class FormSizes(NamedTuple):
    """How many literals each expression has."""

    literals: npt.NDArray[np.float64]
    """In negation normal form, where parts that `xor` needs twice are there once."""
    dnf: npt.NDArray[np.float64]
    cnf: npt.NDArray[np.float64]
    """In its normal forms."""
    depths: npt.NDArray[np.uint16]
    """How deep its connectives are nested."""


def form_sizes(table: ExpressionTable) -> FormSizes:
    """The sizes of expressions and of their normal forms, which are not made."""
    num_expressions = table.num_expressions
    literals, dnf, cnf = np.zeros(num_expressions), np.zeros(num_expressions), np.zeros(num_expressions)
    sizes = FormSizes(literals, dnf, cnf, np.zeros(num_expressions, np.uint16))
    count_forms(table, *sizes)
    return sizes


def measure(table: ExpressionTable, vocabulary: Vocabulary, sample: EventBatch | None = None) -> SetStatistics:
    """The statistics of a set; `sample` has events like those to come."""
    num_expressions = table.num_expressions
    literals, dnf, cnf, depths = form_sizes(table)
    used = used_facts(table, vocabulary.num_attributes)
    share = None
    if sample is not None and sample.num_events and num_expressions:
        share = _expected_share(table, vocabulary, sample)
    written = max(1.0, float(literals.sum()))
    return SetStatistics(
        num_expressions,
        float(literals.mean()) if num_expressions else 0.0,
        int(depths.max(initial=0)),
        int(np.count_nonzero(used.facts < table.predicates.num_predicates)),
        float(dnf.sum()) / written,
        float(cnf.sum()) / written,
        float(dnf.max(initial=0.0)),
        float(cnf.max(initial=0.0)),
        share,
    )


def _expected_share(table: ExpressionTable, vocabulary: Vocabulary, sample: EventBatch) -> float:
    """The share of matches among some expressions, drawn evenly, and the first events of the sample."""
    drawn = np.unique(np.linspace(0, table.num_expressions - 1, NUM_DRAWN).astype(np.int64))
    engine = registry.get("scan").build(table.take(drawn), vocabulary)
    events = events_between(sample, 0, min(NUM_EVENTS, sample.num_events))
    return len(engine.match_batch(events).positions) / (len(drawn) * events.num_events)


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
) -> tuple[Engine, str]:
    """The engine that suits a table, over that table, and why; every table has one."""
    if table.num_expressions < FEW_EXPRESSIONS:  # nothing is measured, and no loop compiled for it
        engine, why = _choice_for_few(table.num_expressions)
    else:
        engine, why = choose(measure(table, vocabulary, sample), limits=limits)
    try:
        bounded = replace(limits, normal_form=min(limits.normal_form, MOST_LITERALS))
        return registry.build(engine, table, vocabulary, sample, limits=bounded), why
    except NormalFormTooLargeError:
        why = f"{why}; but {engine} cannot hold them all"
        return registry.build(ANY_SHAPE, table, vocabulary, sample, limits=limits), why
