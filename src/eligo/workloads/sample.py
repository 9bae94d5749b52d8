"""What does an ad-targeting job look like? Campaigns with their targeting expressions, and page views as events.

Both are drawn from a seed: the same seed gives the same tables. Attributes are skewed as real ones are (few states
have most people, few categories most views), and often missing (not every visitor has told their age). A view meets
about one campaign in a thousand.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from eligo.workloads.sample_campaigns import Draws, broken, campaign, stock
from eligo.workloads.sample_words import (
    CATEGORY_PATHS,
    DEVICES,
    FIRST_DAY,
    GENDERS,
    HOURS,
    INTERESTS,
    NUM_DAYS,
    STATES,
    Shares,
)

BROKEN_EVERY = 1_000
"""One campaign in so many has a text that is no expression, as a hand-kept table would."""
EVENTS_PER_BATCH = 50_000
MOST_INTERESTS = 8

EVENT_SCHEMA = pa.schema(
    {
        "event_id": pa.int64(),
        "age": pa.int64(),
        "gender": pa.string(),
        "state": pa.string(),
        "device": pa.string(),
        "interests": pa.list_(pa.string()),
        "category": pa.string(),
        "day": pa.date32(),
        "hour": pa.int64(),
        "income": pa.int64(),
        "subscriber": pa.bool_(),
    }
)
"""One page view: who looked (income is in thousands a year), with what, at which category of page, and when."""

EXPRESSION_SCHEMA = pa.schema({"id": pa.string(), "expression": pa.string()})


def expressions(num_expressions: int, *, seed: int) -> pa.Table:
    """Campaigns: an id and a targeting expression each, a few of them broken."""
    draws = Draws(np.random.default_rng([seed, 2]))
    shared = stock(draws)
    texts = [campaign(draws, shared) for _ in range(num_expressions)]
    for count, row in enumerate(range(BROKEN_EVERY // 2, num_expressions, BROKEN_EVERY)):
        texts[row] = broken(texts[row], count)
    ids = [f"ad-{number:05d}" for number in range(1, num_expressions + 1)]
    return pa.table([ids, texts], schema=EXPRESSION_SCHEMA)


def events(num_events: int, *, seed: int) -> Iterator[pa.RecordBatch]:
    """Page views, in batches that are each drawn from their own seed."""
    for number, first in enumerate(range(0, num_events, EVENTS_PER_BATCH)):
        rng = np.random.default_rng([seed, 1, number])
        yield _event_batch(rng, first, min(EVENTS_PER_BATCH, num_events - first))


def _event_batch(rng: np.random.Generator, first: int, count: int) -> pa.RecordBatch:
    age = np.clip(np.rint(13 + rng.gamma(2.6, 11.0, count)), 13, 95).astype(np.int64)
    earning = np.clip((age - 16) / 30, 0.1, 1.1)
    income = np.clip(np.rint(rng.lognormal(3.9, 0.6, count) * earning), 1, 2_000).astype(np.int64)
    days = np.datetime64(FIRST_DAY) + rng.integers(0, NUM_DAYS, count)
    columns = [
        pa.array(np.arange(first, first + count, dtype=np.int64)),
        pa.array(age, mask=rng.random(count) < 0.12),
        _words(rng, GENDERS, count, missing=0.15),
        _words(rng, STATES, count, missing=0.03),
        _words(rng, DEVICES, count, missing=0.0),
        _interest_lists(rng, count),
        _words(rng, CATEGORY_PATHS, count, missing=0.05),
        pa.array(days.astype("datetime64[D]")),
        pa.array(rng.choice(24, count, p=HOURS).astype(np.int64)),
        pa.array(income, mask=rng.random(count) < 0.45),
        pa.array(rng.random(count) < 0.2, mask=rng.random(count) < 0.25),
    ]
    return pa.record_batch(columns, schema=EVENT_SCHEMA)


def _words(rng: np.random.Generator, shares: Shares, count: int, *, missing: float) -> pa.Array:
    picks = rng.choice(len(shares.words), count, p=shares.probabilities)
    return pa.array(shares.words).take(pa.array(picks, mask=rng.random(count) < missing))


def _interest_lists(rng: np.random.Generator, count: int) -> pa.Array:
    """Up to eight different interests each: the largest of noisy log-shares are a weighted draw without repetition."""
    keys = np.log(INTERESTS.probabilities) + rng.gumbel(size=(count, len(INTERESTS.words)))
    favourites = np.argsort(-keys, axis=1)[:, :MOST_INTERESTS]
    sizes = np.minimum(rng.poisson(2.2, count), MOST_INTERESTS)
    chosen = favourites[np.arange(MOST_INTERESTS) < sizes[:, None]]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(INTERESTS.words).take(pa.array(chosen)))
