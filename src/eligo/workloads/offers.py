"""What do people ask who wait for a better offer? Profiles that compare a new offer with those of a catalogue.

    category = 'c3' and price <= 500 and exists d (model = d.model and price < d.price and d.shop = 's7')
    price <= 900 and forall d (model != d.model or price < d.price)
    forall d in last 1000 (category != d.category or price <= d.price)

Each profile is one of six wishes (`WISHES`), with constants on the new offer before it: its category, its price. Wishes
hold constants of their own, so that 100,000 profiles have some 10,000 distinct joins. An offer is a model, from Zipf's
distribution, in one of the shops, with a price around the model's. Events are offers, and so are documents: in a
stream, those before an event are its documents; `catalogue` makes as many as one likes to begin with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.workloads.workload import Workload, expressions_table, random_streams
from eligo.workloads.zipf import Zipf

VERSION = 1
"""Raised whenever the same parameters would give another workload."""

FIELDS = ("model", "shop", "category", "price", "rating", "year")
MODEL, SHOP, CATEGORY, PRICE, RATING, YEAR = range(len(FIELDS))
LETTERS = {MODEL: "m", SHOP: "s", CATEGORY: "c"}
"""What the strings of a field begin with, before their number."""
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
EQUAL, DIFFERENT, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL = range(len(OPERATORS))
JOINED = -1
"""In place of a constant: the field is compared with the new offer's."""
DRAWN = -2
"""In place of a constant: one is drawn for each profile."""
FIRST_YEAR = 2000
NUM_YEARS = 25
RATINGS = 20
"""Ratings go in steps of 5 to 100."""

Numbers = npt.NDArray[np.int64]


class Wish(NamedTuple):
    """A join that profiles have: for `forall` its comparisons are alternatives, for `exists` all must hold."""

    share: float
    is_universal: bool
    comparisons: tuple[tuple[int, int, int], ...]
    """Field, operator, and JOINED, DRAWN or a constant; with JOINED the new offer stands on the left."""
    lasts: tuple[int, ...] = (0,)
    """The last so many documents, 0 being all; one is drawn."""


WISHES = (
    Wish(0.25, False, ((MODEL, EQUAL, JOINED), (PRICE, LESS, JOINED), (SHOP, EQUAL, DRAWN))),
    Wish(0.20, True, ((MODEL, DIFFERENT, JOINED), (PRICE, LESS, JOINED))),
    Wish(
        0.20,
        False,
        ((CATEGORY, EQUAL, JOINED), (PRICE, LESS, JOINED), (SHOP, EQUAL, DRAWN), (RATING, GREATER_OR_EQUAL, DRAWN)),
    ),
    Wish(0.15, True, ((CATEGORY, DIFFERENT, JOINED), (PRICE, LESS_OR_EQUAL, JOINED)), (1_000, 10_000)),
    Wish(
        0.10,
        False,
        ((CATEGORY, EQUAL, JOINED), (PRICE, GREATER, JOINED), (RATING, LESS, JOINED), (YEAR, GREATER_OR_EQUAL, DRAWN)),
    ),
    Wish(0.10, True, ((SHOP, DIFFERENT, DRAWN), (CATEGORY, DIFFERENT, JOINED), (RATING, GREATER_OR_EQUAL, JOINED))),
)


class Drawn(NamedTuple):
    """Profiles and offers as numbers; those of strings are their codes."""

    category: Numbers
    """For each profile: the category that the new offer must have; -1 for any."""
    limit: Numbers
    """For each profile: the price that it must not pass; -1 for any."""
    wish: Numbers
    last: Numbers
    """For each profile: how many documents it is about; 0 for all."""
    constants: Numbers
    """For each profile and comparison of its wish: the constant, or JOINED."""
    offers: Numbers
    """For each event and field: its value."""


def generate(
    num_expressions: int,
    num_events: int,
    seed: int,
    *,
    num_models: int = 5_000,
    num_shops: int = 500,
    num_categories: int = 25,
    model_skew: float = 0.8,
    with_category: float = 0.8,
    with_limit: float = 0.9,
    block: int = 0,
) -> Workload:
    """Profiles and new offers; a share of the profiles has a category, a share a limit on the price."""
    parameters = dict(locals())
    del parameters["block"]
    drawn = draw(**parameters, block=block)
    texts = profile_texts(drawn)
    joins = {text.partition(" d")[2] for text in texts}
    report = {"distinct_joins": len(joins)}
    expressions = expressions_table(pa.array(texts, pa.large_string()))
    return Workload("offers", expressions, offers_table(drawn.offers), parameters, report)


