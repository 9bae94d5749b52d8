"""Do the rules of publishing hold wherever an index is? Who wins, what a reader sees, what is kept, what is left."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest

import eligo
from eligo.errors import ForeignFileError, ShrunkIndexError, StorageError, VersionConflictError
from eligo.storage.kept_versions import list_versions, read_version
from eligo.storage.manifest import read_manifest
from eligo.storage.remote.remote_files import YOUNG_SECONDS
from eligo.storage.retention import GRACE_SECONDS, remove_unreferenced
from eligo.storage.rollback import rollback
from eligo.stores.address import Address, place
from eligo.stores.store import store_of
from store_places import SECRET, S3Server

EXPRESSIONS = {1: "a = 1", 2: "a = 2", 3: "a = 3"}


@pytest.fixture
def published(home: str) -> str:
    eligo.build(EXPRESSIONS, engine="scan").save(home)
    return home


def numbers(home: str) -> list[int]:
    return [manifest.version for manifest in list_versions(home)]


class TestWhoWins:
    def test_the_second_of_two_that_opened_one_version_is_refused(self, published: str) -> None:
        first, second = eligo.open(published), eligo.open(published)
        first.insert(10, "a = 1")
        second.insert(20, "a = 1")
        assert first.publish(published) == 2
        for publish in (second.publish, second.save):
            with pytest.raises(VersionConflictError, match="version 2, not at version 1 as expected") as caught:
                publish(published)
            assert "open the index again" in caught.value.help
        assert eligo.open(published).match({"a": 1}) == [1, 10]
        assert second.publish(published, expected_version="any") == 3
        assert eligo.open(published).match({"a": 1}) == [1, 20], "knowingly"

    def test_an_index_follows_its_own_versions(self, published: str) -> None:
        index = eligo.open(published)
        for version in (2, 3, 4):
            index.insert(version * 10, "a = 1")
            assert index.publish(published) == version
        assert index.publish(published, expected_version=4) == 5

    def test_one_that_was_never_there_replaces_nothing_in_silence(self, published: str) -> None:
        index = eligo.build({7: "a = 1", 8: "a = 1"}, engine="scan")
        with pytest.raises(VersionConflictError, match="there is an index"):
            index.save(published)
        index.save(published, expected_version=1)
        assert eligo.open(published).ids == [7, 8]

    def test_a_shrunken_index_is_refused(self, published: str) -> None:
        with pytest.raises(ShrunkIndexError, match="of 3 expressions"):
            eligo.build({}, engine="scan").save(published, expected_version="any")
        assert numbers(published) == [1]


class TestWhatAReaderSees:
    def test_each_version_as_it_was(self, published: str) -> None:
        index = eligo.open(published)
        index.insert(4, "a = 1")
        index.delete(2)
        index.publish(published)
        assert eligo.open(published).ids == [1, 3, 4]
        assert eligo.open(published, version=1).ids == [1, 2, 3]
        assert read_version(published, 2) == read_manifest(published)
        with pytest.raises(StorageError, match=r"version 3 .* has not been published") as caught:
            eligo.open(published, version=3)
        assert caught.value.help == "there is 1, 2; 2 is live"

    def test_what_is_open_stays_when_its_version_goes(self, published: str) -> None:
        opened = eligo.open(published)
        other = eligo.build({9: "a = 1", 8: "a = 1"}, engine="scan")
        other.publish(published, expected_version=1, keep_versions=1)
        remove_unreferenced(published, keep_versions=1, grace_seconds=-10)
        assert opened.match({"a": 1}) == [1] and eligo.open(published).match({"a": 1}) == [9, 8]

    def test_verify_reads_what_is_there(self, published: str) -> None:
        eligo.open(published)
        assert eligo.verify(published, deep=True).is_whole
        file = place(published) / read_manifest(published).shards[0].path
        if isinstance(file, Address):
            data = bytearray(store_of(file).read(file.key))
            data[-100] ^= 1
            store_of(file).put(file.key, [bytes(data)])
        else:
            data = bytearray(file.read_bytes())
            data[-100] ^= 1
            file.write_bytes(data)
        [problem, *_] = eligo.verify(published, deep=True).problems
        assert problem.path == file

    def test_nothing_is_no_index(self, home: str) -> None:
        with pytest.raises(StorageError):
            eligo.open(home)


def require_same_matches(home: str, num_events: int) -> None:
    random = Random(15)
    index = eligo.build({id: f"a in ({id % 50}, {id % 7}) and b >= {id % 90}" for id in range(500)}, engine="scan")
    events = pa.table({name: [random.randrange(100) for _ in range(num_events)] for name in ("a", "b")})
    index.save(home)
    found, expected = eligo.open(home).match_batch(events), index.match_batch(events)
    assert np.array_equal(found.offsets, expected.offsets) and np.array_equal(found.positions, expected.positions)
    assert len(found.positions) > num_events


def test_events_have_the_same_matches(home: str) -> None:
    require_same_matches(home, 2_000)


@pytest.mark.long
def test_50_000_events_have_the_same_matches(home: str) -> None:
    require_same_matches(home, 50_000)


class TestWhatIsKept:
    def test_versions_beyond_those_to_keep_go(self, published: str) -> None:
        index = eligo.open(published)
        for number in range(5):
            index.insert(10 + number, "a = 1")
            index.publish(published, keep_versions=3)
        assert numbers(published) == [4, 5, 6]
        with pytest.raises(StorageError, match="no longer kept"):
            eligo.open(published, version=2)
        remove_unreferenced(published, keep_versions=1)
        assert numbers(published) == [6] and eligo.open(published).ids == [1, 2, 3, 10, 11, 12, 13, 14]

    def test_files_of_kept_versions_stay_and_others_go(self, published: str) -> None:
        index = eligo.open(published)
        index.insert(10, "a = 1")
        index.merge()
        index.publish(published)
        assert remove_unreferenced(published, keep_versions=2, grace_seconds=-10) == ()
        assert eligo.verify(published).is_whole
        removed = remove_unreferenced(published, keep_versions=1, grace_seconds=-10)
        assert "versions/1.json" in removed and any(name.startswith("shards/") for name in removed)
        assert eligo.verify(published).is_whole and eligo.open(published).ids == [1, 2, 3, 10]

    def test_an_earlier_version_comes_back(self, published: str) -> None:
        index = eligo.open(published)
        index.insert(10, "a = 1")
        index.publish(published)
        assert rollback(published) == 3 and eligo.open(published).ids == [1, 2, 3]
        assert rollback(published) == 4 and eligo.open(published).ids == [1, 2, 3, 10]
        with pytest.raises(VersionConflictError):
            rollback(published, expected_version=2)


class TestInAStore:
    def test_the_number_of_a_version_that_is_gone_is_not_taken_again(self, store_home: str) -> None:
        home = store_home
        index = eligo.build(EXPRESSIONS, engine="scan")
        for number in range(3):
            index.insert(10 + number, "a = 1")
            index.publish(home, keep_versions=1)
        gone = place(home)
        assert isinstance(gone, Address)
        assert not store_of(gone).create((gone / "versions" / "1.json").key, b"of one who was held up")
        assert numbers(home) == [3]
        remove_unreferenced(home, keep_versions=1, grace_seconds=-10)
        assert numbers(home) == [3]

    def test_an_index_that_was_copied_from_a_disk_is_one(self, store_home: str, tmp_path: Path) -> None:
        index = eligo.build(EXPRESSIONS, engine="scan")
        index.save(tmp_path / "i")
        index.insert(10, "a = 1")
        index.save(tmp_path / "i")
        home = place(store_home)
        assert isinstance(home, Address)
        for file in (tmp_path / "i").rglob("*"):
            if file.is_file():
                store_of(home).put((home / file.relative_to(tmp_path / "i").as_posix()).key, [file.read_bytes()])
        copied = eligo.open(str(home))
        assert copied.ids == [1, 2, 3, 10] and numbers(str(home)) == [1, 2]
        copied.insert(11, "a = 1")
        assert copied.publish(str(home)) == 3 and numbers(str(home)) == [1, 2, 3]

    def test_an_index_that_is_copied_to_a_disk_is_one(self, store_home: str, tmp_path: Path) -> None:
        text = store_home
        index = eligo.build(EXPRESSIONS, engine="scan")
        index.save(text)
        index.insert(10, "a = 1")
        index.save(text)
        home = place(text)
        assert isinstance(home, Address)
        for found in store_of(home).list(home.prefix):
            file = tmp_path / "i" / found.key.removeprefix(home.prefix)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(store_of(home).read(found.key))
        copied = eligo.open(tmp_path / "i")
        assert copied.ids == [1, 2, 3, 10] and eligo.open(tmp_path / "i", version=1).ids == [1, 2, 3]
        copied.insert(11, "a = 1")
        assert copied.publish(tmp_path / "i") == 3

    def test_a_hint_that_lags_behind_misleads_no_one(self, store_home: str) -> None:
        text = store_home
        home = place(text)
        assert isinstance(home, Address)
        index = eligo.build(EXPRESSIONS, engine="scan")
        index.save(text)
        first = store_of(home).read((home / "manifest.json").key)
        index.insert(10, "a = 1")
        index.save(text)
        store_of(home).put((home / "manifest.json").key, [first])
        assert eligo.open(text).ids == [1, 2, 3, 10]
        store_of(home).delete([(home / "manifest.json").key])
        assert eligo.open(text).ids == [1, 2, 3, 10]

    def test_a_lost_answer_to_one_s_own_creation_is_no_conflict(
        self, store_home: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        text = store_home
        home = place(text)
        assert isinstance(home, Address)
        store = store_of(home)
        create = type(store).create

        def created_twice(self: object, key: str, data: bytes) -> bool:
            create(self, key, data)  # type: ignore[arg-type]
            return create(self, key, data)  # type: ignore[arg-type]

        monkeypatch.setattr(type(store), "create", created_twice)
        assert eligo.build(EXPRESSIONS, engine="scan").publish(text) == 1
        assert numbers(text) == [1]

    @pytest.mark.parametrize("content", [b"{", b"{}", b"\0" * 300], ids=("cut", "foreign", "zeros"))
    def test_verify_names_the_version_that_is_no_manifest(self, store_home: str, content: bytes) -> None:
        eligo.build(EXPRESSIONS, engine="scan").save(store_home)
        home = place(store_home)
        assert isinstance(home, Address)
        bad = home / "versions/2.json"
        store_of(home).put(bad.key, [content])
        found = eligo.verify(store_home)
        assert [problem.path for problem in found.problems] == [bad] and found.versions == (1,)
        store_of(home).delete([bad.key, (home / "versions/1.json").key])
        store_of(home).put((home / "manifest.json").key, [content])
        if content == b"{":
            assert [problem.path for problem in eligo.verify(store_home).problems] == [home / "manifest.json"]

    def test_strangers_are_left_alone(self, store_home: str) -> None:
        text = store_home
        home = place(text)
        assert isinstance(home, Address)
        store_of(home).put((home / "holiday.jpg").key, [b"x"])
        with pytest.raises(StorageError, match=r"holds other files, such as 'holiday.jpg'"):
            eligo.build(EXPRESSIONS, engine="scan").save(text)
        with pytest.raises(ForeignFileError):
            eligo.open(text)
        assert [found.key for found in store_of(home).list(home.prefix)] == [(home / "holiday.jpg").key]

    def test_no_secret_is_written_or_told(
        self, store_home: str, s3: S3Server, capfd: pytest.CaptureFixture[str]
    ) -> None:
        text = store_home
        index = eligo.build(EXPRESSIONS, engine="scan")
        index.save(text)
        home = place(text)
        assert isinstance(home, Address)
        store = store_of(home)
        told = [repr(store), repr(vars(store)), repr(home), repr(eligo.verify(text)), json.dumps(numbers(text))]
        told += [store.read(found.key).decode("latin-1") for found in store.list(home.prefix)]
        with pytest.raises(StorageError) as caught:
            eligo.open("s3://no-such-bucket/x")
        told += [str(caught.value), repr(caught.value), *capfd.readouterr()]
        assert not any(SECRET in text for text in told)

    def test_files_are_renewed_well_before_they_may_go(self) -> None:
        assert 2 * YOUNG_SECONDS == GRACE_SECONDS
