"""A short form of the siege of a service; and does each attack notice when something is lost or goes astray?"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.experiments import siege_service
from benchmarks.siege.services import damage_logs, ledger, service_faults
from benchmarks.siege.services.bad_subscribers import bad_subscribers
from benchmarks.siege.services.kill_services import kill_services
from benchmarks.siege.services.ledger import Deliveries, Ledger, Published
from benchmarks.siege.tally import Tally
from eligo.storage.log import record_file
from eligo.storage.log.record_file import RecordWriter


def survived(tally: Tally) -> int:
    assert tally.failures == []
    return tally.num_survived


def test_a_service_that_is_killed_loses_nothing() -> None:
    tally = kill_services(7, 8)
    assert survived(tally) == 8
    counts = tally.counts
    assert min(counts[f"messages to {name}"] for name in ("pulled", "acme", "posted", "streamed")) > 0
    assert counts["records acknowledged"] > counts["publications acknowledged"] > 0
    assert counts["recovery, milliseconds: longest"] > 0


@pytest.mark.long
def test_a_service_that_is_killed_two_hundred_times_loses_nothing() -> None:
    assert survived(kill_services(8, 200)) == 200


def test_disks_and_clocks_that_fail_lose_nothing() -> None:
    assert survived(service_faults.service_faults(3, 8)) == 8


def test_subscribers_that_fail_hold_up_nobody() -> None:
    tally = bad_subscribers(3, 1)
    assert survived(tally) == 1
    assert tally.counts["dead letters"] > 0
    assert tally.counts["messages dropped, and told"] > 0


def test_attacks_are_silent_only_while_they_last() -> None:
    logger = logging.getLogger("eligo")
    before = logger.level
    damage_logs.damage_logs(1, 2)
    service_faults.service_faults(1, 1)
    assert logger.level == before < logging.CRITICAL


def test_a_damaged_log_is_not_answered_from() -> None:
    tally = damage_logs.damage_logs(300, 40)
    assert survived(tally) == 40
    assert tally.counts["refused with a typed error"] == 40


def test_the_experiment_has_all_attacks() -> None:
    names = [measurement.name for measurement in siege_service.EXPERIMENT.measurements]
    assert names == ["kills", "faults", "subscribers", "damages"]


def test_a_log_that_is_read_as_far_as_it_goes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_file, "_checked_head", lambda *whatever: (record_file.START, False))
    assert damage_logs.damage_logs(300, 40).num_failed > 0


def test_writes_that_go_on_after_a_failed_fsync_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(writer: RecordWriter) -> None:
        """Whatever the disk says."""

    monkeypatch.setattr(RecordWriter, "sync", careless)
    assert service_faults.service_faults(3, 2).num_failed > 0


@pytest.fixture
def failures() -> Iterator[list[str]]:
    yield []


def judged(failures: list[str], messages: list[tuple[int, dict[str, Any]]], published: dict[Any, Published]) -> None:
    """What a ledger says of a subscriber that wants even numbers."""
    found = Deliveries("even", lambda document, tenant: document["k"] % 2 == 0, failures.append)
    book = Ledger(failures.append)
    for key, each in published.items():
        book.publish(key, each)
    for seq, document in messages:
        found.take(seq, document)
    book.judge(found)


def document(k: int, n: int) -> dict[str, int]:
    return {"k": k, "publisher": 0, "n": n}


PUBLISHED = {(0, n): Published(10 + n, document(n % 4, n), ledger.tenant_of(0)) for n in range(8)}
RIGHT = [(10 + n, document(n % 4, n)) for n in range(0, 8, 2)]


def test_a_ledger_finds_nothing_wrong_where_all_is_right(failures: list[str]) -> None:
    judged(failures, [*RIGHT[:2], RIGHT[0], *RIGHT[2:]], PUBLISHED)
    assert failures == []


@pytest.mark.parametrize(
    ("messages", "what"),
    [
        (RIGHT[:-1], "did not get 1"),
        ([*RIGHT, (11, document(1, 1))], "not for it"),
        ([RIGHT[1], RIGHT[0], *RIGHT[2:]], "for the first time after"),
        ([*RIGHT, (99, document(0, 4))], "not theirs"),
        ([*RIGHT, (10, document(0, 4))], "two documents"),
    ],
)
def test_a_ledger_notices_what_is_wrong(
    failures: list[str], messages: list[tuple[int, dict[str, Any]]], what: str
) -> None:
    judged(failures, messages, PUBLISHED)
    assert what in "\n".join(failures)


def test_a_ledger_notices_what_comes_after_it_was_taken(failures: list[str]) -> None:
    found = Deliveries("all", lambda document, tenant: True, failures.append)
    found.take(5, document(0, 0))
    found.taken.add(5)
    found.take(5, document(0, 0))
    assert "had acknowledged it" in failures[0]
