"""In what share of events is a fact true? In what share of a sample; without one, what is asked for often is likely."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_batch import EventBatch
from eligo.engines.kernels.facts import FactKeys, count_facts


def fact_shares(keys: FactKeys, uses: npt.NDArray[np.int64], sample: EventBatch | None) -> npt.NDArray[np.float64]:
    """For each fact: in what share of events it is taken to be true. `uses` says how often each is referred to."""
    num_facts = len(keys.fact_predicates)
    if sample is not None and sample.num_events:
        totals = np.zeros(num_facts, np.int64)
        count_facts(sample, keys, np.zeros(num_facts, np.uint8), np.empty(num_facts + 1, np.uint32), totals)
        counted: npt.NDArray[np.float64] = totals / sample.num_events
        return counted
    # A key is as likely as the facts under it are used; a fact as likely as its keys.
    key_of_place = np.repeat(np.arange(len(keys.key_offsets) - 1), np.diff(keys.key_offsets))
    uses_of_key = np.bincount(key_of_place, uses[keys.key_facts], len(keys.key_offsets) - 1)
    of_fact = np.bincount(keys.key_facts, uses_of_key[key_of_place], num_facts)
    guessed: npt.NDArray[np.float64] = np.minimum(of_fact / max(1.0, of_fact.max(initial=1.0)), 1.0)
    return guessed
