"""Does Ctrl-C end a command in one line with 130, leave nothing half done, and let the same command run again?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import eligo

ELIGO = [sys.executable, "-c", "from eligo.cli.main import run; run()"]
BEGUN = "begun\n"
TOLD = [sys.executable, "-c", "import sys; from eligo.cli.main import run; print('begun', file=sys.stderr); run()"]
"""The same, but it says when Python is up: what comes before that is not ours."""
NUM_RULES = 15_000


class Ended:
    """A command that was sent a signal: how it ended, and what it said."""

    def __init__(self, arguments: Sequence[object], cwd: Path, moment: float | str, sent: int = signal.SIGINT) -> None:
        """`moment` is in seconds after it has begun, or a text that stderr has shown."""
        self.process = subprocess.Popen(
            [*TOLD, *map(str, arguments)],
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # a terminal sends the signal to all processes of the command
        )
        self.lines: list[str] = []
        self.out = ""
        self._shown = threading.Condition()
        readers = [threading.Thread(target=each) for each in (self._read_messages, self._read_output)]
        for reader in readers:
            reader.start()
        self._wait_for(BEGUN if isinstance(moment, float) else moment)
        if isinstance(moment, float):
            time.sleep(moment)
        if self.process.poll() is None:
            os.killpg(self.process.pid, sent)
        self.code = self.process.wait(120)
        for reader in readers:
            reader.join(30)
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()
        self.text = "".join(self.lines)

    def _wait_for(self, text: str) -> None:
        with self._shown:
            self._shown.wait_for(
                lambda: any(text in line for line in self.lines) or self.process.poll() is not None, 120
            )

    def _read_messages(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._shown:
                self.lines.append(line)
                self._shown.notify_all()
        with self._shown:
            self._shown.notify_all()

    def _read_output(self) -> None:
        assert self.process.stdout is not None
        self.out = self.process.stdout.read()

    def was_interrupted(self) -> bool:
        """Whether the signal came in time; then all about its ending must be right."""
        assert "Traceback" not in self.text and "Exception" not in self.text, self.text
        if self.code in (0, 1):
            return False
        assert self.code == 130, (self.code, self.text)
        said = [line for line in self.lines if not line.startswith(("✓", "…", BEGUN))]
        assert said == ["interrupted\n"], said
        return True


@pytest.fixture(scope="module")
def rules() -> str:
    return "".join(f"a{number % 50} = {number} and b in (1, 2)\n" for number in range(NUM_RULES))


@pytest.mark.parametrize("moment", [0.0, 0.8])
@pytest.mark.parametrize("command", [["check"], ["lint"], ["fmt", "--in-place"]], ids=" ".join)
def test_commands_on_files(tmp_path: Path, rules: str, command: list[str], moment: float) -> None:
    path = tmp_path / "rules.txt"
    path.write_text(rules.replace(" and ", "  AND  "))
    before = path.read_text()
    ended = Ended([*command, path], tmp_path, moment)
    ended.was_interrupted()
    assert [entry.name for entry in tmp_path.iterdir()] == ["rules.txt"]
    assert path.read_text() in (before, rules)
    if moment == 0.8 and command == ["fmt", "--in-place"]:
        again = subprocess.run([*ELIGO, *command, path], cwd=tmp_path, capture_output=True, check=False)
        assert again.returncode in (0, 1)


def test_terminated(tmp_path: Path) -> None:
    """SIGTERM unwinds as Ctrl-C does."""
    (tmp_path / "rules.txt").write_text("a = 1 and b = 2 or c = 3\n" * 200_000)
    ended = Ended(["check", "rules.txt"], tmp_path, 1.0, signal.SIGTERM)
    assert (ended.code, ended.text) == (143, f"{BEGUN}terminated\n")


def table_of_rules(folder: Path, num_rules: int) -> Path:
    path = folder / "rules.jsonl"
    with path.open("w") as file:
        for number in range(num_rules):
            file.write(json.dumps({"id": number, "expression": f"a{number % 50} = {number % 7}"}) + "\n")
    return path


def remains(folder: Path) -> list[str]:
    """Everything below a folder but the input."""
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("rules.jsonl", "events.jsonl")
    )


@pytest.mark.spark
@pytest.mark.parametrize(
    "moment",
    [
        "✓ read rows",
        pytest.param(1.0, marks=pytest.mark.long),
        pytest.param(4.0, marks=pytest.mark.long),
        pytest.param("✓ start Spark", marks=pytest.mark.long),
        pytest.param("✓ check expressions", marks=pytest.mark.long),
        pytest.param("✓ build shards", marks=pytest.mark.long),
    ],
)
def test_build(tmp_path: Path, moment: float | str) -> None:
    rules = table_of_rules(tmp_path, 20_000)
    index = tmp_path / "rules.index"
    ended = Ended(["build", rules, index, "--master", "local[2]"], tmp_path, moment)
    if ended.was_interrupted():
        assert not (index / "manifest.json").exists()
        assert not [name for name in remains(tmp_path) if name.endswith(".tmp")]
    again = subprocess.run(
        [*ELIGO, "build", rules, index, "--master", "local[2]"], cwd=tmp_path, capture_output=True, check=False
    )
    assert again.returncode == 0, again.stderr
    assert len(eligo.open(index)) == 20_000


@pytest.mark.spark
@pytest.mark.parametrize(
    "moment",
    [
        pytest.param("✓ read the events", marks=pytest.mark.long),
        pytest.param(2.0, marks=pytest.mark.long),
        pytest.param("✓ start Spark", marks=pytest.mark.long),
    ],
)
def test_match(tmp_path: Path, moment: float | str) -> None:
    index = tmp_path / "rules.index"
    eligo.build({number: f"a{number % 50} = {number % 7}" for number in range(1_000)}).save(index)
    before = remains(tmp_path)
    events = tmp_path / "events.jsonl"
    with events.open("w") as file:
        for number in range(50_000):
            file.write(json.dumps({"event_id": number, f"a{number % 50}": number % 7}) + "\n")
    command = ["match", index, events, "--out", tmp_path / "matches.parquet", "--master", "local[2]"]
    ended = Ended(command, tmp_path, moment)
    is_interrupted = ended.was_interrupted()
    if is_interrupted:
        assert remains(tmp_path) == before
    again = subprocess.run(
        [*ELIGO, *map(str, command), *([] if is_interrupted else ["--overwrite"])],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert again.returncode == 0, again.stderr
