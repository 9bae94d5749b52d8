"""Can each store do what all stores can, and does it say what it cannot?"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import pytest

from eligo.errors import StorageError
from eligo.stores.address import Address, place
from eligo.stores.remote_file import RemoteFile
from eligo.stores.store import store_of
from store_places import S3Server


@pytest.fixture
def top(store_home: str) -> Address:
    found = place(store_home)
    assert isinstance(found, Address)
    return found


def test_files_are_put_read_listed_and_removed(top: Address) -> None:
    store = store_of(top)
    key = (top / "a.bin").key
    assert store.status(key) is None and list(store.list(top.prefix)) == []
    with pytest.raises(FileNotFoundError):
        store.read(key)
    with pytest.raises(FileNotFoundError):
        store.read_range(key, 0, 1)
    store.put(key, [b"hel", memoryview(b"lo")])
    store.put((top / "b/c.bin").key, [])
    assert store.read(key) == b"hello" and store.read_range(key, 1, 3) == b"ell"
    assert store.read((top / "b/c.bin").key) == b""
    assert sorted(found.key for found in store.list(top.prefix)) == [key, (top / "b/c.bin").key]
    store.delete([key, (top / "none").key])
    store.delete([key])
    assert [found.key for found in store.list(top.prefix)] == [(top / "b/c.bin").key]


def test_a_large_file_goes_up_in_parts(top: Address) -> None:
    data = os.urandom(20_000_000)
    store_of(top).put(top.key, [data[:1], data[1:]])
    assert store_of(top).read_range(top.key, 7_999_990, 100) == data[7_999_990:8_000_090]
    status = store_of(top).status(top.key)
    assert status is not None and status.num_bytes == len(data)


def test_creation_is_refused_where_there_is_one(top: Address) -> None:
    assert store_of(top).create(top.key, b"first")
    assert not store_of(top).create(top.key, b"second")
    assert store_of(top).read(top.key) == b"first"


def test_a_bucket_that_is_not_there_is_told_by_its_name(s3: S3Server) -> None:
    top = Address("s3", "eligo-no-such-bucket", "")
    store = store_of(top)
    for ask in (lambda: store.create("a", b"1"), lambda: store.put("a", [b"1"]), lambda: list(store.list("a/"))):
        with pytest.raises(StorageError, match=f"cannot [a-z]+ {top}.*: NoSuchBucket: "):
            ask()
    with pytest.raises(FileNotFoundError) as caught:
        store.move("a", "b")
    assert str(caught.value) == f"{top}a", "nothing else of the answer is shown"


def test_a_file_object_reads_ranges(top: Address) -> None:
    store_of(top).put(top.key, [bytes(range(100))])
    file = RemoteFile(top)
    assert (file.seek(-10, os.SEEK_END), file.read(4), file.tell()) == (90, bytes(range(90, 94)), 94)
    file.seek(0)
    assert file.read() == bytes(range(100)) and file.read(5) == b""


def test_a_forked_process_is_told_instead_of_waiting_for_ever(top: Address) -> None:
    store_of(top).put(top.key, [b"x"])
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # later versions of Python warn of what is tested here
        child = os.fork()
    if child == 0:
        try:
            store_of(top).read(top.key)
        except StorageError as error:
            os.write(writing, error.message.encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as told:
        assert "forked" in told.read()


def test_without_the_library_an_address_names_the_extra() -> None:
    script = """
import sys
import warnings
sys.modules["obstore"] = sys.modules["hdfs_native"] = None
import eligo
from eligo.errors import MissingExtraError
for address in ("s3://bucket/x", "hdfs://node:1/x"):
    try:
        eligo.open(address)
    except MissingExtraError as error:
        print(error.help)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.stdout == "install it: pip install 'eligo[stores]'\n" * 2, ended.stderr
