"""What does `eligo verify` print, and with what code does it end?"""

from __future__ import annotations

import json
from pathlib import Path

import eligo

from .conftest import EligoCommand


def test_a_whole_index_is_fine(eligo_command: EligoCommand, tmp_path: Path) -> None:
    eligo.build({"a": "age > 3"}).save(tmp_path / "x.index")
    found = eligo_command("verify", tmp_path / "x.index", "--deep")
    assert (found.code, found.out) == (0, "")
    assert "1 version, 2 files" in found.err
    assert "every element: all is as it was written" in found.err


def test_each_problem_is_a_line_and_the_code_is_1(eligo_command: EligoCommand, tmp_path: Path) -> None:
    eligo.build({"a": "age > 3"}).save(tmp_path / "x.index")
    (shard,) = (tmp_path / "x.index" / "shards").iterdir()
    (vocabulary,) = (tmp_path / "x.index" / "vocabulary").iterdir()
    vocabulary.unlink()
    shard.write_bytes(shard.read_bytes()[:-64] + b"\1" * 64)
    found = eligo_command("verify", tmp_path / "x.index")
    assert found.code == 1
    assert len(found.out.splitlines()) >= 2
    assert all(line.startswith(str(tmp_path)) for line in found.out.splitlines())
    told = json.loads(eligo_command("verify", tmp_path / "x.index", "--json").out)
    assert {Path(problem["path"]).name for problem in told["problems"]} == {shard.name, vocabulary.name}


def test_what_is_no_index_cannot_be_verified(eligo_command: EligoCommand, tmp_path: Path) -> None:
    assert eligo_command("verify", tmp_path).code == 2
