"""Does `eligo serve` serve, say what to do, and stop when all is answered?"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

DEADLINE = 300
ELIGO = (sys.executable, "-c", "from eligo.cli.main import run; run()")


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], int, list[str]]]:
    """A service in a process of its own, its port, and the lines that it has said."""
    process = subprocess.Popen(
        [*ELIGO, "serve", *arguments, "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert process.stderr is not None
    said: list[str] = []
    port = 0
    for line in process.stderr:
        said.append(line.rstrip("\n"))
        found = re.search(r"serving .* at http://\S+:(\d+)$", line)
        port = int(found[1]) if found else port
        if "curl" in line and "/match" in line:
            break
    reader = threading.Thread(
        target=lambda: said.extend(line.rstrip("\n") for line in process.stderr or ()), daemon=True
    )
    reader.start()
    try:
        yield process, port, said
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(DEADLINE)
        reader.join(DEADLINE)
        process.stderr.close()


def ask(
    port: int, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    connection.request(method, path, None if body is None else json.dumps(body), headers or {})
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def test_what_was_acknowledged_is_there_again(tmp_path: Path) -> None:
    directory = str(tmp_path / "data")
    with serving(directory) as (process, port, said):
        assert any("/expressions/adults" in line for line in said) and any("the page:" in line for line in said)
        status, body = ask(port, "PUT", "/expressions/adults", {"expression": "age >= 18"})
        assert status == 201 and json.loads(body)["seq"] == 1
        assert json.loads(ask(port, "POST", "/match", {"age": 30})[1])["matches"] == ["adults"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE) == 0
    assert any("no tokens" in line for line in said)
    with serving(directory) as (process, port, said):
        assert json.loads(ask(port, "POST", "/match", {"age": 30})[1])["matches"] == ["adults"]
        second = subprocess.run([*ELIGO, "serve", directory, "--port", "0"], capture_output=True, text=True)
        assert second.returncode == 2 and str(process.pid) in second.stderr
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE) == 0


def test_a_request_that_has_begun_is_answered_before_the_end(tmp_path: Path) -> None:
    with serving(str(tmp_path / "data")) as (process, port, _):
        ask(port, "PUT", "/expressions/a", {"expression": "x = 1"})
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
        connection.putrequest("POST", "/match")
        connection.putheader("content-length", "7")
        connection.endheaders(b'{"x"')
        assert ask(port, "GET", "/healthz")[0] == 200  # by now the other one has begun
        process.send_signal(signal.SIGTERM)
        connection.send(b":1}")
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["matches"]) == (200, ["a"])
        connection.close()
        assert process.wait(DEADLINE) == 0


def test_elsewhere_than_here_needs_a_token(tmp_path: Path) -> None:
    refused = subprocess.run(
        [*ELIGO, "serve", str(tmp_path / "data"), "--host", "0.0.0.0", "--port", "0"],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )
    assert refused.returncode == 2 and "eligo token create" in refused.stderr


def test_an_interval_is_said_aloud(tmp_path: Path) -> None:
    with serving(str(tmp_path / "data"), "--durability", "interval=50ms") as (_, port, said):
        assert any("can be lost" in line for line in said)
        assert ask(port, "PUT", "/expressions/a", {"expression": "x = 1"})[0] == 201


@pytest.mark.parametrize("text", ["never", "interval=", "interval=0s", "interval=1h", "interval=-1s"])
def test_what_is_no_durability_is_refused(tmp_path: Path, text: str) -> None:
    import typer

    from eligo.cli.service.durability import read_durability

    with pytest.raises(typer.BadParameter):
        read_durability(text)


def test_a_token_made_by_the_command_opens_the_door(tmp_path: Path) -> None:
    directory = str(tmp_path / "data")

    def token(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*ELIGO, "token", *arguments], capture_output=True, text=True)

    made = token("create", directory, "--scope", "read", "--name", "shop", "--tenant", "acme")
    text = made.stdout.strip()
    assert made.returncode == 0 and text.startswith("eligo_")
    assert stat.S_IMODE(os.stat(directory).st_mode) == 0o700
    listed = token("list", directory).stdout
    assert "shop" in listed and "acme" in listed and text not in listed
    with serving(directory) as (_, port, said):
        assert ask(port, "POST", "/match", {})[0] == 401
        assert ask(port, "POST", "/match", {}, {"authorization": f"Bearer {text}"})[0] == 200
        assert not any("no tokens" in line for line in said)
    assert token("revoke", directory, "shop").returncode == 0
    assert token("list", directory).stdout == ""
    assert token("revoke", directory, "shop").returncode == 2
    assert token("create", directory).returncode == 2
