"""Does an index take the structure that suits its ranges, unless it is told another?"""

from __future__ import annotations

import numpy as np
import pytest

from eligo.ranges.choose import FEW_LISTED, MOST_HELD, Wish, choose_structure
from eligo.ranges.range_cells import RangeCells
from eligo.ranges.structures import STRUCTURES


def ranges(num_ranges: int, held: int) -> RangeCells:
    """Ranges one behind another that hold so many cells each."""
    lows = np.arange(num_ranges, dtype=np.uint32)
    return RangeCells(lows, lows + np.uint32(held - 1), num_ranges + held)


MANY = FEW_LISTED // 5
"""So many ranges are not few if they hold more than five intervals."""


@pytest.mark.parametrize(
    ("num_ranges", "held", "churn", "expected"),
    [
        (0, 1, 0.0, "elementary"),
        (100, 100, 0.0, "elementary"),
        (MANY, 5, 0.0, "elementary"),
        (MANY, 6, 0.0, "segment_tree"),
        (MANY, MOST_HELD, 0.0, "segment_tree"),
        (MANY, MOST_HELD + 1, 0.0, "interval_tree"),
        (100, 10, 1.0, "segment_tree"),
        (100, 100, 1.0, "interval_tree"),
    ],
)
def test_by_number_overlap_and_churn(num_ranges: int, held: int, churn: float, expected: str) -> None:
    name, why = choose_structure(ranges(num_ranges, held), Wish(churn=churn))
    assert name == expected
    assert f"{num_ranges:,} ranges" in why or "a range holds" in why


@pytest.mark.parametrize("name", STRUCTURES)
def test_the_callers_word_is_stronger(name: str) -> None:
    assert choose_structure(ranges(100, 100), Wish(name)) == (name, "you asked for it")  # type: ignore[arg-type]
