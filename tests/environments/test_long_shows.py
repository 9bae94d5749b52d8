"""Do the long shows run tests that are there, and does their table say what was skipped?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from environments.environment import REPOSITORY
from environments.long_shows import SHOWS, chosen, shows_table, skips, version_of

RUN = {"versions": {"Python": "3.11.7", "pyspark": "4.3.0"}, "commit": "abcdef", "day": "2026-01-02"}


def test_every_show_is_of_long_tests_that_are_there() -> None:
    """A name that is no test ends the collection with an error, and one that is not long is deselected."""
    names = [test for tests in SHOWS.values() for test in tests]
    command = [sys.executable, "-m", "pytest", "-m", "long", "--collect-only", "-q", "-p", "no:cacheprovider", *names]
    said = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout[-2000:]
    collected = [line for line in said.stdout.splitlines() if "::" in line]
    for name in names:
        assert any(line.startswith(name) for line in collected), name


def test_shows_are_chosen_by_words_of_their_names() -> None:
    assert chosen([]) == [*SHOWS]
    assert chosen(["VersityGW", "stream"]) == [name for name in SHOWS if "versitygw" in name or "stream" in name]
    with pytest.raises(SystemExit, match="no show is about cassandra"):
        chosen(["cassandra"])


def test_what_was_skipped_is_named_with_its_reason(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        '<testsuites><testsuite><testcase name="test_a"/><testcase name="test_b">'
        '<skipped message="needs | versitygw"/></testcase></testsuite></testsuites>'
    )
    found = {"passed": 1, "failed": 0, "skipped": 1, "seconds": 7, "skips": skips(report), **RUN}
    first, second, *_ = SHOWS
    table = shows_table({first: found}).splitlines()
    skipped, versions = "`test_b`: needs \\| versitygw", "Python 3.11.7, pyspark 4.3.0"
    assert table[2] == f"| {first} | 1 | 0 | 1 | 7 | {skipped} | {versions} | abcdef | 2026-01-02 |"
    assert table[3].startswith(f"| {second} |") and "not run" in table[3]


def test_a_program_that_says_nothing_has_no_version() -> None:
    assert version_of("/bin/true") == "–"
