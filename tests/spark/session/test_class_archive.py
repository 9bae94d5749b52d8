"""Is an archive of classes used where there is one for this Java, and is a session without one as it was?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from eligo.spark.session import class_archive
from eligo.spark.session.class_archive import QUIET, archive_options, archive_path, training_environment
from eligo.spark.session.java import JavaRuntime
from eligo.spark.session.session import _quoted


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> JavaRuntime:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(class_archive.RECORDING, raising=False)
    executable = tmp_path / "home" / "bin" / "java"
    executable.parent.mkdir(parents=True)
    executable.touch()
    return JavaRuntime(executable, (21, 0, 8), "a test")


def test_without_an_archive_nothing_is_said(java: JavaRuntime) -> None:
    assert archive_options(java) == []


def test_an_archive_is_named_with_the_one_below_it(java: JavaRuntime) -> None:
    path = archive_path(java)
    path.parent.mkdir(parents=True)
    path.touch()
    assert archive_options(java) == [f"-XX:SharedArchiveFile={path}", QUIET]
    base = path.with_name(f"{path.stem}-base.jsa")
    base.touch()
    assert archive_options(java) == [f"-XX:SharedArchiveFile={base}:{path}", QUIET]


def test_another_java_has_another_archive(java: JavaRuntime) -> None:
    before = archive_path(java)
    java.executable.write_text("a later version")
    assert archive_path(java) != before


def test_a_recorded_session_writes_and_uses_none(java: JavaRuntime, monkeypatch: pytest.MonkeyPatch) -> None:
    path = archive_path(java)
    path.parent.mkdir(parents=True)
    path.touch()
    monkeypatch.setenv(class_archive.RECORDING, "/some/where.jsa")
    assert archive_options(java) == ["-XX:ArchiveClassesAtExit=/some/where.jsa", QUIET]


def test_nothing_is_compiled_for_the_recorded_jobs(tmp_path: Path) -> None:
    script = "from eligo.kernels.compiled import IS_INTERPRETED; print(IS_INTERPRETED)"
    environment = training_environment(tmp_path / "classes.jsa")
    assert subprocess.check_output([sys.executable, "-c", script], env=environment, text=True) == "True\n"
    assert environment[class_archive.RECORDING] == str(tmp_path / "classes.jsa")


def test_options_with_spaces_stay_one_option() -> None:
    assert _quoted("-XX:A=/plain") == "-XX:A=/plain"
    assert _quoted('-XX:A=/with "a" space') == r'"-XX:A=/with \"a\" space"'
