"""Does the lock go when its holder is done, whoever was forked meanwhile? Is it on no file but the index's own?"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.siege.fault_points import Injector, boundaries
from eligo.errors import ForeignFileError, StorageError
from eligo.storage import publish_lock as module
from eligo.storage.publish_lock import publish_lock


def is_free(index: Path) -> bool:
    try:
        with publish_lock(index, timeout_seconds=0):
            return True
    except StorageError:
        return False


@contextmanager
def sleeping_child() -> Iterator[int]:
    """A forked process that lives until the block ends."""
    child = os.fork()
    if child == 0:
        signal.pause()
        os._exit(0)
    try:
        yield child
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def exit_code_of(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_child_that_lives_on_does_not_keep_the_lock(tmp_path: Path) -> None:
    with publish_lock(tmp_path):
        child = sleeping_child()
        child.__enter__()
        assert not is_free(tmp_path)
    assert is_free(tmp_path)
    child.__exit__(None, None, None)


def test_not_even_one_that_was_forked_without_python_knowing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with publish_lock(tmp_path), monkeypatch.context() as patched:
        patched.setattr(module.HeldLock, "close_in_child", lambda self: None)
        child = sleeping_child()
        child.__enter__()
    assert is_free(tmp_path), "the holder unlocks before it closes"
    child.__exit__(None, None, None)


def test_a_child_of_a_killed_holder_does_not_keep_the_lock(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    holder = os.fork()
    if holder == 0:
        with publish_lock(tmp_path):
            grandchild = os.fork()
            if grandchild == 0:
                signal.pause()
            os.write(writing, f"{grandchild}\n".encode())
            signal.pause()
    grandchild = int(os.read(reading, 100))
    try:
        assert not is_free(tmp_path)
        os.kill(holder, signal.SIGKILL)
        os.waitpid(holder, 0)
        assert is_free(tmp_path)
    finally:
        os.kill(grandchild, signal.SIGKILL)
        os.close(reading)
        os.close(writing)


def test_a_child_that_leaves_the_block_does_not_unlock_for_its_parent(tmp_path: Path) -> None:
    with publish_lock(tmp_path) as lock:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                lock.require()
            except StorageError:
                lock.release()
                code = 0
            os._exit(code)
        assert exit_code_of(child) == 0, "a child is told that it has no lock"
        lock.require()
        assert not is_free(tmp_path)
    assert is_free(tmp_path)


def test_a_child_can_take_the_lock_for_itself(tmp_path: Path) -> None:
    with publish_lock(tmp_path):
        child = os.fork()
        if child == 0:
            os._exit(0 if not is_free(tmp_path) else 1)
        assert exit_code_of(child) == 0
    child = os.fork()
    if child == 0:
        os._exit(0 if is_free(tmp_path) else 1)
    assert exit_code_of(child) == 0


@pytest.mark.parametrize("target_exists", [True, False])
def test_a_symbolic_link_is_refused_and_what_it_points_to_left_alone(tmp_path: Path, target_exists: bool) -> None:
    index, target = tmp_path / "index", tmp_path / "precious"
    index.mkdir()
    if target_exists:
        target.write_text("years of work")
    (index / "publish.lock").symlink_to(target)
    with pytest.raises(ForeignFileError, match=r"publish\.lock is a symbolic link") as caught, publish_lock(index):
        pass
    assert caught.value.help == "remove the link"
    assert target.exists() == target_exists


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "publish.lock")
    with pytest.raises(ForeignFileError, match="is not a file"), publish_lock(tmp_path):
        pass
    (tmp_path / "publish.lock").unlink()
    (tmp_path / "publish.lock").mkdir()
    with pytest.raises(StorageError, match="cannot open"), publish_lock(tmp_path):
        pass


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_the_lock_is_free_wherever_its_holder_was_interrupted(tmp_path: Path) -> None:
    def use() -> None:
        with publish_lock(tmp_path, timeout_seconds=0):
            pass

    end = boundaries(use)
    for at in range(1, end + 1):
        injector = Injector(at, KeyboardInterrupt)
        injector.run(use)
        assert not list(module._open_locks), injector.where
        use()
    assert end > 10
