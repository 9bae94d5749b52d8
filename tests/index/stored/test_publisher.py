"""Is nothing lost that was acknowledged, whoever else publishes, and whatever a publication is broken off by?"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import eligo
from disk_cases import array_files
from eligo.errors import InputError, ShrunkIndexError, StorageError, VersionConflictError
from eligo.index.live.live_merge import MOST_DELTAS, first_to_join
from eligo.index.stored import files as index_files
from eligo.storage import directory
from eligo.storage.kept_versions import list_versions


@pytest.fixture
def path(tmp_path: Path) -> Path:
    eligo.build({1: "a = 1", 2: "a = 2", 3: "a = 3"}, engine="scan").save(tmp_path / "i")
    return tmp_path / "i"


class TestOneAfterTheOther:
    def test_the_second_of_two_that_opened_one_version_is_refused(self, path: Path) -> None:
        first, second = eligo.open(path), eligo.open(path)
        first.insert(10, "a = 1")
        second.insert(20, "a = 1")
        assert first.publish(path) == 2
        for publish in (second.publish, second.save):
            with pytest.raises(VersionConflictError, match="version 2, not at version 1 as expected") as caught:
                publish(path)
            assert "open the index again" in caught.value.help and '"any"' in caught.value.help
        assert eligo.open(path).match({"a": 1}) == [1, 10]
        assert second.publish(path, expected_version="any") == 3
        assert eligo.open(path).match({"a": 1}) == [1, 20], "knowingly"
        with pytest.raises(VersionConflictError, match="version 3, not at version 2"):
            first.publish(path)

    def test_an_index_follows_its_own_versions(self, path: Path) -> None:
        index = eligo.open(path)
        for version in (2, 3, 4):
            index.insert(version * 10, "a = 1")
            assert index.publish(path) == version
        assert index.publish(path, expected_version=4) == 5

    def test_one_that_was_never_there_replaces_nothing_in_silence(self, path: Path) -> None:
        index = eligo.build({7: "a = 1", 8: "a = 1"}, engine="scan")
        with pytest.raises(VersionConflictError, match="there is an index"):
            index.save(path)
        with pytest.raises(VersionConflictError):
            index.save(path, expected_version=0)
        index.save(path, expected_version=1)
        index.insert(9, "a = 1")
        index.save(path)
        assert eligo.open(path).ids == [7, 8, 9]

    def test_an_older_version_that_was_opened_is_not_the_live_one(self, path: Path) -> None:
        index = eligo.open(path)
        index.insert(10, "a = 1")
        index.save(path)
        with pytest.raises(VersionConflictError, match="not at version 1"):
            eligo.open(path, version=1).save(path)

    def test_a_directory_is_known_by_every_name(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (path.parent / "link").symlink_to(path)
        monkeypatch.chdir(path.parent)
        index = eligo.open(path.parent / "link")
        for version, name in enumerate((path, path.parent / "link", "i", "./link", str(path) + "/"), 2):
            index.insert(version * 10, "a = 1")
            assert index.publish(name) == version

    def test_what_cannot_be_is_refused_before_anything_is_written(self, path: Path) -> None:
        index = eligo.open(path)
        index.insert(10, "a = 1")
        before = sorted(path.rglob("*"))
        odd: list[dict[str, Any]] = [{"keep_versions": 0}, {"expected_version": "1"}, {"max_shrink": -1}]
        for options in odd:
            with pytest.raises(InputError):
                index.publish(path, **options)
        assert sorted(path.rglob("*")) == before
        assert [manifest.version for manifest in list_versions(path)] == [1]


class TestShrinking:
    def test_the_index_of_another_is_not_replaced_by_nothing(self, path: Path) -> None:
        for kept in ({}, {1: "a = 1"}):
            with pytest.raises(ShrunkIndexError, match=r"of 3 expressions, and at most 50 % may go") as caught:
                eligo.build(kept, engine="scan").save(path, expected_version="any")
            assert "max_shrink" in caught.value.help
        eligo.build({1: "a = 1", 2: "a = 2"}, engine="scan").save(path, expected_version="any")
        eligo.build({}, engine="scan").publish(path, expected_version="any", max_shrink="100%")

    def test_what_one_deletes_oneself_may_go(self, path: Path) -> None:
        index = eligo.open(path)
        for id in (1, 2, 3):
            index.delete(id)
        with pytest.raises(ShrunkIndexError, match="none of 3 expressions, and at most 2 may go"):
            index.publish(path, max_shrink=2)
        assert index.publish(path) == 2

    def test_a_damaged_version_can_be_replaced(self, path: Path) -> None:
        index = eligo.open(path)
        index.insert(10, "a = 1")
        index.save(path)
        for file in (path / "shards").iterdir():
            file.write_bytes(file.read_bytes()[:-64])
        eligo.build({1: "a = 1"}, engine="scan").save(path, expected_version="any")
        assert eligo.open(path).ids == [1]


class TestBrokenOff:
    def test_a_refused_publication_leaves_no_files(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        first, second = eligo.open(path), eligo.open(path)
        first.insert(10, "a = 1")
        second.insert(20, "a = 2")
        staged: list[str] = []

        def publish_first(*arguments: Any, **options: Any) -> Any:
            staged.extend(array_files(path))
            monkeypatch.undo()
            first.publish(path)
            return directory.commit(*arguments, **options)

        monkeypatch.setattr(index_files, "commit", publish_first)
        with pytest.raises(VersionConflictError):
            second.publish(path)
        assert len(staged) > 2, "the files of the second were there"
        assert array_files(path) == sorted({file.path for version in list_versions(path) for file in version.files})
        assert eligo.open(path).ids == [1, 2, 3, 10]

    def test_overwriting_knowingly_goes_on_when_another_comes_in_between(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, second = eligo.open(path), eligo.open(path)
        for id in (1, 2, 3):
            first.replace(id, "a = 9")
        first.merge()
        second.insert(20, "a = 2")

        def publish_first(*arguments: Any, **options: Any) -> Any:
            monkeypatch.undo()
            first.publish(path, keep_versions=1)  # with which the files of version 1 are gone
            return directory.commit(*arguments, **options)

        monkeypatch.setattr(index_files, "commit", publish_first)
        assert second.publish(path, expected_version="any") == 3
        assert eligo.open(path).match({"a": 2}) == [2, 20]

    @pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, StorageError("no")])
    def test_one_that_is_live_although_it_was_broken_off_is_ones_own(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, error: Any
    ) -> None:
        index = eligo.open(path)
        index.insert(10, "a = 1")
        replace_file = directory.replace_file

        def break_off(target: Path, chunks: Any) -> None:
            replace_file(target, chunks)
            raise error

        with monkeypatch.context() as patched, pytest.raises(type(error) if isinstance(error, Exception) else error):
            patched.setattr(directory, "replace_file", break_off)
            index.publish(path)
        assert eligo.open(path).match({"a": 1}) == [1, 10]
        index.insert(11, "a = 1")
        assert index.publish(path) == 3
        assert eligo.open(path).match({"a": 1}) == [1, 10, 11]


def test_threads_that_publish_one_index_take_turns(path: Path) -> None:
    index = eligo.open(path)
    versions: list[int] = []

    def run(number: int) -> None:
        index.insert(100 + number, "a = 1")
        versions.append(index.publish(path))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(versions) == list(range(2, 8))
    assert sorted(eligo.open(path).match({"a": 1})) == [1, *range(100, 106)]


def test_a_child_that_is_forked_while_another_thread_publishes_can_publish(path: Path) -> None:
    index = eligo.open(path)
    inside, done = threading.Event(), threading.Event()

    def hold() -> None:
        with index._publisher._lock:
            inside.set()
            done.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    assert inside.wait(60)
    child = os.fork()
    if child == 0:
        os._exit(index.publish(path))
    _, status = os.waitpid(child, 0)
    done.set()
    thread.join()
    assert os.waitstatus_to_exitcode(status) == 2


WRITER = """
import sys, eligo
from eligo.errors import VersionConflictError
path, writer, retries = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "retry"
print("ready", flush=True)
sys.stdin.readline()
for number in range(10):
    id = writer * 100 + number
    while True:
        index = eligo.open(path)
        index.insert(id, f"a = {id}")
        try:
            index.publish(path)
        except VersionConflictError:
            if retries:
                continue
            print("refused", id)
        else:
            print("published", id)
        break
