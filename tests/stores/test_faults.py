"""When a store is silent, hangs up, is busy or refuses: does everything end in time, and is no secret told?"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import eligo
from eligo.errors import InputError, StorageError
from eligo.storage.kept_versions import list_versions
from eligo.stores import store as stores
from eligo.stores.patience import VARIABLE, seconds
from faulty_store import (
    Fault,
    FaultyStore,
    cut_answer,
    dripping,
    faulty_store,
    lost_answer,
    lost_request,
    refusing,
    silent,
)
from store_places import SECRET, S3Server


@pytest.fixture
def faults(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyStore]:
    """What the environment leads to: the server, behind one that breaks requests."""
    with faulty_store(s3.endpoint) as between:
        monkeypatch.setenv("AWS_ENDPOINT_URL", between.endpoint)
        monkeypatch.setenv(VARIABLE, "1")
        stores._store.cache_clear()
        yield between
    stores._store.cache_clear()


@pytest.fixture
def home(faults: FaultyStore, s3: S3Server) -> str:
    place = s3.new_home()
    eligo.build({1: "a = 1", 2: "a = 2"}, engine="scan").save(place)
    return place


@pytest.mark.parametrize("fault", [cut_answer, lost_request, refusing(503, "SlowDown"), refusing(500, "InternalError")])
@pytest.mark.parametrize("pattern", ["list-type", r"\.json", r"\.eligo"])
def test_what_fails_once_is_asked_again(home: str, faults: FaultyStore, fault: Fault, pattern: str) -> None:
    faults.when("GET", pattern, fault)
    assert eligo.open(home).match({"a": 1}) == [1]
    if pattern != r"\.eligo":
        assert faults.num_broken == 1


@pytest.mark.parametrize("fault", [silent, dripping, lost_request, refusing(503, "SlowDown")])
def test_nothing_waits_for_ever(home: str, faults: FaultyStore, fault: Fault) -> None:
    faults.when("*", ".", fault, times=None)
    for ask in (eligo.open, eligo.verify):
        with pytest.raises(StorageError, match="cannot "):
            ask(home)


def test_a_lost_answer_to_a_publication_is_no_conflict(home: str, faults: FaultyStore) -> None:
    index = eligo.open(home)
    index.insert(3, "a = 1")
    faults.when("PUT", r"versions/2\.json", lost_answer)
    assert index.publish(home) == 2 and faults.num_broken == 1
    assert [manifest.version for manifest in list_versions(home)] == [1, 2]
    assert eligo.open(home).match({"a": 1}) == [1, 3]


@pytest.mark.parametrize("pattern", [r"shards/|vocabulary/|\.eligo", r"versions/2\.json"])
def test_credentials_that_expire_meanwhile_leave_the_old_version(
    home: str, faults: FaultyStore, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", "planted-token-77aa")
    more = f"<Token-0>planted-token-77aa</Token-0><Key>{SECRET}</Key>"
    index = eligo.open(home)
    index.insert(3, "a = 1")
    faults.when("PUT", pattern, refusing(403, "ExpiredToken", f"The token {SECRET} has expired.", more), times=None)
    with pytest.raises(StorageError, match="ExpiredToken") as caught:
        index.publish(home)
    assert "renew them" in caught.value.help
    assert SECRET not in str(caught.value) and "planted" not in str(caught.value)
    faults.heal()
    assert eligo.open(home).ids == [1, 2] and eligo.verify(home).is_whole
    assert index.publish(home) == 2


@pytest.mark.parametrize("given", ["0", "-1", "soon", "1.5", "100000"])
def test_seconds_are_a_number(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, given)
    with pytest.raises(InputError, match=VARIABLE):
        seconds()
