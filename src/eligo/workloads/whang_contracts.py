"""What did Whang 2009 measure on? Advertising contracts in disjunctive or conjunctive form: its section 7 and Table 1.

The paper draws attribute names and sets of values by their frequencies in real contracts, which it does not print. Here
attribute r (of 1,460 and the month) is asked for in proportion to 1 / (r + 1)^alpha; it has its own possible sets of
values, of which few are frequent; and an event has 90 of the attributes, the same ones more often, and a month.

    (month = 1 and a3 in ('v0', 'v2') and a17 weak not in ('v1')) or (month = 1 and a3 in ('v0', 'v2') and a8 = 'v0')

In conjunctive form each disjunction is drawn as a conjunction is, and the month is a disjunction of its own. From the
second on, with probability q, a portion p of the predicates is copied from the one before. Months are drawn from the
first `months` of the year, for expressions and events alike: of 12, a twelfth of the pairs agrees.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.workloads.contract_terms import PADDING, Terms, make_terms, term_texts
from eligo.workloads.predicate_texts import Texts, join, join_runs, to_texts
from eligo.workloads.workload import Workload, choose_attributes, expressions_table, random_streams
from eligo.workloads.zipf import Zipf

VERSION = 1
"""Raised whenever the same parameters would give another workload."""

CHUNK = 100_000
"""Expressions made at a time, which bounds the memory."""

PAPER: Mapping[str, Any] = {
    "clauses_per_expression": {3.0: 1.6, 2.5: 2.3, 2.0: 3.5},
    "predicates_per_clause": {"dnf": 3.65, "cnf": 2.65},
    "keys_per_event": 91,
    "matching_share": {"dnf": 0.1191, "cnf": 0.0516},
}
"""What Table 1 and section 7 print; clauses without the month's, by the exponent e."""

NUM_CHECKED = (20_000, 64)
"""Expressions and events from which the report's matching share is counted."""

Numbers = npt.NDArray[np.int64]


def generate(
    num_expressions: int,
    num_events: int,
    seed: int,
    *,
    form: str = "dnf",
    exponent: float = 2.5,
    most_clauses: int = 20,
    clause_size: float = 2.65,
    most_predicates: int = 6,
    copied_portion: float = 0.5,
    copy_probability: float = 0.5,
    negated_portion: float = 0.1,
    months: int = 1,
    num_dimensions: int = 1_461,
    used_dimensions: int | None = None,
    event_size: int = 91,
    alpha: float = 1.5,
    event_alpha: float = 0.8,
    num_values: int = 8,
    value_alpha: float = 0.8,
    num_sets: int = 12,
    set_alpha: float = 1.5,
    weighted: bool = False,
    block: int = 0,
) -> Workload:
    """Contracts in a `form`, "dnf" or "cnf".

    `exponent`, `copied_portion`, `copy_probability` and `negated_portion` are the paper's e, p, q and n; `clause_size`
    counts predicates without the month, of which a conjunction has one more. `used_dimensions` leaves expressions only
    the most frequent attributes, the month included; events stay as they are.

    With `weighted`, each value of a positive predicate has a weight as in section 7; it is drawn for each possible set
    of values, and not for each contract.
    """
    parameters = dict(locals())
    del parameters["block"]
    check(parameters)
    expression_rng, event_rng = random_streams(seed, 2, block)
    term_rng, weight_rng = random_streams(seed, 4, 0)[2:]
    terms = make_terms(term_rng, parameters)
    present, values, event_months = make_events(event_rng, terms, parameters)
    counts = terms.count_values(present, values) if weighted else None
    texts_of_term = term_texts(terms, weight_rng if weighted else None, counts)
    sizes = [min(CHUNK, num_expressions - first) for first in range(0, num_expressions, CHUNK)]
    texts, totals, share = [], np.zeros(2, np.int64), 0.0
    for number, size in enumerate(sizes):
        drawn = Contracts(expression_rng, size, terms, parameters)
        if number == 0:
            share = drawn.matching_share(terms, present, values, event_months, parameters)
        texts.append(drawn.write(texts_of_term, parameters))
        totals += np.array([len(drawn.clauses), (drawn.clauses != PADDING).sum()])
    report = {
        "clauses_per_expression": round(float(totals[0]) / num_expressions, 3),
        "predicates_per_clause": round(float(totals[1] / totals[0]) + (form == "dnf"), 3),
        "keys_per_event": round(float(present.sum()) / num_events + 1, 2) if num_events else None,
        "matching_share": round(share, 4),
        "paper": {
            "clauses_per_expression": PAPER["clauses_per_expression"].get(exponent),
            "predicates_per_clause": PAPER["predicates_per_clause"][form],
            "keys_per_event": PAPER["keys_per_event"],
            "matching_share": PAPER["matching_share"][form],
        },
    }
    columns = {
        f"a{attribute}": pa.array(np.char.add("v", values[:, attribute].astype(str)), mask=~present[:, attribute])
        for attribute in range(num_dimensions - 1)
    }
    events = pa.table({"month": pa.array(event_months), **columns})
    expressions = expressions_table(pa.chunked_array(texts, pa.large_string()).combine_chunks())
    return Workload("whang_contracts", expressions, events, parameters, report)