"""


@pytest.mark.parametrize("how", ["retry", "once"])
def test_what_four_processes_publish_at_once_is_all_there(tmp_path: Path, how: str) -> None:
    path = tmp_path / "i"
    eligo.build({0: "a = 0"}, engine="scan").save(path)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(writer), how],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for writer in range(1, 5)
    ]
    for writer in writers:
        assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    said = [line.split() for writer in writers for line in writer.communicate(timeout=300)[0].splitlines()]
    assert all(writer.returncode == 0 for writer in writers)
    published = sorted(int(id) for what, id in said if what == "published")
    assert len(said) == 40
    assert sorted(eligo.open(path).ids) == [0, *published]
    if how == "retry":
        assert len(published) == 40
    named = {file.path for version in list_versions(path) for file in version.files}
    assert set(array_files(path)) == named, "what the refused have staged is gone"


class TestManyPublications:
    @pytest.mark.parametrize("total", [100, pytest.param(400, marks=pytest.mark.long)])
    def test_what_is_written_stays_bounded(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, total: int) -> None:
        """A publication for each insert: every expression is written a few times, and what is superseded goes."""
        monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # of which there are thousands
        path = tmp_path / "i"
        index = eligo.build({0: "a = 0"}, engine="scan", merge_at=None)
        sizes: dict[int, tuple[int, int]] = {}
        frozen: list[int] = []
        freeze = index._live._freeze

        def counted(ids: Any, texts: Any) -> Any:
            frozen.append(len(ids))
            return freeze(ids, texts)

        index._live._freeze = counted
        for number in range(1, total + 1):
            index.insert(number, f"a = {number} and b in ({number}, {number + 1})")
            assert index.publish(path) == number
            assert index._live.state.num_in_tail == 0, "what was published is in parts"
            if number % (total // 20) == 0:
                files = [file.stat() for file in path.rglob("*.eligo")]
                sizes[number] = (sum(file.st_size for file in files), len(files))
        assert sum(frozen) <= total * 10, "an expression is frozen anew each time that its part doubles"
        assert max(count for _, count in sizes.values()) <= 10 * 12, "ten versions of a few parts are kept"
        (early_bytes, _), (last_bytes, last_files) = sizes[total // 4], sizes[total]
        assert last_bytes < 8 * early_bytes, "four times the expressions; by the square it would be sixteen"
        named = {file.path for version in list_versions(path) for file in version.files}
        assert set(array_files(path)) == named and last_files == len(named)
        opened = eligo.open(path)
        assert opened.ids == index.ids == list(range(total + 1))
        assert len(opened.parts) <= MOST_DELTAS + 1
        assert opened.match({"a": 7, "b": 8}) == index.match({"a": 7, "b": 8}) == [7]

    def test_with_replacing_and_deleting(self, tmp_path: Path) -> None:
        path = tmp_path / "i"
        rng = random.Random(7)
        model = {number: f"a = {number % 5}" for number in range(30)}
        index = eligo.build(model, engine="scan", merge_at=None)
        for step in range(40):
            for _ in range(rng.randrange(1, 4)):
                id = rng.randrange(60)
                if id in model and rng.random() < 0.4:
                    index.delete(id)
                    del model[id]
                else:
                    model.pop(id, None)
                    model[id] = f"a = {rng.randrange(5)}"
                    index.replace(id, model[id])
            if step % 9 == 0:
                index.merge()
            index.publish(path)
            if step % 7 == 0:
                index = eligo.open(path, merge_at=None)
            assert index.ids == list(model) == eligo.open(path).ids
            assert len(index) == len(model) == index.stats().num_live
            for value in range(5):
                expected = [id for id, text in model.items() if text == f"a = {value}"]
                assert index.match({"a": value}) == eligo.open(path).match({"a": value}) == expected

    def test_while_others_write(self, tmp_path: Path) -> None:
        """What comes while parts are frozen anew is there afterwards, and what goes is gone; so on disk, one later."""
        path = tmp_path / "i"
        index = eligo.build({number: "a = 1" for number in range(1, 10)} | {0: "a = 0"}, engine="scan", merge_at=None)
        for first in (10, 20):
            index.publish(path)
            for number in range(first, first + 10):
                index.insert(number, "a = 1")
        freeze = index._live._freeze

        def busy(ids: Any, texts: Any) -> Any:
            if len(ids) == 10:
                return freeze(ids, texts)  # the tail, which becomes a part first
            index._live._freeze = freeze
            index.insert(100, "a = 1")  # new
            index.replace(25, "a = 2")  # of the parts that are being frozen
            index.delete(26)
            index.replace(3, "a = 2")  # of another part
            index.delete(4)
            return freeze(ids, texts)

        index._live._freeze = busy
        index.publish(path)
        assert sorted(eligo.open(path).ids) == list(range(30)), "the moment at which it was frozen"
        now = [*range(1, 10), 0, *range(10, 30)]
        now = [id for id in now if id not in (25, 26, 3, 4)] + [100, 25, 3]
        assert index.ids == now and len(index) == len(now)
        assert index.match({"a": 2}) == [25, 3]
        index.publish(path)
        assert eligo.open(path).ids == now
        index.merge()
        assert index.ids == now and index.stats().num_dead == 0

    def test_a_merge_that_is_asked_for_meanwhile_is_of_all(self, tmp_path: Path) -> None:
        index = eligo.build({0: "a = 0"}, engine="scan", merge_at=None)
        index.insert(1, "a = 1")
        freeze = index._live._freeze
        merges: list[Any] = []

        def busy(ids: Any, texts: Any) -> Any:
            index._live._freeze = freeze
            merges.append(index.merge(background=True))
            return freeze(ids, texts)

        index._live._freeze = busy
        index.publish(tmp_path / "i")
        merges[0].result(timeout=60)
        assert len(index.parts) == 1 and index.ids == [0, 1]


@pytest.mark.parametrize(
    ("sizes", "num_new", "first"),
    [
        ([100], 1, 1),
        ([100, 8, 4, 2], 1, 4),
        ([100, 8, 4, 2], 3, 1),
        ([100, 1], 1, 1),
        ([100, 2], 1, 2),
        ([0], 5, 0),
        ([0, 3], 5, 0),
        ([5, 1], 9, 1),
        ([9, *(4**power for power in range(12, 4, -1))], 1, 8),
    ],
)
def test_which_parts_are_frozen_anew(sizes: list[int], num_new: int, first: int) -> None:
    assert first_to_join(sizes, num_new) == first