def draw(
    num_expressions: int,
    num_events: int,
    seed: int,
    *,
    num_models: int = 5_000,
    num_shops: int = 500,
    num_categories: int = 25,
    model_skew: float = 0.8,
    with_category: float = 0.8,
    with_limit: float = 0.9,
    block: int = 0,
) -> Drawn:
    """The numbers of a workload, without texts."""
    if num_expressions < 1 or not 1 <= num_categories <= num_models or num_shops < 1:
        raise ValueError(
            f"there are no {num_expressions} profiles on {num_models} models in {num_categories} categories "
            f"and {num_shops} shops"
        )
    rng, event_rng = random_streams(seed, 2, block)
    wish = rng.choice(len(WISHES), num_expressions, p=[each.share for each in WISHES])
    category = np.where(
        rng.random(num_expressions) < with_category, rng.integers(0, num_categories, num_expressions), -1
    )
    limit = np.where(rng.random(num_expressions) < with_limit, rng.integers(1, 101, num_expressions) * 20, -1)
    last = np.zeros(num_expressions, np.int64)
    constants = np.full((num_expressions, max(len(each.comparisons) for each in WISHES)), JOINED, np.int64)
    domains = {SHOP: (0, num_shops, 1), RATING: (1, RATINGS + 1, 5), YEAR: (FIRST_YEAR, FIRST_YEAR + NUM_YEARS, 1)}
    for number, each in enumerate(WISHES):
        rows = np.flatnonzero(wish == number)
        last[rows] = rng.choice(each.lasts, len(rows))
        for place, (field, _, constant) in enumerate(each.comparisons):
            if constant == DRAWN:
                low, high, step = domains[field]
                constants[rows, place] = rng.integers(low, high, len(rows)) * step
    offers = _offers(event_rng, num_events, num_models, num_shops, num_categories, model_skew)
    return Drawn(category, limit, wish, last, constants, offers)


def catalogue(num_documents: int, seed: int, parameters: Mapping[str, Any] | None = None) -> Numbers:
    """Offers that came before, for each document and field; `parameters` are those of `generate`."""
    sizes = {"num_models": 5_000, "num_shops": 500, "num_categories": 25, "model_skew": 0.8}
    chosen = {name: (parameters or {}).get(name, default) for name, default in sizes.items()}
    return _offers(random_streams(seed, 3, 0)[2], num_documents, **chosen)


def _offers(
    rng: np.random.Generator, count: int, num_models: int, num_shops: int, num_categories: int, model_skew: float
) -> Numbers:
    models = Zipf(num_models, model_skew).draw(rng, count)
    # What a model costs, on average, is a scattering of its number from 50 to 1,950.
    usual = 50 + models * 7919 % 1901
    prices = np.maximum(1, (usual * rng.normal(1.0, 0.15, count)).astype(np.int64))
    ratings = rng.integers(0, 101, count)
    years = FIRST_YEAR + rng.integers(0, NUM_YEARS, count)
    columns = (models, rng.integers(0, num_shops, count), models % num_categories, prices, ratings, years)
    return np.stack(columns, axis=1).astype(np.int64).reshape(count, len(FIELDS))


def offers_table(offers: Numbers) -> pa.Table:
    """Offers as a table: one column a field."""
    columns: dict[str, pa.Array] = {}
    for field, name in enumerate(FIELDS):
        values = offers[:, field]
        columns[name] = pa.array(
            [f"{LETTERS[field]}{value}" for value in values.tolist()] if field in LETTERS else values,
            pa.string() if field in LETTERS else pa.int64(),
        )
    return pa.table(columns)


def profile_texts(drawn: Drawn) -> list[str]:
    """The profiles in the language."""
    found = []
    rows = zip(*(array.tolist() for array in drawn[:4]), drawn.constants.tolist(), strict=True)
    for category, limit, wish, last, constants in rows:
        comparisons = [
            _comparison(field, operator, constants[place])
            for place, (field, operator, _) in enumerate(WISHES[wish].comparisons)
        ]
        quantifier, word = ("forall", " or ") if WISHES[wish].is_universal else ("exists", " and ")
        scope = f" in last {last}" if last else ""
        before = [f"category = 'c{category}'"] * (category >= 0) + [f"price <= {limit}"] * (limit >= 0)
        found.append(" and ".join([*before, f"{quantifier} d{scope} ({word.join(comparisons)})"]))
    return found


def _comparison(field: int, operator: int, constant: int) -> str:
    name = FIELDS[field]
    if constant == JOINED:
        return f"{name} {OPERATORS[operator]} d.{name}"
    value = f"'{LETTERS[field]}{constant}'" if field in LETTERS else str(constant)
    return f"d.{name} {OPERATORS[operator]} {value}"
