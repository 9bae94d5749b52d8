"""What is left of a base when the power goes? A model of a disk that has only what was fsynced, names and bytes.

After each change that was acknowledged the power goes, as it were: the base that is left must have all of it.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import eligo
from eligo.joins.stored import durable_states
from eligo.storage.log.record_file import RecordWriter


class Disk:
    """What was fsynced: for each directory its names, for each file its bytes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: dict[str, set[str]] = {}
        self.content: dict[str, bytes] = {}
        real_replace = os.replace

        def fsync(descriptor: int) -> None:
            path = os.readlink(f"/proc/self/fd/{descriptor}")
            if os.path.isdir(path):
                self.names[path] = set(os.listdir(path))
            else:
                self.content[path] = Path(path).read_bytes()

        def replace(source: Any, target: Any) -> None:
            real_replace(source, target)
            self.content[os.fspath(target)] = self.content.pop(os.fspath(source))

        monkeypatch.setattr(os, "fsync", fsync)
        monkeypatch.setattr(os, "replace", replace)

    def left(self, base: Path, target: Path) -> Path:
        """The base as it is after the power went."""
        for file in self._files(base):
            place = target / file.relative_to(base)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(self.content[str(file)])
        return target

    def _files(self, directory: Path) -> Iterator[Path]:
        for name in self.names.get(str(directory), ()):
            path = directory / name
            if str(path) in self.names:
                yield from self._files(path)
            elif str(path) in self.content:
                yield path


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("seed", range(3))
def test_what_was_acknowledged_survives_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(durable_states, "CHECKPOINT_BYTES", 800)
    monkeypatch.setattr(durable_states, "LARGE_CHANGE", 15)
    rng = random.Random(seed)
    path = tmp_path / "above" / "docs.base"
    with monkeypatch.context() as patch:
        disk = Disk(patch)
        base = eligo.DocumentBase(path)
        for step in range(40):
            what = rng.choice(("add", "add", "batch", "large", "remove", "compact", "reopen"))
            if what == "add":
                base.add({"step": step})
            elif what in ("batch", "large"):
                base.add_batch([{"step": step}] * (4 if what == "batch" else 20))
            elif what == "remove":
                base.remove(rng.sample(list(base), len(base) // 3))
            elif what == "compact":
                base.compact()
            else:
                base.close()
                base = eligo.DocumentBase(path)
            left = eligo.DocumentBase(disk.left(path, tmp_path / f"left {step}"), read_only=True)
            assert dict(left.snapshot().documents()) == dict(base.snapshot().documents()), what
            assert left.stats().next_number == base.stats().next_number
    assert disk.names[str(tmp_path)] == {"above"}
    assert disk.names[str(tmp_path / "above")] == {"docs.base"}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_model_notices_a_log_that_is_not_fsynced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(monkeypatch)
    base = eligo.DocumentBase(tmp_path / "docs.base")
    monkeypatch.setattr(RecordWriter, "sync", lambda log: None)
    base.add({"a": 1})
    assert len(eligo.DocumentBase(disk.left(tmp_path / "docs.base", tmp_path / "left"), read_only=True)) == 0
