"""Can a forger crash, hang or confuse a process that opens an index without trust? Its checksums all fit."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

import eligo
from benchmarks.siege import forge
from benchmarks.siege.judging import forge_files
from eligo.engines import registry

FEW, MANY = 40, 600


@pytest.mark.parametrize("engine", registry.names())
def test_forgeries_are_refused_or_harmless(engine: str) -> None:
    found = forge_files(engine, 0, FEW)
    assert found.failures == []
    assert found.num_tried == FEW
    assert found.counts["refused with a typed error"] > FEW // 3


@pytest.mark.long
@pytest.mark.parametrize("interpreted", [False, True], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("engine", registry.names())
def test_many_forgeries_are_refused_or_harmless(engine: str, interpreted: bool) -> None:
    found = forge_files(engine, 1_000, MANY // 10 if interpreted else MANY, interpreted=interpreted)
    assert found.failures == []


def test_a_forgery_is_the_same_for_the_same_seed_and_its_checksums_fit(tmp_path: Path) -> None:
    forge.make(tmp_path / "index", "a_tree")
    said = []
    for name in ("one", "other"):
        shutil.copytree(tmp_path / "index", tmp_path / name)
        said.append(forge.forge(tmp_path / name, random.Random(11)))
    assert said[0] == said[1]
    assert {path.name for path in (tmp_path / "one" / "shards").iterdir()} == {
        path.name for path in (tmp_path / "other" / "shards").iterdir()
    }
    told = eligo.verify(tmp_path / "one", version=2).problems
    assert not [problem for problem in told if "checksum" in problem.what]


def test_a_process_that_dies_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # The judge of the other process finds this module first, and ends as a crash would.
    (tmp_path / "sitecustomize.py").write_text(
        "import benchmarks.siege.forge as forge, os, signal\n"
        "whole = forge.judge\n"
        "forge.judge = lambda path: whole(path) if path.name == 'index' else os.kill(os.getpid(), signal.SIGSEGV)\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path.cwd()}")
    found = forge_files("scan", 0, 2)
    assert found.num_failed == 2
    assert "ends the process with -11" in found.failures[0]
