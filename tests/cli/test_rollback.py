from __future__ import annotations

from pathlib import Path

import eligo

from .conftest import EligoCommand


def test_an_earlier_version_comes_back(eligo_command: EligoCommand, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    index = eligo.build({"a": "age = 1"}, engine="scan")
    index.save(path)
    index.insert("b", "age = 2")
    index.save(path)
    done = eligo_command("rollback", path)
    assert done.code == 0, done.err
    assert "version 3" in done.err and "1 expression" in done.err and "before version 2" in done.err
    assert eligo.open(path).ids == ["a"]
    assert eligo_command("rollback", path, 2, "--expected-version", 3).code == 0
    assert eligo.open(path).ids == ["a", "b"]


def test_what_cannot_come_back(eligo_command: EligoCommand, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    eligo.build({"a": "age = 1"}, engine="scan").save(path)
    for arguments, said in (
        ((path,), "no version before 1"),
        ((path, 7), "version 7"),
        ((path, 1), "live already"),
        ((tmp_path / "none",), "cannot open"),
        ((path, 1, "--expected-version", 5), "not at version 5"),
    ):
        refused = eligo_command("rollback", *arguments)
        assert refused.code == 2
        assert said in refused.err
    assert eligo.open(path).ids == ["a"]
