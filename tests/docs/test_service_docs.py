"""Are the pages on the service true? Their examples are run, with a real service, curl and Node."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

import eligo
from document_examples import run_block
from eligo.cli.app import app
from owners import asked, until
from served import Served
from source_tree import REPOSITORY

PAGE = REPOSITORY / "docs" / "service.md"
README = REPOSITORY / "README.md"
DEPLOY = REPOSITORY / "deploy"
ADDRESS = re.compile(r"(?:localhost|127\.0\.0\.1):8080")


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def requests(block: str) -> list[str]:
    return [line for line in block.splitlines() if line.startswith("curl ")]


def curled(lines: list[str], port: int) -> list[dict[str, Any]]:
    """What the service answers to each request."""
    if shutil.which("curl") is None:
        pytest.skip("there is no curl")
    answers = []
    for line in lines:
        command = ADDRESS.sub(f"127.0.0.1:{port}", line).replace("curl ", "curl -sS -m 60 ", 1)
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
        answers.append(json.loads(done.stdout))
    return answers


def test_what_the_page_asks_and_changes(asked: Served) -> None:
    (first,) = [block for block in blocks(PAGE, "sh") if "/expressions/golf" in block]
    put, matched, bulk, line, why = curled(requests(first), asked.port)
    assert put["id"] == "golf"
    assert matched["matches"] == ["golf"]
    assert bulk["id"] == "shop" and "error" not in bulk
    assert line["matches"] == ["shop"]
    assert why["matches"] is False
    names: dict[str, object] = {"eligo": eligo}
    compared = sum(run_block(ADDRESS.sub(f"127.0.0.1:{asked.port}", each), names) for each in blocks(PAGE, "python"))
    assert compared == 9
    if shutil.which("node") is not None:
        (script,) = blocks(PAGE, "js")
        script = ADDRESS.sub(f"127.0.0.1:{asked.port}", script)
        done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
        assert done.stdout == "adults\n"
    names["client"].close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", [PAGE, README], ids=["page", "readme"])
def test_example_5_of_tatbul_takes_eight_lines(page: Path, tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("there is no curl")
    (lines,) = blocks(page, "shell")
    assert len(lines.splitlines()) == 8
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


def options_of_serve() -> set[str]:
    serve = get_command(app).commands["serve"]  # type: ignore[attr-defined]
    return {name for parameter in serve.params for name in parameter.opts}


def test_what_is_deployed_has_options_that_there_are() -> None:
    unit = (DEPLOY / "eligo.service").read_text(encoding="utf-8")
    (start,) = re.findall(r"^ExecStart=.*$", unit, re.M)
    given = {word for word in start.split() if word.startswith("--")}
    for manifest in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")):
        for container in manifest["spec"].get("template", {}).get("spec", {}).get("containers", []):
            given |= {word for word in container["args"] if word.startswith("--")}
    assert given == {"--host", "--port", "--follow", "--tokens"}
    assert given <= options_of_serve()


def test_what_kubernetes_starts_answers_who_has_a_token(tmp_path: Path) -> None:
    """The commands at its head, then the arguments of its containers, with places and ports of the trial."""
    text = (DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")
    eligo_command = f"{sys.executable} -c 'from eligo.cli.main import run; run()'"
    tokens = []
    for made in re.findall(r"eligo (token create tokens[^\n)]*)", text):
        done = subprocess.run(f"{eligo_command} {made}", shell=True, cwd=tmp_path, capture_output=True, check=True)
        tokens.append(done.stdout.decode().strip())
    own, admin = tokens
    containers = [
        each
        for manifest in yaml.safe_load_all(text)
        for each in manifest["spec"].get("template", {}).get("spec", {}).get("containers", [])
    ]
    address = ""
    with ExitStack() as stack:
        for number, container in enumerate(containers):
            mounts = {each["mountPath"] for each in container["volumeMounts"]}
            assert {"/data", "/etc/eligo"} <= mounts
            (tmp_path / f"data{number}").mkdir()
            places = {"/data": f"data{number}", "/etc/eligo/tokens.json": "tokens/tokens.json", "8080": "0"}
            arguments = [places.get(word, word) for word in container["args"]]
            arguments = [address if word.startswith("http://eligo") else word for word in arguments]
            variables = {each["name"] for each in container.get("env", [])}
            address = stack.enter_context(
                deployed(shlex.split(eligo_command) + arguments, tmp_path, dict.fromkeys(variables, admin))
            )
            until(lambda: asked(f"{address}/readyz")[0] == 200)  # noqa: B023
            assert asked(f"{address}/match", body={"age": 30})[0] == 401
            bearer = {"authorization": f"Bearer {own}"}
            assert asked(f"{address}/match", bearer, {"age": 30})[0] == 200
    assert len(containers) == 2


@contextmanager
def deployed(command: list[str], cwd: Path, variables: dict[str, str]) -> Iterator[str]:
    """The address of a service that has been started, at this machine."""
    process = subprocess.Popen(
        command, cwd=cwd, env={**os.environ, **variables}, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    assert process.stderr is not None
    said = ""
    try:
        for line in process.stderr:
            said += line
            if found := re.search(r"serving .* at http://0\.0\.0\.0:(\d+)", line):
                yield f"http://127.0.0.1:{found[1]}"
                break
        else:
            raise AssertionError(said)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def test_the_proxy_passes_on_the_host_that_the_browser_named() -> None:
    """The page's `Origin` has a port where the address has one, and is compared with `Host`."""
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    places = [place for place in re.findall(r"location [^{]*{([^}]*)}", text) if "proxy_pass" in place]
    assert len(places) == 3
    assert all("proxy_set_header Host $http_host;" in place for place in places)


def test_the_page_on_running_names_options_and_files_that_there_are() -> None:
    text = (REPOSITORY / "docs" / "how-to" / "serve.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(--[a-z-]+)`", text)) <= options_of_serve()
    for name in re.findall(r"`deploy/([\w.]+)`", text):
        assert (DEPLOY / name).is_file()
