"""Does a machine download a file once, whoever asks, whatever is killed, and keep no more than it may?"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import eligo
from eligo.errors import DamagedFileError, InputError, StorageError
from eligo.storage.manifest import read_manifest
from eligo.stores import download as downloads
from eligo.stores.address import Address, place
from eligo.stores.cache_room import locked
from eligo.stores.download import Fetched, listening
from eligo.stores.host_cache import cached_files, directory, fetched
from eligo.stores.store import store_of
from store_places import S3Server


@pytest.fixture(autouse=True)
def cache(s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ELIGO_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def put(s3: S3Server, data: bytes) -> tuple[Address, str]:
    address = place(s3.new_home())
    assert isinstance(address, Address)
    store_of(address).put(address.key, [data])
    return address, hashlib.sha256(data).hexdigest()


def test_a_second_opening_downloads_nothing(s3: S3Server) -> None:
    home = s3.new_home()
    eligo.build({1: "a = 1", 2: "a = 2"}, engine="scan").save(home)
    files = {entry.sha256 for entry in read_manifest(home).files}
    assert eligo.open(home).match({"a": 1}) == [1]
    before = s3.requests("GET", r"\.eligo")
    assert before >= len(files)
    assert eligo.open(home).match({"a": 2}) == [2]
    assert s3.requests("GET", r"\.eligo") == before
    assert {file.sha256 for file in cached_files()} == files


OPENED = """
import sys, eligo
sys.stdin.readline()
print(eligo.open(sys.argv[1]).match({"a": 1}))
"""


def test_ten_processes_of_a_machine_download_once(s3: S3Server) -> None:
    home = s3.new_home()
    eligo.build({1: "a = 1", 2: "a = 2"}, engine="scan").save(home)
    num_files = len(read_manifest(home).files)
    processes = [
        subprocess.Popen([sys.executable, "-c", OPENED, home], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(10)
    ]
    key = home.removeprefix("s3://")
    before = s3.requests("GET", rf"{key}/\w+/\w+\.eligo")
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=300)[0] for process in processes]
    assert answers == [b"[1]\n"] * 10
    assert s3.requests("GET", rf"{key}/\w+/\w+\.eligo") - before == num_files


def test_ranges_come_several_at_a_time_and_are_told(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "RANGE_BYTES", 1000)
    data = os.urandom(10_500)
    address, sha256 = put(s3, data)
    told: list[Fetched] = []
    with listening(told.append):
        path = fetched(address, sha256, len(data))
    assert path.read_bytes() == data
    assert [each.num_done for each in told] == [*range(1000, 10_001, 1000), 10_500]


def test_what_was_used_least_recently_goes(s3: S3Server, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELIGO_CACHE_BYTES", "2500")
    files = [put(s3, bytes([number]) * 1000) for number in range(3)]
    for place_of_file, sha256 in files[:2]:
        fetched(place_of_file, sha256, 1000)
        time.sleep(0.02)
    mapped = fetched(*files[0], 1000).open("rb")  # which makes the second the least recent
    fetched(*files[2], 1000)
    assert [file.sha256 for file in cached_files()] == [files[0][1], files[2][1]]
    fetched(*files[1], 1000)
    assert [file.sha256 for file in cached_files()] == [files[2][1], files[1][1]]
    with mapped:
        assert mapped.read() == bytes(1000), "who has it open keeps it"
    monkeypatch.setenv("ELIGO_CACHE_BYTES", "much")
    with pytest.raises(InputError, match="ELIGO_CACHE_BYTES"):
        fetched(*files[0], 1000)


def test_another_content_is_refused_and_not_kept(s3: S3Server, cache: Path) -> None:
    address, _ = put(s3, b"x" * 100)
    wrong = hashlib.sha256(b"y" * 100).hexdigest()
    with pytest.raises(DamagedFileError, match="not what it is named by"):
        fetched(address, wrong, 100)
    assert not (cache / f"{wrong}.eligo").exists()


def test_a_copy_that_was_damaged_is_fetched_again(s3: S3Server, cache: Path) -> None:
    home = s3.new_home()
    eligo.build({1: "a = 1", 2: "a = 2"}, engine="scan").save(home)
    eligo.open(home)
    for file in cache.glob("*.eligo"):
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.chmod(0o600)
        file.write_bytes(data)
    assert eligo.open(home).match({"a": 1}) == [1]


KILLED = """
import os, signal, sys
from eligo.stores import download
from eligo.stores.address import place
from eligo.stores.host_cache import fetched
download.RANGE_BYTES = 1000
with download.listening(lambda told: os.kill(os.getpid(), signal.SIGKILL) if told.num_done > 3000 else None):
    fetched(place(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
"""


def test_a_killed_download_leaves_nothing_in_the_way(s3: S3Server, cache: Path) -> None:
    data = os.urandom(9000)
    address, sha256 = put(s3, data)
    ended = subprocess.run([sys.executable, "-c", KILLED, str(address), sha256, str(len(data))])
    assert ended.returncode == -9 and not (cache / f"{sha256}.eligo").exists()
    assert fetched(address, sha256, len(data)).read_bytes() == data
    assert not (cache / f"{sha256}.part").exists()


KILLED_BEFORE_THE_RENAME = """
import os, signal, sys
from eligo.stores.address import place
from eligo.stores.host_cache import fetched
from eligo.stores.object_store import ObjectStore
if os.geteuid() == 0:
    os.setuid(65534)  # to root, no permission is missing
if sys.argv[4] == "killed":
    os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
print(len(fetched(place(sys.argv[1]), sys.argv[2], int(sys.argv[3])).read_bytes()))
"""


def test_a_part_that_is_read_only_already_is_not_in_the_way(s3: S3Server, cache: Path) -> None:
    data = os.urandom(9000)
    address, sha256 = put(s3, data)
    cache.mkdir()
    if os.geteuid() == 0:
        os.chown(cache, 65534, 65534)
    environment = {**os.environ, "ELIGO_CACHE": "."}  # directories above are closed to another user

    def run(how: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", KILLED_BEFORE_THE_RENAME, str(address), sha256, str(len(data)), how]
        return subprocess.run(command, cwd=cache, env=environment, capture_output=True, text=True)

    assert run("killed").returncode == -9
    assert (cache / f"{sha256}.part").stat().st_mode & 0o777 == 0o400
    again = run("whole")
    assert again.stdout == "9000\n", again.stderr
    assert not (cache / f"{sha256}.part").exists()


def test_what_killed_downloads_left_goes_with_the_next(s3: S3Server, cache: Path) -> None:
    data = os.urandom(9000)
    address, sha256 = put(s3, data)
    subprocess.run([sys.executable, "-c", KILLED, str(address), sha256, str(len(data))])
    assert (cache / f"{sha256}.part").stat().st_size == 9000
    other, of_other = put(s3, b"x" * 100)
    fetched(other, of_other, 100)
    assert not list(cache.glob(f"{sha256}.*"))


def test_what_is_removed_leaves_no_lock(s3: S3Server, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELIGO_CACHE_BYTES", "2500")
    files = [put(s3, bytes([number]) * 1000) for number in range(5)]
    for place_of_file, sha256 in files:
        fetched(place_of_file, sha256, 1000)
    wrong = hashlib.sha256(b"another").hexdigest()
    with pytest.raises(DamagedFileError):
        fetched(files[0][0], wrong, 1000)
    fetched(*files[0], 1000)
    kept = {file.sha256 for file in cached_files()}
    assert len(kept) == 2
    assert {path.stem for path in cache.iterdir() if not path.stem.startswith("room-")} == kept


@contextmanager
def coming(address: Address, sha256: str, num_bytes: int) -> Iterator[None]:
    """A file all of whose bytes are there, and which has no name until the block ends."""
    is_here, may_go = threading.Event(), threading.Event()

    def wait(_: Fetched) -> None:
        is_here.set()
        may_go.wait(60)

    def fetch() -> None:
        with listening(wait):
            fetched(address, sha256, num_bytes)

    thread = threading.Thread(target=fetch)
    thread.start()
    assert is_here.wait(60)
    try:
        yield
    finally:
        may_go.set()
        thread.join(60)


def test_files_that_come_at_once_make_room_for_each_other(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELIGO_CACHE_BYTES", "2500")
    files = [put(s3, bytes([number]) * 1000) for number in range(3)]
    fetched(*files[0], 1000)
    with coming(*files[1], 1000):
        fetched(*files[2], 1000)
        assert [file.sha256 for file in cached_files()] == [files[2][1]]
    assert [file.sha256 for file in cached_files()] == [files[2][1], files[1][1]]


def test_files_that_come_at_once_and_are_too_large_together(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELIGO_CACHE_BYTES", "1500")
    files = [put(s3, bytes([number]) * 1000) for number in range(2)]
    with coming(*files[0], 1000):
        fetched(*files[1], 1000)
    assert [file.sha256 for file in cached_files()] == [files[0][1]]


def test_no_two_hold_a_lock_whose_file_was_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    is_in, waits = threading.Event(), threading.Event()

    def enter() -> None:
        waits.set()
        with locked(path):
            is_in.set()

    thread = threading.Thread(target=enter)
    with ExitStack() as second:
        with locked(path):
            thread.start()
            assert waits.wait(60)
            time.sleep(0.2)  # in which it opens the file that is there now
            path.unlink()
            second.enter_context(locked(path))
        assert not is_in.wait(0.5)
    thread.join(60)
    assert is_in.is_set()


def test_the_directory_is_one_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ELIGO_CACHE", "s3://bucket/cache")
    with pytest.raises(InputError, match="ELIGO_CACHE is an address of s3://"):
        directory()
    assert os.listdir(tmp_path) == []


def test_a_temporary_directory_that_others_can_write_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.delenv("ELIGO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    own = tmp_path / f"eligo-files-{os.geteuid()}"
    assert directory() == own and own.stat().st_mode & 0o777 == 0o700
    own.chmod(0o777)
    with pytest.raises(StorageError, match="no directory for files of stores") as caught:
        directory()
    assert "ELIGO_CACHE" in caught.value.help
    own.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    own.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match="no directory for files of stores"):
        directory()
