"""Does a service survive an end at any moment? Its directory is copied before every operation on files, and opened."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from eligo.errors import DamagedFileError
from eligo.service.records import AnyRecord, Publish, PutExpression, PutSubscription
from eligo.service.service import Service, ServiceOptions
from eligo.service.state.checkpoint_manifest import CURRENT, STATE, current_seq
from plain_service import START, PlainModel
from source_tree import REPOSITORY

OPERATIONS = {"open", "os.rename", "os.remove", "os.truncate", "os.mkdir", "fcntl.flock"}


class Copies:
    """Copies of a directory, made before each operation on a file of it."""

    def __init__(self) -> None:
        self.source: Path | None = None
        self.target: Path | None = None
        self.made: list[Path] = []

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        source, target = self.source, self.target
        if source is None or target is None or event not in OPERATIONS:
            return
        self.source = None  # the copying itself is not copied
        try:
            if any(
                isinstance(each, str | bytes | os.PathLike) and str(source) in os.fsdecode(each) for each in arguments
            ):
                self.made.append(target / str(len(self.made)))
                shutil.copytree(source, self.made[-1])
        finally:
            self.source = source


copies = Copies()
sys.addaudithook(copies)


@contextmanager
def copied(source: Path, target: Path) -> Iterator[list[Path]]:
    copies.made = []
    copies.source, copies.target = source, target
    try:
        yield copies.made
    finally:
        copies.source = None


def written(service: Service, model: PlainModel, numbers: range) -> None:
    for number in numbers:
        records: list[AnyRecord] = [
            PutExpression(id=f"e{number}", expression="a = 1", metadata=msgspec.Raw(b'{"n": %d}' % number)),
            PutSubscription(name="s", expression="exists d (a < d.a)"),
            Publish(document=msgspec.Raw(b'{"a": %d}' % (9 - number)), time=START, source="shop", id=str(number)),
        ]
        for record in records:
            model.apply(record)
        service.submit_many(records).result()


OPTIONS = ServiceOptions(keep_last=4)


def test_a_checkpoint_that_ends_anywhere_leaves_the_old_or_the_new_one(tmp_path: Path) -> None:
    data, model = tmp_path / "data", PlainModel()
    seqs = set()
    with Service.open(data, OPTIONS) as service:
        written(service, model, range(3))
        service.checkpoint()
        written(service, model, range(3, 6))
        with copied(data, tmp_path / "copies") as made:
            service.checkpoint()
        for copy in made:
            seqs.add(current_seq(copy))
            with Service.open(copy, OPTIONS) as again:
                model.compare(again)
                assert again.version >= 2
                # It goes on from there, with a checkpoint of its own.
                assert again.checkpoint().seq == model.seq
    assert len(made) > 20
    assert seqs == {9, 18}


def test_the_first_opening_that_ends_anywhere_can_be_done_again(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with copied(data, tmp_path / "copies") as made:
        Service.open(data).close()
    assert len(made) > 20
    for copy in made:
        with Service.open(copy) as again:
            assert (again.seq, again.version) == (0, 1)


WRITER = """
import sys, threading
import msgspec
from datetime import UTC, datetime
from eligo.service.records import AnyRecord, Publish, PutExpression, PutSubscription
from eligo.service.service import Service, ServiceOptions

service = Service.open(sys.argv[1], ServiceOptions(checkpoint_bytes=8_000))
service.write(PutSubscription(name="all", expression="a >= 0", max_pending=100_000))
said = threading.Lock()

def work(name):
    number = 0
    while True:
        id = f"{sys.argv[2]}-{name}-{number}"
        put = service.submit(PutExpression(id=id, expression=f"a = {number}"))
        document = msgspec.Raw(b'{"a": 1}')
        published = service.submit(Publish(document=document, time=datetime.now(UTC), source="x", id=id))
        put.result()
        seq = published.result().seq
        with said:
            print(id, seq, flush=True)
        number += 1

threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
for thread in threads:
    thread.start()
