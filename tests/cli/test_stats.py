"""Does `eligo stats` tell what an index holds, which engine answers and why, and what costs most?"""

from __future__ import annotations

import json
from pathlib import Path

import eligo
from eligo.workloads import whang_contracts

from .conftest import EligoCommand

RULES = {
    "rare": "city = 'Ulm' and (a = 1 or a = 2 or a = 3)",
    "always": "not city = 'Ulm' and not a = 1",
    "same": "not city = 'Ulm' and not a = 1",
    "[red]wide": "city = 'Bonn' and a = 1",
}


def test_a_small_index(eligo_command: EligoCommand, tmp_path: Path) -> None:
    index = tmp_path / "rules.index"
    built = eligo.build(RULES)
    built.save(index)
    built.delete("same")
    built.save(index)
    told = eligo_command("stats", index, "--costliest", 2)
    assert told.code == 0, told.err
    lines = told.out.splitlines()
    assert lines[0].startswith("version       2, published 20")
    assert "3, 1 deleted, 3 different texts" in told.out
    assert "engine        auto" in lines
    assert "a_tree for 4 expressions: 4 expressions are few" in told.out
    assert [line.split()[2] for line in lines[-2:]] == ["rare", "always"], "the third is entered seldom, and is small"
    fields = json.loads(eligo_command("stats", index, "--json", "--version", 1).out)
    assert (fields["expressions"], fields["distinct"], fields["attributes"]) == (4, 3, 2)
    assert fields["shards"][0]["engine"] == "a_tree"
    assert {costly["id"] for costly in fields["costliest"]} == set(RULES)


def test_a_chosen_engine_and_a_named_one(eligo_command: EligoCommand, tmp_path: Path) -> None:
    expressions = whang_contracts.generate(12_000, 1, 5).expressions
    eligo.build(expressions).save(tmp_path / "chosen")
    eligo.build(expressions.slice(0, 10), engine="scan").save(tmp_path / "named")
    assert (
        "k_index for 12,000 expressions: expressions are ORs of ANDs" in eligo_command("stats", tmp_path / "chosen").out
    )
    assert "scan for 10 expressions: it was asked for by its name" in eligo_command("stats", tmp_path / "named").out


def test_an_empty_index_and_none(eligo_command: EligoCommand, tmp_path: Path) -> None:
    eligo.build({}).save(tmp_path / "empty")
    told = eligo_command("stats", tmp_path / "empty")
    assert told.code == 0, told.err
    assert "expressions   0" in told.out
    assert eligo_command("stats", tmp_path / "none").code == 2


def test_the_lists_of_ranges(eligo_command: EligoCommand, tmp_path: Path) -> None:
    nested = {number: f"age between {number} and {200 - number} and a > 1" for number in range(100)}
    eligo.build(nested).save(tmp_path / "chosen")
    eligo.build(nested, ranges="elementary").save(tmp_path / "asked")
    told = eligo_command("stats", tmp_path / "chosen").out
    assert "ranges        auto: segment trees for 1 axis, elementary lists for 1 axis" in told
    fields = json.loads(eligo_command("stats", tmp_path / "asked", "--json").out)
    assert (fields["ranges"], fields["shards"][0]["num_elementary"]) == ("elementary", 2)
