"""Do the commands take expressions in every form, with weights and windows, and say what is wrong with the others?"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

import eligo

from ..conftest import EligoCommand

pytestmark = pytest.mark.usefixtures("spark")

FORM = json.dumps(
    {"and": [{"attribute": "age", "operator": ">", "value": 18}, {"attribute": "vip", "operator": "is true"}]}
)
BAD_FORM = json.dumps({"attribute": "age", "operator": "~", "value": 18})
ROWS = [
    ("form", FORM, '{"age": 3}', "2026-01-01", ""),
    ("text", "age > 18", "", "", "2027-01-01T00:00:00Z"),
    ("bad form", BAD_FORM, "", "", ""),
    ("no json", "{age", "", "", ""),
    ("bad weight", "age > 18", '{"age": "heavy"}', "", ""),
    ("bad moment", "age > 18", "", "soon", ""),
]


def as_csv(path: Path) -> Path:
    with (path / "rules.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "expression", "w", "start", "stop"), *ROWS])
    return path / "rules.csv"


def as_json_lines(path: Path) -> Path:
    """With JSON objects where CSV has texts of them."""
    lines = []
    for id, expression, weights, start, stop in ROWS:
        row = {"id": id, "expression": expression, "start": start or None, "stop": stop or None}
        if id in ("form", "bad form"):
            row["expression"] = json.loads(expression)
        lines.append(json.dumps({**row, "w": json.loads(weights) if weights else None}) + "\n")
    (path / "rules.jsonl").write_text("".join(lines))
    return path / "rules.jsonl"


@pytest.mark.parametrize("table", [as_csv, as_json_lines])
def test_build_update_and_profile(eligo_command: EligoCommand, tmp_path: Path, table: Callable[[Path], Path]) -> None:
    rules, index, aside = table(tmp_path), tmp_path / "x.index", tmp_path / "rejects.jsonl"
    columns = ("--weights", "w", "--valid-from", "start", "--valid-to", "stop", "--rejects", aside)
    built = eligo_command("build", rules, index, *columns)
    assert built.code == 1, built.err
    assert "6 rows: 2 accepted, 4 rejected" in built.err
    assert "rows/s" in built.err
    errors = {row["id"]: row["error"] for row in map(json.loads, aside.read_text().splitlines())}
    assert "'~'" in errors["bad form"]
    assert "JSON" in errors["no json"]
    assert errors["bad weight"].startswith("the weight of 'age' is 'heavy'")
    assert errors["bad moment"] == "valid_from 'soon' is not a date or timestamp"
    event = {"age": 20, "vip": True, "@time": eligo_time("2026-06-01")}
    assert eligo.open(index).top(event, 9) == [("form", 4.0), ("text", 1.0)]
    assert eligo.open(index).match({**event, "@time": eligo_time("2027-06-01")}) == ["form"]
    updated = eligo_command("update", index, "--changed", rules, *columns)
    assert "2 expressions changed" in updated.err
    assert eligo.open(index).top(event, 9) == [("form", 4.0), ("text", 1.0)]
    profiled = eligo_command("profile", rules, "--json")
    found = json.loads(profiled.out)
    assert (found["num_expressions"], found["num_rejected"]) == (4, 2)
    checked = eligo_command("check", rules, "--json")
    assert checked.code == 1
    assert {json.loads(line)["id"] for line in checked.out.splitlines()} == {"bad form", "no json"}


def eligo_time(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)
