"""What a reader sees after a publisher was killed, or ran out of disk, at any point: the old version or the new."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from disk_cases import may_mount
from eligo.storage.directory import open_version, publish
from eligo.storage.manifest import read_manifest
from eligo.storage.retention import remove_unreferenced
from eligo.storage.stored_settings import StoredSettings

PUBLISH = """
import builtins, os, signal, sys, resource
import numpy as np
from eligo.errors import StorageError
from eligo.storage.directory import publish
from eligo.storage.stored_settings import StoredSettings

def publish_number(path, number, size=5000):
    shards = [({"number": np.full(size, number + i, np.uint32)}, {"num_expressions": number + i}) for i in range(2)]
    publish(path, shards=shards, vocabulary={"keys": np.full(size, number)},
            settings=StoredSettings(missing="unknown", engine="scan"), expected_version="any")
"""

KILL = """
STEPS = ("open", "fsync", "replace", "mkdir", "close", "utime", "unlink")

def kill_at(step):
    '''Makes the process kill itself when it is about to make the given call to the operating system.'''
    calls = 0
    def counted(call):
        def wrapper(*args, **kwargs):
            nonlocal calls
            if calls == step:
                os.kill(os.getpid(), signal.SIGKILL)
            calls += 1
            return call(*args, **kwargs)
        return wrapper
    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))
    builtins.open = counted(open)

path = sys.argv[1]
for step in range(1000):
    child = os.fork()
    if child == 0:
        kill_at(step)
        publish_number(path + f"/{step}", 2)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        break
print(step, os.waitstatus_to_exitcode(status))
"""


def run(program: str, *arguments: object) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PUBLISH + program, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def publish_number(path: Path, number: int) -> None:
    shards = [({"number": np.full(5000, number + i, np.uint32)}, {"num_expressions": number + i}) for i in range(2)]
    keys = {"keys": np.full(5000, number)}
    publish(
        path,
        shards=shards,
        vocabulary=keys,
        settings=StoredSettings(missing="unknown", engine="scan"),
        expected_version="any",
    )


def numbers_in(path: Path) -> list[int]:
    opened = open_version(path)
    number = opened.vocabulary.arrays["keys"][0]
    assert [set(shard.arrays["number"].tolist()) for shard in opened.shards] == [{number}, {number + 1}]
    return [opened.manifest.version, int(number)]


@pytest.mark.parametrize("has_old_version", [True, False])
def test_a_publisher_killed_at_any_step(tmp_path, has_old_version):
    steps = 120
    if has_old_version:
        publish_number(tmp_path / "old", 1)
        for step in range(steps):
            shutil.copytree(tmp_path / "old", tmp_path / str(step))
    finished, exit_code = map(int, run(KILL, tmp_path).split())
    assert exit_code == 0
    assert 10 < finished < steps, "the steps that were tried cover the whole of a publication"
    seen = []
    for step in range(finished):
        index = tmp_path / str(step)
        if has_old_version:
            seen.append(numbers_in(index))
        elif (index / "manifest.json").exists():
            assert numbers_in(index) == [1, 2]
        # Whatever is left there, the next publisher succeeds, and the rest can be cleaned away.
        publish_number(index, 3)
        assert numbers_in(index)[1] == 3
        remove_unreferenced(index, keep_versions=1, grace_seconds=0)
        assert numbers_in(index)[1] == 3
        assert len(list(index.rglob("*.eligo"))) == 3
        assert not list(index.rglob("*.tmp"))
    assert numbers_in(tmp_path / str(finished)) == ([2, 2] if has_old_version else [1, 2])
    if has_old_version:
        turned = seen.index([2, 2])
        assert seen == [[1, 1]] * turned + [[2, 2]] * (finished - turned), "one step makes the difference"


FILE_SIZE_LIMIT = """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path, limit, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    publish_number(path, 2, size)
    print("published")
except StorageError as error:
    print(error.message)
"""


@pytest.mark.parametrize(
    ("limit", "size", "refused"),
    [(1000, 5000, "vocabulary/"), (30_000, 5000, "vocabulary/"), (600, 10, "versions/1.json"), (0, 10, "vocabulary/")],
)
def test_a_file_that_cannot_be_written_whole(tmp_path, limit, size, refused):
    index = tmp_path / "index"
    publish_number(index, 1)
    output = run(FILE_SIZE_LIMIT, index, limit, size)
    assert "cannot write" in output
    assert refused in output
    assert "File too large" in output
    assert numbers_in(index) == [1, 1]
    assert not list(index.rglob("*.tmp"))


FULL_DISK = """
import json, subprocess, pathlib
from eligo.storage.directory import open_version
disk = pathlib.Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", disk], check=True)
publish_number(disk / "index", 1)
try:
    publish_number(disk / "index", 2, size=200_000)
    print(json.dumps("published"))
except StorageError as error:
    opened = open_version(disk / "index")
    left_behind = [str(path) for path in disk.rglob("*.tmp")]
    number = int(opened.shards[0].arrays["number"].max())
    print(json.dumps([error.message, opened.manifest.version, number, left_behind]))
"""


@pytest.mark.skipif(not may_mount(), reason="needs the right to mount a small file system")
def test_a_full_disk(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = ["unshare", "--mount", sys.executable, "-c", PUBLISH + FULL_DISK, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    message, version, number, left_behind = json.loads(done.stdout)
    assert "No space left on device" in message
    assert (version, number, left_behind) == (1, 1, [])


HOLD_LOCK = """
import pathlib, time
from eligo.storage.publish_lock import publish_lock
with publish_lock(pathlib.Path(sys.argv[1])):
    print("locked", flush=True)
    time.sleep(600)
"""


def test_the_lock_of_a_killed_publisher_is_free(tmp_path):
    publish_number(tmp_path, 1)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PUBLISH + HOLD_LOCK, str(tmp_path)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        holder.kill()
    publish_number(tmp_path, 2)
    assert read_manifest(tmp_path).version == 2
