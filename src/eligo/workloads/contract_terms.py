"""Which predicates can a contract have? For each attribute some sets of values, few of them frequent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.workloads.predicate_texts import Texts, join, join_runs, to_texts
from eligo.workloads.zipf import Zipf

PADDING = -1
"""Where a clause has no further term: the last entry of what is looked up by term."""

Numbers = npt.NDArray[np.int64]


class Terms:
    """Attribute a has the terms `num_sets * a` to `num_sets * (a + 1) - 1`, each a set of its values."""

    def __init__(self, members: npt.NDArray[np.bool_], attributes: Zipf, sets: Zipf) -> None:
        self.members = members
        """For each attribute and set: which values are in it."""
        self.attributes = attributes
        self.sets = sets

    def draw(self, rng: np.random.Generator, attributes: Numbers) -> Numbers:
        """A term for each of the attributes."""
        terms: Numbers = self.members.shape[1] * attributes + self.sets.draw(rng, len(attributes))
        return terms

    def hold(self, present: npt.NDArray[np.bool_], values: Numbers) -> npt.NDArray[np.bool_]:
        """For each term, and then its negation, whether it holds for an event; a missing attribute denies nothing."""
        hit = np.take_along_axis(self.members, values[:, None, None], axis=2)[:, :, 0] & present[:, None]
        return np.stack([hit.ravel(), ~hit.ravel()], axis=1).ravel()

    def count_values(self, present: npt.NDArray[np.bool_], values: Numbers) -> Numbers:
        """How many events have each value of each attribute."""
        num_values = self.members.shape[2]
        counts = [
            np.bincount(values[present[:, attribute], attribute], minlength=num_values)
            for attribute in range(len(self.members))
        ]
        return np.array(counts, np.int64).reshape(len(self.members), num_values)


def make_terms(rng: np.random.Generator, parameters: Mapping[str, Any]) -> Terms:
    """The possible sets of values of all attributes: one to a third of the values, the frequent ones more often."""
    num_attributes, num_sets = parameters["num_dimensions"] - 1, parameters["num_sets"]
    num_values = parameters["num_values"]
    sizes = rng.integers(1, max(2, num_values // 3 + 1), (num_attributes, num_sets))
    weights = np.arange(1, num_values + 1) ** -float(parameters["value_alpha"])
    noise = np.log(weights) + rng.gumbel(size=(num_attributes, num_sets, num_values))
    ranks = np.argsort(np.argsort(-noise, axis=2), axis=2)
    members = ranks < sizes[:, :, None]
    used = (parameters["used_dimensions"] or parameters["num_dimensions"]) - 1
    return Terms(members, Zipf(used, parameters["alpha"]), Zipf(num_sets, parameters["set_alpha"]))


def term_texts(terms: Terms, weight_rng: np.random.Generator | None, counts: Numbers | None) -> Texts:
    """For each term: its text, and that of its negation; with weights if there is what to draw them from.

    As in section 7: UB is the inverse of how many events have the key, scaled so that 100 of 1,000 give the paper's
    0.1; weights are Gaussian around 0.8 UB with a variance of 0.05 UB, at most UB, and at least 0.
    """
    attributes, _, values = np.nonzero(terms.members)
    sizes = terms.members.sum(axis=2).ravel()
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    plain = join("'v", to_texts(values), "'")
    weighted = plain
    if weight_rng is not None and counts is not None:
        bounds = 10.0 / np.maximum(counts[attributes, values], 1)
        drawn = weight_rng.normal(0.8 * bounds, np.sqrt(0.05 * bounds))
        weighted = join(plain, "^", to_texts(np.round(np.clip(drawn, 0.0, bounds), 6)))
    names = join("a", to_texts(np.repeat(np.arange(terms.members.shape[0]), terms.members.shape[1])))
    positive = join(names, " in (", join_runs(offsets, weighted, ", "), ")")
    negative = join(names, " weak not in (", join_runs(offsets, plain, ", "), ")")
    order = np.arange(2 * len(sizes)).reshape(2, -1).T.ravel()
    return pa.concat_arrays([positive, negative]).take(pa.array(order))
