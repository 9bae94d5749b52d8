"""How does a campaign say whom it wants? A flight of days, a place, a person, a context, and what to leave out.

Places and interests come from a stock of clauses, because campaigns share their regions and audiences: 20,000 of them
have fewer than 1,000 different literals.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import NamedTuple, TypeVar

import numpy as np

from eligo.workloads.sample_words import (
    CATEGORIES,
    CATEGORY_TOPS,
    DEVICES,
    FIRST_DAY,
    NUM_DAYS,
    STATES,
    WANTED,
    Shares,
)

Item = TypeVar("Item")

NUM_PLACES = 200
NUM_AUDIENCES = 250


class Draws:
    """Random choices, one at a time but drawn in bulk: numpy's own single draws take some 20 microseconds each."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._uniform = self._uniforms(rng)

    @staticmethod
    def _uniforms(rng: np.random.Generator) -> Iterator[float]:
        while True:
            yield from rng.random(65_536).tolist()

    def chance(self, probability: float) -> bool:
        """True as often as the probability says."""
        return next(self._uniform) < probability

    def one(self, items: Sequence[Item]) -> Item:
        """Any of the items, each as likely."""
        return items[int(next(self._uniform) * len(items))]

    def word(self, shares: Shares) -> str:
        """A word by its share."""
        return shares.words[min(bisect_right(shares.cumulative, next(self._uniform)), len(shares.words) - 1)]

    def popular(self, items: Sequence[Item]) -> Item:
        """Any of the items, the first ones more often."""
        return items[int(next(self._uniform) ** 2 * len(items))]

    def words(self, shares: Shares, size: int) -> list[str]:
        """Different words by their shares."""
        chosen: dict[str, None] = {}
        while len(chosen) < size:
            chosen[self.word(shares)] = None
        return list(chosen)


class Stock(NamedTuple):
    """Clauses that campaigns share, the popular ones first."""

    places: list[str]
    interests: list[str]


def stock(draws: Draws) -> Stock:
    """Regions and audiences to choose from."""
    return Stock([_place(draws) for _ in range(NUM_PLACES)], [_interest(draws) for _ in range(NUM_AUDIENCES)])


def campaign(draws: Draws, shared: Stock) -> str:
    """The text of one targeting expression."""
    main = [_flight(draws), draws.popular(shared.places), _person(draws), _context(draws, shared)]
    chosen = [clause for clause in main if draws.chance(0.85)]
    clauses = chosen if len(chosen) > 2 else main
    clauses += [_circumstance(draws)] if draws.chance(0.45) else []
    clauses += [_exclusion(draws)] if draws.chance(0.3) else []
    # Rotated, so that no attribute is always the first to be tested.
    start = draws.one(range(len(clauses)))
    return " and ".join(clauses[start:] + clauses[:start])


def _flight(draws: Draws) -> str:
    start = draws.one(range(NUM_DAYS - 3))
    end = min(start + draws.one((3, 7, 10, 14)), NUM_DAYS) - 1
    return f"day between date '{FIRST_DAY + timedelta(days=start)}' and date '{FIRST_DAY + timedelta(days=end)}'"


def _place(draws: Draws) -> str:
    states = draws.words(STATES, draws.one(range(1, 6)))
    if draws.chance(0.08):
        ranked = ", ".join(f"'{state}'^{5 - rank}" for rank, state in enumerate(states))
        return f"state in ({ranked})"
    return f"state = '{states[0]}'" if len(states) == 1 else f"state in {_listed(states)}"


def _person(draws: Draws) -> str:
    low = draws.one((13, 18, 21, 25, 30, 35, 45, 55))
    age = f"age between {low} and {low + draws.one((4, 7, 10, 14, 19))}"
    gender = f"gender = '{draws.one(('female', 'male'))}'"
    income = f"income >= {draws.one((50, 60, 75, 100, 150))}"
    kinds = (
        *[age] * 4,
        *[f"{gender} and {age}"] * 4,
        f"({age} or {income})",
        f"{gender} and {income}",
        f"age >= {low} and {income}",
    )
    return draws.one(kinds)


def _context(draws: Draws, shared: Stock) -> str:
    interest = draws.popular(shared.interests)
    kinds = (
        *[f"category under '{_category(draws)}'"] * 4,
        *[interest] * 3,
        *[f"({interest} or category under '{_category(draws)}')"] * 2,
        f"category starts with '{draws.word(CATEGORY_TOPS)}/' and {interest}",
    )
    return draws.one(kinds)


def _category(draws: Draws) -> str:
    top = draws.word(CATEGORY_TOPS)
    middle = draws.one(list(CATEGORIES[top]))
    leaf = draws.one(CATEGORIES[top][middle])
    return "/".join((top, middle, leaf)[: draws.one((1, 2, 2, 2, 3, 3))])


def _interest(draws: Draws) -> str:
    chosen = draws.words(WANTED, draws.one((1, 2, 3)))
    if len(chosen) == 2 and draws.chance(0.5):
        return f"interests contains all {_listed(chosen)}"
    return f"interests = '{chosen[0]}'" if len(chosen) == 1 else f"interests in {_listed(chosen)}"


def _circumstance(draws: Draws) -> str:
    hour = draws.one((6, 9, 12, 17, 19))
    kinds = (
        *[f"device = '{draws.word(DEVICES)}'"] * 10,
        *["device in ('phone', 'tablet')"] * 6,
        *[f"hour between {hour} and {hour + draws.one((2, 3, 4))}"] * 10,
        *["subscriber"] * 3,
        "(subscriber xor device = 'tv')",
        "(device = 'phone' xnor hour >= 18)",
    )
    return draws.one(kinds)


def _exclusion(draws: Draws) -> str:
    kinds = (
        "device != 'tv'",
        "not subscriber",
        f"not category under '{_category(draws)}'",
        f"interests not in {_listed(draws.words(WANTED, 1))}",
        f"interests weak not in {_listed(draws.words(WANTED, 1))}",
        "hour not between 0 and 5",
        "income is missing",
    )
    return draws.one(kinds)


def broken(text: str, count: int) -> str:
    """The text with one of the slips that people make; the count says which."""
    slips = (
        f"{text} and",
        f"({text}",
        f"{text} && device != 'tv'",
        f"age betwen 18 and 24 and {text}",
        f"{text} and state = 'NY",
        f"income => 50 and {text}",
        f"{text} and day >= date '2026-02-30'",
        f"{text} and gender in 'male', 'female'",
    )
    return slips[count % len(slips)]


def _listed(words: Sequence[str]) -> str:
    quoted = ", ".join(f"'{word}'" for word in words)
    return f"({quoted})"
