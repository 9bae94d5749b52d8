from __future__ import annotations

from typing import Any

import pytest

from eligo.errors import InputError, PublishRefusedError, ShrunkIndexError, TooManyRejectsError
from eligo.index.stored.loss_bounds import check_rejects, check_shrink, checked_bound, most


@pytest.mark.parametrize(
    ("bound", "known"),
    [(0, 0), (7, 7), (0.0, 0.0), (0.25, 0.25), (1.0, 1.0), ("10%", 0.1), ("100 %", 1.0), ("0.5", 0.5), ("12", 12)],
)
def test_bounds(bound: Any, known: float) -> None:
    found = checked_bound(bound, "max_shrink")
    assert found == known and type(found) is type(known)


@pytest.mark.parametrize("bound", [-1, 1.5, -0.1, float("nan"), True, None, "", "%", "ten", "-3", "150%", "2.0", [1]])
def test_what_is_no_bound(bound: Any) -> None:
    with pytest.raises(InputError, match="max_rejects cannot be"):
        checked_bound(bound, "max_rejects")


def test_a_share_is_what_it_says() -> None:
    for percent in range(101):
        assert most(checked_bound(f"{percent}%", ""), 100) == percent
        assert most(percent / 100, 1000) == percent * 10
    assert most(0.5, 3) == 1
    assert most(5, 3) == 5


def test_shrinking() -> None:
    check_shrink(0.5, 10, 5, "x")
    check_shrink(0.5, 0, 0, "x")
    check_shrink(0, 10, 12, "x")
    check_shrink(1.0, 10, 0, "x")
    for bound, before, after in ((0.5, 10, 4), (0.5, 1, 0), (3, 10, 6), (0, 1, 0)):
        with pytest.raises(ShrunkIndexError, match=r"nothing was published") as caught:
            check_shrink(bound, before, after, "x")
        assert "--max-shrink" in caught.value.help and isinstance(caught.value, PublishRefusedError)


def test_rejects() -> None:
    check_rejects(None, 9, 10, "x")
    check_rejects(None, 0, 0, "x")
    check_rejects(0.9, 9, 10, "x")
    check_rejects(1.0, 10, 10, "x")
    for bound, rejected in ((None, 10), (0, 1), (0.1, 2), (3, 4)):
        with pytest.raises(TooManyRejectsError, match="nothing was published") as caught:
            check_rejects(bound, rejected, 10, "x")
        assert "--max-rejects" in caught.value.help
