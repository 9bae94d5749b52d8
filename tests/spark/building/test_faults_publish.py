"""What is live after a build, an update or a publisher was killed, ran out of disk, or met another? Done for real."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import eligo
from disk_cases import may_mount
from eligo.errors import DamagedFileError, StorageError
from eligo.index.stages import Stage, StageName
from eligo.spark import build, update
from eligo.storage.kept_versions import list_versions
from eligo.storage.manifest import read_manifest
from eligo.storage.retention import remove_unreferenced

COLUMNS = "id long, expression string"
PREAMBLE = """
import os, pathlib, signal, subprocess, sys
from eligo.errors import StorageError
from eligo.spark import build, local_session
from eligo.storage.manifest import read_manifest

def start(master="local[2]"):
    spark = local_session("faults", master=master)
    spark.sparkContext.setLogLevel("OFF")
    return spark

def frame(spark, number, count=40):
    rows = [(id, f"age > {id + number} and state in ('CA', 'NY')") for id in range(count)]
    return spark.createDataFrame(rows, "id long, expression string")

def content(path):
    manifest = read_manifest(path)
    return [manifest.vocabulary, manifest.shards]
"""


def run(program: str, *arguments: object, prefix: tuple[str, ...] = (), paths: tuple[str, ...] = ()) -> str:
    """Run a program with a Spark of its own; its output, or its exit code if that is not 0."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*paths, *sys.path])}
    command = [*prefix, sys.executable, "-c", PREAMBLE + program, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=280)
    if done.returncode < 0:
        return str(done.returncode)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip()


KILL_AT_PUBLISH = """
import eligo.storage.directory as directory
path = pathlib.Path(sys.argv[1])
replace_file = directory.replace_file

def killed(target, chunks):
    if target.name == "manifest.json":
        os.kill(os.getpid(), signal.SIGKILL)
    replace_file(target, chunks)

directory.replace_file = killed
build(frame(start(), 7), path, target_shard_rows=20)
"""


def test_a_driver_that_is_killed_while_it_publishes_leaves_the_old_version(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    eligo.build({1: "age = 1"}).save(path)
    before = read_manifest(path)
    assert run(KILL_AT_PUBLISH, path) == str(-signal.SIGKILL)
    assert read_manifest(path) == before
    assert eligo.open(path).match({"age": 1}) == [1]
    assert [manifest.version for manifest in list_versions(path)] == [1]
    assert len(list(path.rglob("shards/*.eligo"))) == 3, "the new files are there, and no version names them"
    # The next publisher is not disturbed by what was left, and that can be cleaned away.
    build(spark.createDataFrame([(2, "age = 1")], COLUMNS), path)
    assert eligo.open(path).match({"age": 1}) == [2]
    remove_unreferenced(path, keep_versions=1, grace_seconds=0)
    assert len(list(path.rglob("shards/*"))) == 1
    assert eligo.open(path).match({"age": 1}) == [2]


PUBLISH_ANOTHER = """
import sys, eligo
eligo.build({7: "age = 1"}).save(sys.argv[1], expected_version="any")
"""


@pytest.mark.parametrize("how", ["build", "update"])
def test_of_two_publishers_in_two_processes_one_wins(spark: SparkSession, tmp_path: Path, how: str) -> None:
    path = tmp_path / "x.index"
    eligo.build({1: "age = 1"}).save(path)
    frame = spark.createDataFrame([(2, "age = 1")], COLUMNS)

    def on_stage(stage: Stage) -> None:
        if stage.name is StageName.PUBLISH:  # all files of ours are staged, and another process is quicker
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
            subprocess.run([sys.executable, "-c", PUBLISH_ANOTHER, str(path)], env=environment, check=True, timeout=120)

    message = "is at version 2, not at version 1 as expected: another has been published"
    with pytest.raises(StorageError, match=message) as caught:
        if how == "build":
            build(frame, path, on_stage=on_stage)
        else:
            update(path, frame, on_stage=on_stage)
    assert "open the index again" in caught.value.help
    assert eligo.open(path).match({"age": 1}) == [7]
    assert [manifest.version for manifest in list_versions(path)] == [1, 2]
    assert not list(path.rglob("*.tmp"))
    assert eligo.open(path, version=1).match({"age": 1}) == [1]


@pytest.mark.parametrize("damage", ["truncated", "flipped"])
def test_a_damaged_shard_is_refused_with_its_name(spark: SparkSession, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "x.index"
    build(spark.createDataFrame([(id, f"age = {id}") for id in range(50)], COLUMNS), path, target_shard_rows=20)
    shard = path / read_manifest(path).shards[1].path
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 16
    shard.write_bytes(data[:-64] if damage == "truncated" else data)
    with pytest.raises(DamagedFileError, match=shard.name):
        eligo.open(path)


FILL_THE_DISK = """
path = pathlib.Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "none", path], check=True)
spark = start()
build(frame(spark, 1), path / "x.index")
before = read_manifest(path / "x.index")
try:
    build(frame(spark, 1, count=20_000), path / "x.index")
    print("published")
except StorageError as error:
    import eligo
    assert read_manifest(path / "x.index") == before
    assert eligo.open(path / "x.index").match({"age": 3, "state": "CA"}) == [0, 1]
    assert not list(path.rglob("*.tmp")), "what could not be finished is gone"
    print(error.message)
"""


@pytest.mark.spark
@pytest.mark.skipif(not may_mount(), reason="needs the right to mount a small file system")
def test_a_full_disk_leaves_the_old_version(tmp_path: Path) -> None:
    said = run(FILL_THE_DISK, tmp_path, prefix=("unshare", "--mount"))
    assert "No space left on device" in said
    assert "cannot write" in said


KILLED_ONCE = """
import os, pathlib, signal

flags = pathlib.Path(os.environ["KILL_FLAGS"])

def once(name, function):
    def wrapper(*args, **kwargs):
        flag = flags / name
        try:
            flag.touch(exist_ok=False)
        except FileExistsError:
            return function(*args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)
    return wrapper

import sys
if "pyspark.daemon" in sys.argv or any("daemon" in part for part in sys.orig_argv):
    import eligo.spark.building.part_build as part_build
    import eligo.storage.directory as directory
    part_build.read_shard = once("first pass", part_build.read_shard)
    part_build.stage_shard = once("second pass", part_build.stage_shard)
    part_build.renumbered = once("second pass, before", part_build.renumbered)
"""

KILL_WORKERS = """
path, flags = pathlib.Path(sys.argv[1]), pathlib.Path(os.environ["KILL_FLAGS"])
spark = start("local[2,4]")
build(frame(spark, 5), path / "disturbed", target_shard_rows=20)
assert len(list(flags.iterdir())) == 3, "a worker was killed at each of three places"
build(frame(spark, 5), path / "quiet", target_shard_rows=20)
assert content(path / "disturbed") == content(path / "quiet")
assert not list(path.rglob("*.tmp"))
print(len(read_manifest(path / "quiet").shards))
"""


@pytest.mark.spark
def test_workers_that_are_killed_are_replaced_and_the_artifact_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("site", "flags", "indexes"):
        (tmp_path / name).mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(KILLED_ONCE)
    monkeypatch.setenv("KILL_FLAGS", str(tmp_path / "flags"))
    assert run(KILL_WORKERS, tmp_path / "indexes", paths=(str(tmp_path / "site"),)) == "2"
