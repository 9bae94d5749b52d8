"""CSV in and CSV out, with a sign of one's own between the fields."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from .conftest import EligoCommand


def rows_of(text: str, delimiter: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines(), delimiter=delimiter))


def test_from_csv_to_csv(spark: SparkSession, eligo_command: EligoCommand, tmp_path: Path) -> None:
    (tmp_path / "rules.csv").write_text("id;expression\nyoung;age < 25\nca;\"state in ('CA', 'N;Y')\"\n")
    (tmp_path / "events.csv").write_text('event_id;age;state;note\n1;20;"N;Y";"a ""b"""\n2;30;TX;\n3;30;CA;x,y\n')
    index, out = tmp_path / "ads.index", tmp_path / "matches.csv"
    options = ("--delimiter", ";")
    assert eligo_command("build", tmp_path / "rules.csv", index, *options).code == 0
    told = eligo_command("match", index, tmp_path / "events.csv", "--out", out, "--keep", "note", *options)
    assert told.code == 0, told.err
    expected = [["1", 'a "b"', "young"], ["1", 'a "b"', "ca"], ["3", "x,y", "ca"]]
    header, *found = rows_of(out.read_text(), ";")
    assert (header, sorted(found)) == (["event_id", "note", "expression_id"], sorted(expected))
    shown = eligo_command("count", index, tmp_path / "events.csv", "--out", "-", "--out-format", "csv", *options)
    assert shown.out == "expression_id;matches\nca;2\nyoung;1\n"
    wrong = eligo_command("match", index, tmp_path / "events.csv", "--out", "-")
    assert (wrong.code, "separated by ';': give --delimiter" in wrong.err) == (2, True)
    tabs = eligo_command("match", index, tmp_path / "events.csv", "--out", "-", "--delimiter", ";;")
    assert (tabs.code, "is not one sign" in tabs.err) == (2, True)


@pytest.mark.parametrize("command", ["build", "profile"])
def test_files_are_looked_for_before_spark(
    eligo_command: EligoCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def started(*_: object) -> None:
        raise AssertionError("Spark was started")

    monkeypatch.setattr(f"eligo.cli.{command}.started_session", started)
    rest = [tmp_path / "x.index"] if command == "build" else []
    missing = eligo_command(command, tmp_path / "nope.csv", *rest)
    assert (missing.code, f"there is no file {tmp_path}/nope.csv" in missing.err) == (2, True)
    (tmp_path / "rules.txt").write_text("age < 25\n")
    unknown = eligo_command(command, tmp_path / "rules.txt", *rest)
    assert (unknown.code, "says text, which cannot be used here" in unknown.err) == (2, True)
