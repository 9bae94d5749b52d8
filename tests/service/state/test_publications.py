"""Is a publication recognised for as long as is said, whatever the clock does, and is it said where it is not?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from eligo.service.records import Publish
from eligo.service.state.publications import (
    Publication,
    Publications,
    publication_arrays,
    publications_from,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def publish(publications: Publications, id: str | None, time: datetime) -> bool:
    """Whether it is one that came before."""
    record = Publish(document=msgspec.Raw(b"{}"), time=time, source="shop", id=id)
    if publications.find(record) is not None:
        return True
    publications.add(record, Publication(1, None, 0))
    return False


def test_a_clock_that_jumps_forgets_nothing_too_early() -> None:
    publications = Publications(DAY)
    assert not publish(publications, "7", START)
    for time in (START + 365 * DAY, START, START + 2 * DAY, START - 365 * DAY, START):
        assert publish(publications, "7", time)
    again = publications_from(publication_arrays(publications.frozen()), DAY)
    assert publish(again, "7", START + 365 * DAY)


def test_a_publication_is_forgotten_after_its_time() -> None:
    publications = Publications(DAY)
    assert not publish(publications, "7", START)
    for minutes in range(0, 24 * 60, 30):
        publish(publications, None, START + timedelta(minutes=minutes))
    assert publish(publications, "7", START + DAY)
    assert not publish(publications, "7", START + DAY + timedelta(seconds=1))


def test_what_is_forgotten_early_is_counted() -> None:
    publications = Publications(DAY, most=2)
    for id in ("1", "2", "3"):
        assert not publish(publications, id, START)
    assert (len(publications), publications.num_forgotten_early) == (2, 1)
    again = publications_from(publication_arrays(publications.frozen()), DAY)
    assert (len(again), again.num_forgotten_early) == (2, 1)
