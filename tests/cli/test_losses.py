"""Is a good index kept when the file of a build or an update says too little?"""

from __future__ import annotations

from pathlib import Path

import pytest

import eligo

from .conftest import EligoCommand


def test_a_header_alone_replaces_nothing(spark: object, eligo_command: EligoCommand, tmp_path: Path) -> None:
    index, table = tmp_path / "x.index", tmp_path / "ads.csv"
    eligo.build({"a": "age = 1", "b": "age = 2"}, engine="scan").save(index)
    table.write_text("id,expression\n")
    refused = eligo_command("build", table, index)
    assert refused.code == 2
    assert "none of 2 expressions" in refused.err and "--max-shrink 100%" in refused.err
    table.write_text("id,expression\na,age =\n")
    refused = eligo_command("build", table, index)
    assert refused.code == 2
    assert "all 1 rows" in refused.err and "--max-rejects" in refused.err
    assert "age =" in refused.err, "the bad row is shown"
    assert eligo.open(index).ids == ["a", "b"]
    gone = tmp_path / "gone.csv"
    gone.write_text("id\na\nb\n")
    assert eligo_command("update", index, "--deleted", gone).code == 2
    assert eligo_command("update", index, "--deleted", gone, "--max-shrink", "100%").code == 0
    assert eligo.open(index).ids == []


@pytest.mark.parametrize("option", ["--max-shrink", "--max-rejects"])
def test_what_is_no_bound_is_told_at_once(eligo_command: EligoCommand, tmp_path: Path, option: str) -> None:
    for command in (("build", "none.csv", tmp_path / "i"), ("update", tmp_path / "i", "--deleted", "none.csv")):
        told = eligo_command(*command, option, "much")
        assert told.code == 2
        assert f"{option} cannot be 'much'" in told.err
