"""When HDFS does what it is asked, and its answer is lost: is that known from what is there?"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import eligo
from eligo.errors import StorageError
from eligo.storage.kept_versions import list_versions
from eligo.stores.address import Address, place
from eligo.stores.given_options import set_store_options
from eligo.stores.store import store_of
from hdfs_cluster import HdfsCluster
from lost_answers import LosingAnswers, losing_answers

pytestmark = pytest.mark.long


@pytest.fixture
def between(hdfs: HdfsCluster) -> Iterator[LosingAnswers]:
    with losing_answers(hdfs.port) as listener:
        yield listener


@pytest.fixture(params=["one name node", "two name nodes"])
def home(request: pytest.FixtureRequest, between: LosingAnswers, hdfs: HdfsCluster) -> Iterator[Address]:
    """Of two name nodes, the second is asked once more what the first gave no answer to."""
    if request.param == "one name node":
        yield address(hdfs.new_home().replace(f":{hdfs.port}/", f":{between.port}/"))
        return
    top = f"hdfs://cluster-{between.port}"
    options = {
        "dfs.nameservices": f"cluster-{between.port}",
        f"dfs.ha.namenodes.cluster-{between.port}": "first,second",
        f"dfs.namenode.rpc-address.cluster-{between.port}.first": f"127.0.0.1:{between.port}",
        f"dfs.namenode.rpc-address.cluster-{between.port}.second": f"127.0.0.1:{hdfs.port}",
    }
    set_store_options(top, options)
    yield address(hdfs.new_home().replace(f"hdfs://127.0.0.1:{hdfs.port}", top))
    set_store_options(top, None)


def address(text: str) -> Address:
    found = place(text)
    assert isinstance(found, Address)
    return found


def test_a_file_was_created_although_the_answer_is_lost(home: Address, between: LosingAnswers) -> None:
    store = store_of(home)
    between.lose(b"rename")
    assert store.create(home.key, b"first") and between.num_lost == 1
    assert store.read(home.key) == b"first"


def test_a_file_of_another_is_not_ours_although_the_answer_is_lost(home: Address, between: LosingAnswers) -> None:
    store = store_of(home)
    assert store.create(home.key, b"first")
    between.lose(b"rename")
    assert not store.create(home.key, b"second") and between.num_lost == 1
    assert store.read(home.key) == b"first"


def test_what_cannot_be_created_is_refused(home: Address) -> None:
    store = store_of(home)
    assert store.create(home.key, b"first")
    with pytest.raises(StorageError, match="cannot create"):
        store.create(f"{home.key}/below", b"third")


def test_a_lost_answer_to_a_publication_is_no_conflict(home: Address, between: LosingAnswers) -> None:
    index = eligo.build({1: "a = 1", 2: "a = 2"}, engine="scan")
    index.publish(str(home))
    index.insert(3, "a = 1")
    # The name of the manifest stands in the request that renames it.
    between.lose(b"/versions/2.json")
    assert index.publish(str(home)) == 2 and between.num_lost == 1
    assert [manifest.version for manifest in list_versions(home)] == [1, 2]
    assert eligo.open(str(home)).match({"a": 1}) == [1, 3]
