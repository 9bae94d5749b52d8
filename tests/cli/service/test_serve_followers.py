"""Does `eligo serve --follow` serve what another has, in processes of their own?"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import eligo
from owners import asked, until


@contextmanager
def serving(*arguments: object) -> Iterator[str]:
    """The address of a service that the command runs; stopped afterwards, and it must end by itself."""
    command = [str(Path(sys.executable).with_name("eligo")), "serve", "--port", "0", *map(str, arguments)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert process.stderr is not None
    said = ""
    try:
        for line in process.stderr:
            said += line
            if "  the page: " in line:
                break
        assert "the page" in said, said
        yield said.rpartition("the page: ")[2].strip().rstrip("/")
    finally:
        process.send_signal(signal.SIGTERM)
        rest = process.stderr.read()
        process.stderr.close()
        assert process.wait(60) == 0, said + rest


def test_a_follower_serves_what_its_owner_has(tmp_path: Path) -> None:
    with serving(tmp_path / "owner") as owner, serving(tmp_path / "follower", "--follow", owner) as follower:
        status, body = asked(f"{owner}/expressions", body={"id": "a", "expression": "x > 1"})
        assert status == 200
        seq = json.loads(body.splitlines()[0])["seq"]
        status, body = asked(f"{follower}/match?min_seq={seq}", body={"x": 2})
        assert (status, json.loads(body)["matches"]) == (200, ["a"])
        told = json.loads(asked(f"{follower}/status")[1])["following"]
        assert (told["source"], told["records_behind"]) == (owner, 0)


def test_an_index_is_followed_without_a_directory(tmp_path: Path) -> None:
    index = eligo.build({"a": "x > 1"})
    index.save(tmp_path / "ads.index")
    with serving("--follow", tmp_path / "ads.index") as follower:
        assert json.loads(asked(f"{follower}/match", body={"x": 2})[1])["matches"] == ["a"]
        index.insert("b", "x > 1")
        index.save(tmp_path / "ads.index")
        until(lambda: asked(f"{follower}/readyz?min_version=2")[0] == 200)
        assert sorted(json.loads(asked(f"{follower}/match", body={"x": 2})[1])["matches"]) == ["a", "b"]