def check(parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that describe no workload."""
    if parameters["form"] not in ("dnf", "cnf"):
        raise ValueError(f'form is "dnf" or "cnf", not {parameters["form"]!r}')
    if parameters["num_expressions"] < 1:
        raise ValueError(f"num_expressions is at least 1, not {parameters['num_expressions']}")
    if not 1 <= parameters["months"] <= 12:
        raise ValueError(f"months is 1 to 12, not {parameters['months']}")
    used = parameters["used_dimensions"] or parameters["num_dimensions"]
    if not 1 <= parameters["clause_size"] <= parameters["most_predicates"] < used <= parameters["num_dimensions"]:
        raise ValueError(
            f"a clause of {parameters['clause_size']} predicates on average, and {parameters['most_predicates']} at"
            f" most, does not fit {used} of {parameters['num_dimensions']} dimensions with the month"
        )


def make_events(
    rng: np.random.Generator, terms: Terms, parameters: Mapping[str, Any]
) -> tuple[npt.NDArray[np.bool_], Numbers, Numbers]:
    """Which attributes each event has, a value for each, and its month."""
    num_events, num_attributes = parameters["num_events"], parameters["num_dimensions"] - 1
    weights = np.arange(1, num_attributes + 1, dtype=np.float64) ** -parameters["event_alpha"]
    present = choose_attributes(rng, weights, num_events, parameters["event_size"] - 1)
    values = Zipf(parameters["num_values"], parameters["value_alpha"]).draw(rng, (num_events, num_attributes))
    return present, values, rng.integers(1, parameters["months"] + 1, num_events)


class Contracts:
    """Expressions as clauses of terms: a term is an attribute with a set of values."""

    def __init__(self, rng: np.random.Generator, count: int, terms: Terms, parameters: Mapping[str, Any]) -> None:
        # The averages that Table 1 prints for e = 3, 2.5 and 2 are those of P(k) = C / k^(e - 0.5).
        sizes = 1 + Zipf(parameters["most_clauses"], parameters["exponent"] - 0.5).draw(rng, count)
        self.offsets = np.concatenate(([0], np.cumsum(sizes)))
        self.months = rng.integers(1, parameters["months"] + 1, count)
        width = parameters["most_predicates"]
        self.clauses = np.full((int(self.offsets[-1]), width), PADDING, np.int64)
        """For each clause: its terms, twice their number, plus 1 for a negated one; the rest is PADDING."""
        self.attributes = np.full((int(self.offsets[-1]), width), PADDING, np.int64)
        for level in range(int(sizes.max())):
            rows = self.offsets[:-1][sizes > level] + level
            self._draw(rng, rows, level > 0, terms, parameters)

    def _draw(
        self, rng: np.random.Generator, rows: Numbers, has_before: bool, terms: Terms, parameters: Mapping[str, Any]
    ) -> None:
        """Draw the clauses of these rows; with `has_before`, after the row before each."""
        width = parameters["most_predicates"]
        chance = (parameters["clause_size"] - 1) / max(1, width - 1)
        sizes = 1 + rng.binomial(width - 1, chance, len(rows))
        clauses = np.full((len(rows), width), PADDING, np.int64)
        attributes = np.full((len(rows), width), PADDING, np.int64)
        num_copied = np.zeros(len(rows), np.int64)
        if has_before:
            before, of_attributes = self.clauses[rows - 1], self.attributes[rows - 1]
            is_copying = rng.random(len(rows)) < parameters["copy_probability"]
            portion = parameters["copied_portion"] * (before != PADDING).sum(axis=1) + 0.5
            num_copied = np.where(is_copying, np.minimum(portion.astype(np.int64), sizes), 0)
            order = np.argsort(rng.random(before.shape) + (before == PADDING), axis=1)
            is_copied = np.arange(width) < num_copied[:, None]
            clauses = np.where(is_copied, np.take_along_axis(before, order, axis=1), clauses)
            attributes = np.where(is_copied, np.take_along_axis(of_attributes, order, axis=1), attributes)
        for column in range(width):
            todo = np.flatnonzero((num_copied <= column) & (column < sizes))
            while len(todo):
                drawn = terms.attributes.draw(rng, len(todo))
                attributes[todo, column] = drawn
                is_taken = (attributes[todo, :column] == drawn[:, None]).any(axis=1)
                done = todo[~is_taken]
                term = terms.draw(rng, drawn[~is_taken])
                clauses[done, column] = 2 * term + (rng.random(len(done)) < parameters["negated_portion"])
                todo = todo[is_taken]
        self.clauses[rows], self.attributes[rows] = clauses, attributes

    def write(self, texts_of_term: Texts, parameters: Mapping[str, Any]) -> Texts:
        """The expressions as texts."""
        is_dnf = parameters["form"] == "dnf"
        inner, outer = (" and ", " or ") if is_dnf else (" or ", " and ")
        is_used = self.clauses != PADDING
        flat = texts_of_term.take(pa.array(self.clauses[is_used]))
        sizes = is_used.sum(axis=1)
        clauses = join_runs(np.concatenate(([0], np.cumsum(sizes))), flat, inner)
        months = join("month = ", to_texts(self.months))
        if is_dnf:
            owners = np.repeat(np.arange(len(self.months)), np.diff(self.offsets))
            rows = join("(", months.take(pa.array(owners)), inner, clauses, ")")
            return join_runs(self.offsets, rows, outer)
        return join(months, outer, join_runs(self.offsets, join("(", clauses, ")"), outer))

    def matching_share(
        self,
        terms: Terms,
        present: npt.NDArray[np.bool_],
        values: Numbers,
        event_months: Numbers,
        parameters: Mapping[str, Any],
    ) -> float:
        """For a sample: how likely an expression matches an event, counted here and not by an index."""
        num_expressions, num_events = min(NUM_CHECKED[0], len(self.months)), min(NUM_CHECKED[1], len(present))
        clauses = self.clauses[: self.offsets[num_expressions]]
        found = 0
        for event in range(num_events):
            holds = np.append(terms.hold(present[event], values[event]), parameters["form"] == "dnf")
            each = holds[clauses]
            if parameters["form"] == "dnf":
                expressions = np.logical_or.reduceat(each.all(axis=1), self.offsets[:num_expressions])
            else:
                expressions = np.logical_and.reduceat(each.any(axis=1), self.offsets[:num_expressions])
            found += int((expressions & (self.months[:num_expressions] == event_months[event])).sum())
        return found / max(1, num_expressions * num_events)
