"""Is the page on the service true? Its shell lines are run, from an empty directory."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "service.md"
EIGHT_LINES = 8


def shell_lines() -> str:
    [block] = re.findall(r"^```shell\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    return str(block)


def test_example_5_of_tatbul_takes_eight_lines(tmp_path: Path) -> None:
    lines = shell_lines()
    assert len(lines.splitlines()) == EIGHT_LINES
    with socket.create_server(("127.0.0.1", 0)) as chosen:
        port = chosen.getsockname()[1]
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "eligo"
    command.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'from eligo.cli.main import run; run()' \"$@\"\n")
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    shell = subprocess.Popen(
        ["bash", "-c", lines.replace("8080", str(port))],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "no_proxy": "127.0.0.1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    try:
        assert shell.stdout is not None
        answers = [json.loads(shell.stdout.readline()) for _ in range(8)]
    finally:
        os.killpg(shell.pid, signal.SIGTERM)
        shell.communicate()
    added, *_, published, first, second, third = answers
    assert added["numbers"] == [0, 1]
    assert published["subscriptions"] == 2
    assert first["messages"] == []
    assert [message["seq"] for answer in (second, third) for message in answer["messages"]] == [published["seq"]] * 2
    assert second["messages"][0]["document"] == {"price": 30, "year": 2001, "author": "Smith"}
