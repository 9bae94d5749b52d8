"""What is a set of expressions like, before anything is built? Its size, shapes, sharing, and what matches a sample."""

from __future__ import annotations

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
