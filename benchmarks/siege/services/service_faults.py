"""What does a service do when the disk, a subscriber or the clock fails it? Each fault alone, from a seed.

full disk        the log may not grow: writes are refused from then on, questions are answered, nothing is lost
failing fsync    the same; a later fsync that would succeed is not believed
slow disk        writers wait together: fewer fsyncs than writes
clock            it jumps forwards and backwards by days: opened again, the service knows the same
"""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.siege.services.damage_logs import content
from benchmarks.siege.silence import in_silence
from benchmarks.siege.tally import Tally
from eligo.errors import EligoError
from eligo.service.records import Acknowledge, AddDocuments, Publish, PutExpression, PutSubscription
from eligo.service.service import Service, ServiceOptions
from eligo.service.state.outcome import ReadOnlyError

START = datetime(2026, 1, 1, tzinfo=UTC)
Fail = Callable[[str], None]


@in_silence()
def service_faults(seed: int, number: int) -> Tally:
    """So many faults, of each kind in turn."""
    tally = Tally()
    for place in range(number):
        name, scenario = list(SCENARIOS.items())[place % len(SCENARIOS)]
        rng = random.Random(f"{name} {seed} {place}")
        tally.tried()
        tally.counts[name] += 1
        problems: list[str] = []
        with tempfile.TemporaryDirectory() as directory:
            try:
                scenario(Path(directory), rng, problems.append)
            except Exception as error:
                problems.append(f"{type(error).__name__}: {error}")
        if problems:
            tally.fail(f"{name}, seed {seed}, {place}: {problems[0]}")
    return tally


def _put(service: Service, number: int) -> None:
    service.write(PutExpression(id=f"e{number}", expression=f"k = {number % 7}"))


def _refused_from(service: Service, number: int, fail: Fail) -> int:
    """Write until that is refused; how many were acknowledged."""
    for each in range(number, number + 2_000):
        try:
            _put(service, each)
        except ReadOnlyError:
            return each
    fail("nothing was refused")
    return number


def _reads_and_refuses(service: Service, number: int, fail: Fail) -> None:
    if len(service.expressions.index.match({"k": 0})) != -(-number // 7):
        fail("questions are not answered as before")
    for _ in range(3):
        try:
            _put(service, 10_000)
        except ReadOnlyError:
            continue
        fail("a write was taken after one that failed")


def _has(directory: Path, number: int, fail: Fail) -> None:
    """Opened again it has all that was acknowledged, perhaps what was on its way, and takes writes."""
    with Service.open(directory) as service:
        found = {str(each.id) for each in service.expressions}
        wanted = {f"e{each}" for each in range(number)}
        if not wanted <= found or not found <= wanted | {f"e{number}"}:
            fail(f"{len(wanted - found)} of {number} are lost, {len(found - wanted)} came from nowhere")
        _put(service, 20_000)


@contextmanager
def file_size(num_bytes: int) -> Iterator[None]:
    """No file of this process may grow beyond a size."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (num_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def fsync(replaced: Callable[[int], None]) -> Iterator[None]:
    """Every fsync of this process is another function."""
    real = os.fsync
    os.fsync = replaced  # type: ignore[assignment]
    try:
        yield
    finally:
        os.fsync = real


def full_disk(directory: Path, rng: random.Random, fail: Fail) -> None:
    """The log may not grow beyond a size, which comes in the middle of some record."""
    service = Service.open(directory)
    number = rng.randrange(1, 20)
    for each in range(number):
        _put(service, each)
    with file_size(service.log.num_bytes + rng.randrange(1, 3_000)):
        number = _refused_from(service, number, fail)
        _reads_and_refuses(service, number, fail)
    _reads_and_refuses(service, number, fail)
    service.close()
    _has(directory, number, fail)


def failing_fsync(directory: Path, rng: random.Random, fail: Fail) -> None:
    """One fsync fails, and those after it would not."""
    service = Service.open(directory)
    fails_at = rng.randrange(1, 40)
    calls = 0
    real = os.fsync

    def failing(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == fails_at:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(descriptor)

    with fsync(failing):
        number = _refused_from(service, 0, fail)
        _reads_and_refuses(service, number, fail)
        if number != fails_at - 1:
            fail(f"fsync {fails_at} failed, and {number} writes were acknowledged")
        service.close()
    _has(directory, number, fail)


def slow_disk(directory: Path, rng: random.Random, fail: Fail) -> None:
    """Every fsync takes long; many write at once."""
    real = os.fsync
    seconds = rng.uniform(0.005, 0.03)

    def slow(descriptor: int) -> None:
        time.sleep(seconds)
        real(descriptor)

    wrong: list[str] = []

    def write(first: int) -> None:
        try:
            for each in range(first, first + 5):
                _put(service, each)
        except EligoError as error:
            wrong.append(str(error))

    with Service.open(directory) as service, fsync(slow):
        threads = [threading.Thread(target=write, args=(5 * each,)) for each in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        groups = service.committer.commits.num_groups
        if wrong or groups >= 60:
            fail(f"60 writes took {groups} groups; {wrong[:1]}")
    _has(directory, 60, fail)


def jumping_clock(directory: Path, rng: random.Random, fail: Fail) -> None:
    """Documents come with times that jump by days, under rules that count time."""
    options = ServiceOptions(keep_last=50, keep_for="2 days", remember_publications=timedelta(hours=12))
    clock = START
    published: list[int] = []
    with Service.open(directory / "data", options) as service:
        service.write(PutSubscription(name="all", expression="k exists"))
        for number in range(rng.randrange(20, 60)):
            clock += timedelta(seconds=rng.choice((1, 1, 1, 3_600, -3_600, 86_400 * 3, -86_400 * 3)))
            document = msgspec.Raw(b'{"k": %d}' % number)
            if rng.random() < 0.2:
                service.write(AddDocuments(documents=[document], time=clock))
                continue
            told: Any = service.write(Publish(document=document, time=clock, source="/s", id=str(number))).result
            published.append(told.seq)
            again: Any = service.write(Publish(document=document, time=clock, source="/s", id=str(number))).result
            if not again.is_duplicate or again.seq != told.seq:
                fail("a publication that came twice at one time was not recognised")
            if rng.random() < 0.1:
                service.write(Acknowledge(subscription="all", seqs=[published.pop(0)]))
        waiting = [message.seq for message in service.subscriptions.messages("all", 1_000, set())]
        if waiting != published:
            fail("messages are missing, or not in order")
        before = content(service)
        shutil.copytree(directory / "data", directory / "killed")
    for name in ("killed", "data"):
        with Service.open(directory / name, options) as service:
            if content(service) != before:
                fail(f"opened again ({name}), it knows something else")


SCENARIOS: dict[str, Callable[[Path, random.Random, Fail], None]] = {
    "disks that were full": full_disk,
    "fsyncs that failed": failing_fsync,
    "disks that were slow": slow_disk,
    "clocks that jumped": jumping_clock,
}