"""


def test_nothing_acknowledged_is_lost_by_kills(tmp_path: Path) -> None:
    acknowledged: dict[str, int] = {}
    for kill in range(4):
        path = tmp_path / f"said{kill}"
        with open(path, "wb") as said:
            process = subprocess.Popen(
                [sys.executable, "-c", WRITER, str(tmp_path / "data"), str(kill)], stdout=said, cwd=REPOSITORY
            )
            end = time.monotonic() + 120
            while process.poll() is None and path.read_bytes().count(b"\n") < 40 + 37 * kill and time.monotonic() < end:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.wait()
        whole = path.read_text().rpartition("\n")[0]
        assert whole, "nothing was written"
        acknowledged |= {id: int(seq) for id, seq in (line.split() for line in whole.splitlines())}
        with Service.open(tmp_path / "data") as service:
            assert service.recovery is not None
            assert acknowledged.keys() <= set(service.expressions.index.ids)
            waiting = [message.seq for message in service.subscriptions.messages("all", 1_000_000)]
            assert waiting == sorted(set(waiting))
            assert set(acknowledged.values()) <= set(waiting)
            for id, seq in list(acknowledged.items())[-3:]:
                again = service.write(Publish(document=msgspec.Raw(b"{}"), time=START, source="x", id=id))
                assert again.result[0] == seq  # type: ignore[index]


def test_damage_is_refused_with_its_place(tmp_path: Path) -> None:
    model = PlainModel()
    with Service.open(tmp_path / "data", OPTIONS) as service:
        written(service, model, range(2))
        service.checkpoint()
        shutil.copytree(tmp_path / "data", tmp_path / "before")
    for path in sorted((tmp_path / "before").rglob("*")):
        relative = path.relative_to(tmp_path / "before")
        is_old = relative.parts[0] in ("expressions", "subscriptions")
        if path.is_dir() or path.name.endswith(".lock") or is_old or path.stat().st_size == 0:
            continue
        if relative == Path(STATE, "00000000000000000000.json") or _is_of_first(tmp_path / "before", relative):
            continue  # the checkpoint before the last
        copy = tmp_path / "copy"
        shutil.copytree(tmp_path / "before", copy)
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0x40
        (copy / relative).write_bytes(data)
        with pytest.raises(DamagedFileError) as refused:
            Service.open(copy)
        assert str(copy) in refused.value.message
        shutil.rmtree(copy)


def _is_of_first(directory: Path, relative: Path) -> bool:
    last = (directory / STATE / (directory / CURRENT).read_text().strip()).read_text()
    return relative.suffix == ".eligo" and relative.stem not in last


def test_a_directory_without_its_current_is_refused(tmp_path: Path) -> None:
    with Service.open(tmp_path / "data") as service:
        service.write(PutExpression(id="a", expression="a = 1"))
    (tmp_path / "data" / CURRENT).unlink()
    with pytest.raises(DamagedFileError, match=CURRENT):
        Service.open(tmp_path / "data")


FULL = """
import resource, signal, sys
from pathlib import Path
from eligo.service.records import PutExpression
from eligo.service.service import Service
from eligo.service.state.outcome import ReadOnlyError

service = Service.open(sys.argv[1])
service.write(PutExpression(id="a", expression="a = 1"))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = max(path.stat().st_size for path in Path(sys.argv[1], "log").glob("*.log"))
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, resource.RLIM_INFINITY))
for attempt in range(3):
    try:
        service.write(PutExpression(id="b", expression="a = 1"))
    except ReadOnlyError as error:
        print(service.expressions.index.match({"a": 1}), service.seq)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
service.close()
"""


def test_a_disk_that_is_full_ends_the_writing_until_a_restart(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, cwd=REPOSITORY, check=True
    )
    assert done.stdout == "['a'] 1\n" * 3  # also when there is room again
    with Service.open(tmp_path) as service:
        assert service.expressions.index.ids == ["a"]
        service.write(PutExpression(id="b", expression="a = 1"))
