"""What is on the disk when the power goes? A model in which a name is there only after its directory was fsynced.

A publisher is killed before each of its calls to the operating system in turn, another does the same publication
again, and then the power goes: what was never fsynced is gone, and the version that was acknowledged must open.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from eligo.storage.directory import open_version

PROGRAM = """
import builtins, json, os, sys
import numpy as np
from pathlib import Path
from eligo.storage.directory import publish
from eligo.storage.stored_settings import StoredSettings

CHANGES = ("fsync", "replace", "mkdir", "unlink")
root, log = sys.argv[1], os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND)

def note(*what):
    os.write(log, (json.dumps(what) + "\\n").encode())

def path_of(descriptor):
    return os.readlink(f"/proc/self/fd/{descriptor}")

def traced(step):
    '''Notes what reaches the file system, and ends the process before the given one of its changes.'''
    calls = 0
    def wrap(name, call):
        def wrapper(*args, **kwargs):
            nonlocal calls
            if name in CHANGES:
                if calls == step:
                    os._exit(9)
                calls += 1
            if name == "fsync":
                return note("fsync", path_of(args[0]))  # the model's disk, not this one's
            found = call(*args, **kwargs)
            if name in ("mkdir", "unlink"):
                note(name, os.path.realpath(args[0]))
            elif name == "replace":
                note(name, *map(os.path.realpath, args))
            elif name == "builtin open" and "x" in args[1]:
                note("create", os.path.realpath(args[0]))
            elif name == "open" and args[1] & os.O_CREAT:
                note("create", os.path.realpath(args[0]))
            return found
        return wrapper
    for name in (*CHANGES, "open"):
        setattr(os, name, wrap(name, getattr(os, name)))
    builtins.open = wrap("builtin open", open)

def publish_number(path, number, expected):
    shards = [({"number": np.full(50, number + i, np.uint32)}, {"num_expressions": number + i}) for i in range(1)]
    publish(path, shards=shards, vocabulary={"keys": np.full(50, number)},
            settings=StoredSettings(missing="unknown", engine="scan"), expected_version=expected)

for step in range(1000):
    path = f"{root}/{step}/above/index"
    note("begin", step)
    codes = []
    for attempt in range(2):
        child = os.fork()
        if child == 0:
            traced(step if attempt == 0 else -1)
            publish_number(path, 2, "any")
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        codes.append(code)
    assert codes in ([9, 0], [0, 0])
    if codes == [0, 0]:
        break
print(step)
"""


class Disk:
    """The names that survive a power cut, from what was asked of the operating system."""

    def __init__(self) -> None:
        self.names: dict[str, set[str]] = {}
        self.durable: dict[str, set[str]] = {}
        self.content: set[str] = set()
        """Files whose content was fsynced, under the names that they have now."""

    def take(self, call: str, *paths: str) -> None:
        path = paths[0]
        directory, name = os.path.split(path)
        if call == "replace":
            target = paths[1]
            self.names.setdefault(directory, set()).discard(name)
            self.names.setdefault(os.path.dirname(target), set()).add(os.path.basename(target))
            if path in self.content:
                self.content.add(target)
            else:
                self.content.discard(target)
        elif call == "fsync":
            self.content.add(path)
            self.durable[path] = set(self.names.get(path, ()))
        elif call == "unlink":
            self.names.setdefault(directory, set()).discard(name)
        else:
            self.names.setdefault(directory, set()).add(name)

    def survives(self, path: Path, top: Path) -> bool:
        """Whether all names down to the path are on disk, and its content too."""
        below = path.relative_to(top).parts
        places = [top.joinpath(*below[:depth]) for depth in range(len(below) + 1)]
        return all(
            child.name in self.durable.get(str(parent), ()) for parent, child in itertools.pairwise(places)
        ) and (path.is_dir() or str(path) in self.content)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_acknowledged_version_survives_a_power_cut_whatever_was_cut_off_before(tmp_path: Path) -> None:
    root, log, after = (tmp_path / name for name in ("root", "log", "after"))
    root.mkdir()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PROGRAM, str(root), str(log)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    disks: list[Disk] = []
    for line in log.read_text().splitlines():
        call, *paths = json.loads(line)
        if call == "begin":
            disks.append(Disk())
        else:
            disks[-1].take(call, *paths)
    assert len(disks) == int(done.stdout) + 1 > 15
    for step, disk in enumerate(disks):
        top = root / str(step)
        surviving = {path for path in top.rglob("*") if disk.survives(path, root)}
        shutil.copytree(top, after / str(step), ignore=_others(surviving))
        opened: Any = open_version(after / str(step) / "above" / "index")
        assert opened.vocabulary.arrays["keys"][0] == 2, f"after a kill at call {step}"
        assert [shard.arrays["number"][0] for shard in opened.shards] == [2]


def _others(surviving: set[Path]) -> Any:
    return lambda directory, names: [name for name in names if Path(directory, name) not in surviving]
