"""Do many writers share one log, in one order, and hear the truth?"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from eligo.errors import EligoError, StorageError
from eligo.service.records import AnyRecord, DeleteExpression
from eligo.service.state.committer import Committer, Queue
from eligo.service.state.memory_log import MemoryLog
from eligo.service.state.outcome import Answer, BusyError, ConditionError, Outcome, ReadOnlyError


class GatedLog(MemoryLog):
    """A log whose disk is as slow as a test wants, and fails when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.began = threading.Event()
        self.groups: list[int] = []
        self.fails = False

    def append(self, payloads: Sequence[bytes]) -> range:
        self.began.set()
        self.gate.wait()
        if self.fails:
            raise StorageError("the disk is gone")
        self.groups.append(len(payloads))
        return super().append(payloads)


class Applied:
    """Notes what is applied; every third record is refused."""

    def __init__(self) -> None:
        self.records: list[AnyRecord] = []
        self.seqs: list[int] = []

    def __call__(self, first_seq: int, records: Sequence[AnyRecord]) -> list[Answer]:
        self.records += records
        self.seqs += range(first_seq, first_seq + len(records))
        return [
            ConditionError(f"not {seq}") if seq % 3 == 0 else Outcome(seq, record)
            for seq, record in enumerate(records, first_seq)
        ]


def record(number: int) -> DeleteExpression:
    return DeleteExpression(id=number)


def test_what_waits_while_the_disk_works_is_one_group() -> None:
    log, applied = GatedLog(), Applied()
    committer = Committer(log, applied)
    log.gate.clear()
    first = committer.submit([record(0)], is_single=True)
    log.began.wait()
    others = [committer.submit([record(number)], is_single=True) for number in range(1, 50)]
    assert not first.done()
    assert applied.seqs == []
    log.gate.set()
    committer.close()
    assert log.groups == [1, 49]
    assert applied.records == [record(number) for number in range(50)]
    assert applied.seqs == list(range(1, 51))
    for seq, future in enumerate([first, *others], 1):
        if seq % 3 == 0:
            with pytest.raises(ConditionError, match=f"not {seq}"):
                future.result()
        else:
            assert future.result() == Outcome(seq, record(seq - 1))


def test_records_of_many_threads_are_numbered_once_each() -> None:
    applied = Applied()
    committer = Committer(MemoryLog(), applied)
    with ThreadPoolExecutor(8) as threads:
        futures = [
            found
            for futures in threads.map(
                lambda start: [committer.submit([record(start * 100 + each)], is_single=True) for each in range(100)],
                range(8),
            )
            for found in futures
        ]
    committer.close()
    assert applied.seqs == list(range(1, 801))
    assert sorted(each.id for each in applied.records if isinstance(each, DeleteExpression)) == list(range(800))
    for future in futures:
        error = future.exception()
        assert error is None or isinstance(error, ConditionError)
    assert committer.commits.num_records == 800
    assert committer.num_waiting == 0


def test_several_records_have_an_answer_each() -> None:
    committer = Committer(MemoryLog(), Applied())
    answers = committer.submit([record(number) for number in range(4)], is_single=False).result()
    assert [isinstance(answer, EligoError) for answer in answers] == [False, False, True, False]
    assert answers[3] == Outcome(4, record(3))
    assert committer.submit([], is_single=False).result() == []
    committer.close()


def test_a_full_queue_says_when_to_come_back() -> None:
    log = GatedLog()
    committer = Committer(log, Applied(), Queue(records=3))
    log.gate.clear()
    committer.submit([record(0)], is_single=True)
    log.began.wait()
    committer.submit([record(1)], is_single=True)
    committer.submit([record(2)], is_single=True)
    with pytest.raises(BusyError, match="3 changes") as refused:
        committer.submit([record(3)], is_single=True)
    assert 0 < refused.value.retry_after <= 5
    log.gate.set()
    committer.close()
    assert log.groups == [1, 2]


def test_the_bytes_that_wait_are_bounded() -> None:
    log = GatedLog()
    committer = Committer(log, Applied(), Queue(num_bytes=200))
    log.gate.clear()
    committer.submit([DeleteExpression(id="x" * 1_000)], is_single=True)
    log.began.wait()
    with pytest.raises(BusyError):
        committer.submit([record(1)], is_single=True)
    log.gate.set()
    committer.close()


def test_after_a_failed_write_nothing_more_is_written() -> None:
    log, applied = GatedLog(), Applied()
    committer = Committer(log, applied)
    assert committer.submit([record(0)], is_single=True).result().seq == 1
    log.fails = True
    lost = committer.submit([record(1)], is_single=True)
    with pytest.raises(ReadOnlyError, match=r"may be lost.*the disk is gone"):
        lost.result()
    log.fails = False  # as a second fsync would succeed, whatever the first one has lost
    with pytest.raises(ReadOnlyError, match="the disk is gone"):
        committer.submit([record(2)], is_single=True)
    committer.close()
    assert applied.seqs == [1]


def test_what_cannot_be_applied_ends_the_writing() -> None:
    def broken(first_seq: int, records: Sequence[AnyRecord]) -> list[Answer]:
        raise MemoryError

    committer = Committer(MemoryLog(), broken)
    with pytest.raises(ReadOnlyError, match="MemoryError"):
        committer.submit([record(1)], is_single=True).result()
    with pytest.raises(ReadOnlyError):
        committer.submit([record(2)], is_single=True)
    committer.close()


def test_a_closed_committer_takes_nothing_and_finishes_what_it_took() -> None:
    log = GatedLog()
    committer = Committer(log, Applied())
    log.gate.clear()
    futures = [committer.submit([record(number)], is_single=True) for number in range(5)]
    closing = threading.Thread(target=committer.close)
    closing.start()
    log.gate.set()
    closing.join()
    assert all(future.done() for future in futures)
    with pytest.raises(ReadOnlyError, match="closed"):
        committer.submit([record(9)], is_single=True)
    with pytest.raises(ReadOnlyError, match="closed"):
        committer.between_groups(lambda: None)


def test_an_errand_is_done_between_groups() -> None:
    log, applied = GatedLog(), Applied()
    committer = Committer(log, applied)
    log.gate.clear()
    committer.submit([record(0)], is_single=True)
    log.began.wait()
    seen = committer.between_groups(lambda: list(applied.seqs))
    committer.submit([record(1)], is_single=True)
    log.gate.set()
    assert seen.result() == [1]
    failed = committer.between_groups(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        failed.result()
    assert committer.submit([record(2)], is_single=True).exception() is not None  # seq 3
    committer.close()


def test_a_loop_hears_of_a_group_by_one_call() -> None:
    log = GatedLog()
    committer = Committer(log, Applied())

    async def many() -> tuple[list[Outcome | BaseException], int]:
        loop = asyncio.get_running_loop()
        calls: list[object] = []
        call = loop.call_soon_threadsafe
        loop.call_soon_threadsafe = lambda *given, **more: (calls.append(given), call(*given, **more))[1]  # type: ignore
        log.gate.clear()
        futures = [committer.submit_in_loop([record(0)], is_single=True)]
        await asyncio.to_thread(log.began.wait)
        calls.clear()
        futures += [committer.submit_in_loop([record(number)], is_single=True) for number in range(1, 20)]
        futures[5].cancel()
        log.gate.set()
        return list(await asyncio.gather(*futures, return_exceptions=True)), len(calls)

    answers, num_calls = asyncio.run(many())
    committer.close()
    assert num_calls == 2
    assert isinstance(answers[5], asyncio.CancelledError)
    assert answers[4] == Outcome(5, record(4))
    assert isinstance(answers[2], ConditionError)
