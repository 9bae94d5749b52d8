"""What do the sample's people, pages and places look like? Words and how often each occurs; `sample` draws from them.

The shares are round numbers that resemble the United States; nothing depends on their being right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

import numpy as np
import numpy.typing as npt


class Shares:
    """Words and how likely each is."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.words = list(weights)
        self.probabilities = normalized(list(weights.values()))
        self.cumulative: list[float] = np.cumsum(self.probabilities).tolist()

    @classmethod
    def by_rank(cls, words: Iterable[str], exponent: float) -> Shares:
        """Zipf's law: the second word is 2^exponent times rarer than the first."""
        return cls({word: (rank + 1) ** -exponent for rank, word in enumerate(words)})

    def items(self) -> Iterator[tuple[str, float]]:
        """Each word with its probability."""
        return zip(self.words, self.probabilities.tolist(), strict=True)


def normalized(weights: Sequence[float]) -> npt.NDArray[np.float64]:
    """The weights as probabilities."""
    array = np.asarray(weights, dtype=np.float64)
    probabilities: npt.NDArray[np.float64] = array / array.sum()
    return probabilities


FIRST_DAY = date(2026, 3, 1)
NUM_DAYS = 28

HOURS = normalized([2, 1, 1, 1, 1, 2, 3, 5, 6, 6, 6, 6, 7, 7, 6, 6, 6, 7, 8, 9, 10, 9, 7, 4])
"""The share of the views of each hour of the day."""

STATES = Shares(
    {
        "CA": 11.7, "TX": 9.0, "FL": 6.6, "NY": 5.9, "PA": 3.9, "IL": 3.8, "OH": 3.5, "GA": 3.2, "NC": 3.2, "MI": 3.0,
        "NJ": 2.8, "VA": 2.6, "WA": 2.3, "AZ": 2.2, "TN": 2.1, "MA": 2.1, "IN": 2.0, "MO": 1.9, "MD": 1.9, "WI": 1.8,
        "CO": 1.7, "MN": 1.7, "SC": 1.6, "AL": 1.5, "LA": 1.4, "KY": 1.4, "OR": 1.3, "OK": 1.2, "CT": 1.1, "UT": 1.0,
        "IA": 1.0, "NV": 1.0, "AR": 0.9, "MS": 0.9, "KS": 0.9, "NM": 0.6, "NE": 0.6, "ID": 0.6, "WV": 0.5, "HI": 0.4,
        "NH": 0.4, "ME": 0.4, "MT": 0.3, "RI": 0.3, "DE": 0.3, "SD": 0.3, "ND": 0.2, "AK": 0.2, "VT": 0.2, "WY": 0.2,
    }
)  # fmt: skip
"""Each state and its share of the people, in per cent."""

DEVICES = Shares({"phone": 58, "desktop": 24, "tablet": 9, "tv": 7, "console": 2})

GENDERS = Shares({"female": 50, "male": 48, "other": 2})

_INTEREST_WORDS = (
    "music", "travel", "cooking", "fitness", "movies", "gaming", "fashion", "football", "pets", "gardening",
    "photography", "cars", "reading", "home improvement", "basketball", "finance", "hiking", "beauty", "parenting",
    "technology", "baseball", "art", "yoga", "wine", "politics", "science", "running", "crafts", "camping", "golf",
    "coffee", "fishing", "cycling", "dance", "history", "theatre", "board games", "motorcycles", "astronomy", "skiing",
    "tennis", "sailing", "birdwatching", "chess", "anime", "surfing", "antiques", "beekeeping",
)  # fmt: skip
INTERESTS = Shares.by_rank(_INTEREST_WORDS, 0.9)
"""What visitors like, the most common first."""

WANTED = Shares.by_rank(_INTEREST_WORDS, 0.5)
"""The same interests by how often campaigns ask for them."""

CATEGORIES: dict[str, dict[str, tuple[str, ...]]] = {
    "News": {
        "Politics": ("Elections", "Congress", "Supreme Court"),
        "World": ("Europe", "Asia", "Africa", "Americas"),
        "Business": ("Markets", "Jobs", "Real Estate", "Energy"),
        "Weather": ("Forecast", "Storms"),
    },
    "Sports": {
        "NFL": ("Patriots", "Cowboys", "Packers", "Chiefs", "49ers", "Eagles"),
        "NBA": ("Lakers", "Celtics", "Warriors", "Bulls", "Knicks"),
        "MLB": ("Yankees", "Dodgers", "Red Sox", "Cubs"),
        "Soccer": ("MLS", "Premier League", "World Cup"),
        "Tennis": ("US Open", "Wimbledon"),
    },
    "Entertainment": {
        "Movies": ("Reviews", "Trailers", "Showtimes"),
        "Music": ("Pop", "Country", "Hip-Hop", "Rock"),
        "TV": ("Drama", "Comedy", "Reality"),
        "Games": ("Console", "Mobile", "PC"),
    },
    "Shopping": {
        "Electronics": ("Phones", "Laptops", "Cameras", "Audio"),
        "Clothing": ("Women", "Men", "Children", "Shoes"),
        "Home": ("Furniture", "Kitchen", "Garden"),
        "Toys": ("Building Sets", "Dolls", "Puzzles"),
    },
    "Lifestyle": {
        "Food": ("Recipes", "Restaurants", "Baking"),
        "Health": ("Nutrition", "Exercise", "Sleep"),
        "Family": ("Babies", "Teenagers", "Schools"),
    },
    "Travel": {
        "Flights": ("Domestic", "International"),
        "Hotels": ("City", "Beach", "Budget"),
        "Outdoors": ("National Parks", "Camping", "Skiing"),
    },
    "Autos": {
        "Cars": ("Sedans", "SUVs", "Electric", "Classic"),
        "Trucks": ("Pickups", "Commercial"),
        "Motorcycles": ("Touring", "Sport"),
    },
    "Finance": {
        "Banking": ("Savings", "Mortgages", "Credit Cards"),
        "Investing": ("Stocks", "Funds", "Retirement"),
        "Insurance": ("Home", "Car", "Life"),
    },
}
"""Page categories in three levels, the most visited first at each; a page's category is a path such as
`Sports/NFL/Patriots`."""

CATEGORY_TOPS = Shares.by_rank(CATEGORIES, 0.6)
"""The first level by how often campaigns ask for it."""


def _views() -> Iterator[tuple[str, float]]:
    """Every page category with its share of the views; a seventh of them stop at the second level."""
    for top, top_share in Shares.by_rank(CATEGORIES, 0.8).items():
        for middle, middle_share in Shares.by_rank(CATEGORIES[top], 0.8).items():
            yield f"{top}/{middle}", top_share * middle_share / 7
            for leaf, leaf_share in Shares.by_rank(CATEGORIES[top][middle], 0.8).items():
                yield f"{top}/{middle}/{leaf}", top_share * middle_share * leaf_share * 6 / 7


CATEGORY_PATHS = Shares(dict(_views()))
"""The categories of pages by their share of the views."""
