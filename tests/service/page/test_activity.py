"""Is it noted rightly what a service was asked, second by second and id by id?"""

from __future__ import annotations

import pytest

from eligo.service.page.activity import IDS_A_SECOND, SECONDS, Activity, activity_of


class Clock:
    """A time that is set."""

    def __init__(self) -> None:
        self.now = 1_000_000.5

    def __call__(self) -> float:
        return self.now


def test_seconds_have_their_events_and_latencies() -> None:
    clock = Clock()
    activity = Activity(clock)
    for milliseconds in (1.0, 1.0, 1.0, 40.0):
        activity.answered(milliseconds / 1e3, 2, 5)
    clock.now += 2
    activity.answered(0.5, 1, 0)
    clock.now += 1
    last = activity.last_seconds(4)
    assert (last.last, last.events, last.matches) == (1_000_002, [0, 8, 0, 1], [0, 20, 0, 0])
    assert [each is None for each in last.p50] == [True, False, True, False]
    assert last.p50[1] == pytest.approx(1.1, rel=0.2)
    assert last.p99[1] == pytest.approx(44, rel=0.2)
    assert last.p99[3] == pytest.approx(550, rel=0.2)


def test_a_second_that_is_long_past_is_forgotten() -> None:
    clock = Clock()
    activity = Activity(clock)
    activity.answered(0.001, 7, 0)
    clock.now += SECONDS
    assert sum(activity.last_seconds(SECONDS - 1).events) == 0
    clock.now += 1
    activity.answered(0.001, 2, 0)
    clock.now += 1
    assert sum(activity.last_seconds(SECONDS - 1).events) == 2
    assert activity.events == 9


@pytest.mark.parametrize("seconds", [0.0, -1.0, 1e-9, 1e9])
def test_odd_latencies_are_taken(seconds: float) -> None:
    clock = Clock()
    activity = Activity(clock)
    activity.answered(seconds, 1, 0)
    clock.now += 1
    assert activity.last_seconds(1).p50[0] is not None


def test_ids_beyond_what_is_worth_counting_are_left_out_aloud() -> None:
    clock = Clock()
    activity = Activity(clock)
    activity.answered(0.001, 1, IDS_A_SECOND, range(IDS_A_SECOND))
    activity.answered(0.001, 1, 1, ["late"])
    assert (activity.events, activity.counted_events, activity.has_matched("late")) == (2, 1, False)
    clock.now += 1
    activity.answered(0.001, 1, 1, ["late"])
    assert (activity.counted_events, activity.has_matched("late")) == (2, True)


def test_each_service_has_its_own() -> None:
    class Some:
        """What stands for a service."""

    one, other = Some(), Some()
    assert activity_of(one) is activity_of(one)
    assert activity_of(one) is not activity_of(other)
