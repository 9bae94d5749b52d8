"""How does `eligo stream` end? By Ctrl-C at any moment, with nothing half done; and with a line where it cannot run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow.dataset as ds
import pytest

import eligo

from .conftest import EligoCommand

NUM_EVENTS = 3_000
PATIENCE = 300


@pytest.fixture
def stream_arguments(tmp_path: Path) -> list[str]:
    eligo.build({f"e{number}": f"age >= {number}" for number in range(40)}).save(tmp_path / "x.index")
    (tmp_path / "in").mkdir()
    for file in range(2):
        ages = range(file * NUM_EVENTS, (file + 1) * NUM_EVENTS)
        text = "".join(json.dumps({"event_id": age, "age": age % 40}) + "\n" for age in ages)
        (tmp_path / "in" / f"{file}.jsonl").write_text(text)
    places = {"--out": tmp_path / "out", "--checkpoint": tmp_path / "checkpoint", "--files-per-batch": 1}
    options = [str(part) for option in places.items() for part in option]
    return ["stream", str(tmp_path / "x.index"), str(tmp_path / "in"), *options]


def interrupted(arguments: list[str], is_time: Callable[[], bool]) -> tuple[int, str]:
    """Run the command in a group of its own and press Ctrl-C, which goes to all of the group, when it is time."""
    command = [sys.executable, "-c", "from eligo.cli.main import run; run()", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        end = time.monotonic() + PATIENCE
        while not is_time() and time.monotonic() < end and process.poll() is None:
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return process.returncode, told


@pytest.mark.spark
@pytest.mark.parametrize("before", ["", "file://"])
def test_ctrl_c_in_the_middle_of_a_batch(
    stream_arguments: list[str], tmp_path: Path, eligo_command: EligoCommand, spark: object, before: str
) -> None:
    out = tmp_path / "out"
    stream_arguments[stream_arguments.index("--out") + 1] = f"{before}{out}"
    code, told = interrupted(stream_arguments, (out / "_staging").exists)
    assert code == 130, told
    assert told.splitlines()[-1] == "stopped; the same command goes on where it was"
    assert not any(word in told for word in ("Traceback", "Exception", "\tat ", "ERROR"))
    assert not (out / "_staging").exists()
    again = eligo_command(*stream_arguments, "--once")
    assert again.code == 0, again.err
    found = ds.dataset(out, format="parquet", ignore_prefixes=["_", "."]).to_table()
    pairs = Counter(zip(found["event_id"].to_pylist(), found["expression_id"].to_pylist(), strict=True))
    assert set(pairs.values()) == {1}
    assert len(pairs) == 2 * sum(age % 40 + 1 for age in range(NUM_EVENTS))
    assert eligo_command(*stream_arguments, "--once").err.endswith(f"no new events in {tmp_path / 'in'}\n")


def test_what_cannot_run_is_told_in_a_line(
    stream_arguments: list[str], tmp_path: Path, eligo_command: EligoCommand
) -> None:
    def told(*arguments: object) -> str:
        outcome = eligo_command(*arguments)
        assert outcome.code == 2
        assert "Traceback" not in outcome.err
        return outcome.err

    name, index, source, *options = stream_arguments
    assert "there is no file" in told(name, index, tmp_path / "nowhere", *options)
    assert "is a file, and a stream reads" in told(name, index, tmp_path / "in" / "0.jsonl", *options)
    assert "--every 'x y' is no interval" in told(*stream_arguments, "--every", "x y")
    assert "would overwrite" in told(name, index, source, "--out", source, "--checkpoint", tmp_path / "c")
    assert "would overwrite" in told(name, index, source, "--out", tmp_path / "out", "--checkpoint", index)
