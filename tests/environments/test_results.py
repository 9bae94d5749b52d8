"""Do the tables of environments say what the runs said? Counted, kept in parts, written between markers."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path

import pytest

from environments import ends, installs, long_shows, spark_matrix
from environments.environment import REPOSITORY
from environments.results import Counts, counts_in, keep, kept, markers, pinned_version, write_between

REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="1" failures="2" skipped="3" tests="20" time="1.5"/></testsuites>
"""


INSTALLING = r"\| `pip install ([^`]+)` \|[^|]+\| (\d+) MB"


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_what_could_not_begin_has_failed(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(REPORT, encoding="utf-8")
    assert counts_in(tmp_path / "report.xml") == Counts(passed=14, failed=3, skipped=3)


def test_a_table_is_written_between_its_markers(tmp_path: Path) -> None:
    begin, end = markers("found")
    page = tmp_path / "page.md"
    page.write_text(f"a\n{begin}\nold\n{end}\nb\n", encoding="utf-8")
    write_between(page, "found", "new")
    assert page.read_text(encoding="utf-8") == f"a\n{begin}\nnew\n{end}\nb\n"
    with pytest.raises(SystemExit, match="no place for the table"):
        write_between(page, "lost", "new")


def part(passed: int, failed: int = 0) -> dict[str, int | str]:
    day = f"2026-01-{passed % 28 + 1:02}"
    return {"passed": passed, "failed": failed, "skipped": 0, "day": day, "commit": f"c{passed}"}


class TestParts:
    VERSIONS = {"Python": "3.12.1", **dict.fromkeys(ends.SHOWN, "1.0")}  # noqa: RUF012

    def test_are_summed_and_the_last_of_each_counts(self) -> None:
        kept = ends.with_part({}, self.VERSIONS, "tests/data", part(5, failed=1))
        kept = ends.with_part(kept, self.VERSIONS, "tests/index", part(10))
        kept = ends.with_part(kept, self.VERSIONS, "tests/data", part(6))
        _, _, row = rows(ends.versions_table({"newest-3.12": kept}))
        assert row[:2] == ["newest", "3.12.1"]
        assert row[-6:] == ["16", "0", "0", "`tests/data`, `tests/index`", "2026-01-11", "c10, c6"]

    def test_are_forgotten_when_all_are_run_or_a_version_is_another(self) -> None:
        kept = ends.with_part({}, self.VERSIONS, "tests/data", part(5))
        assert [*ends.with_part(kept, self.VERSIONS, "tests", part(90))["parts"]] == ["tests"]
        other = {**self.VERSIONS, "numpy": "2.0"}
        assert [*ends.with_part(kept, other, "tests/index", part(7))["parts"]] == ["tests/index"]

    def test_of_the_same_tests_are_not_counted_twice(self) -> None:
        kept = ends.with_part({}, self.VERSIONS, "tests/data/events tests/index", part(5))
        kept = ends.with_part(kept, self.VERSIONS, "tests/dat", part(3))
        assert len(kept["parts"]) == 2
        for tests in ("tests/data", "tests/index/test_a.py::test_b", "tests/spark tests/index/"):
            assert [*ends.with_part(kept, self.VERSIONS, tests, part(1))["parts"]] == ["tests/dat", tests]

    def test_of_one_environment_leave_the_rows_of_others(self) -> None:
        rows_of = {name: ends.with_part({}, self.VERSIONS, "tests", part(5)) for name in ("lowest-3.11", "newest-3.12")}
        rows_of["lowest-3.11"] = ends.with_part(rows_of["lowest-3.11"], self.VERSIONS, "tests/data", part(6))
        assert [row[0] for row in rows(ends.versions_table(rows_of))[2:]] == ["lowest", "newest"]


def test_results_are_kept_beside_those_that_are_there(tmp_path: Path) -> None:
    assert kept("ends", tmp_path / "new") == {}
    keep("ends", {"newest-3.12": {"parts": {"tests": part(5)}}}, tmp_path / "new")
    keep("ends", {**kept("ends", tmp_path / "new"), "lowest-3.11": {}}, tmp_path / "new")
    assert kept("ends", tmp_path / "new") == {"newest-3.12": {"parts": {"tests": part(5)}}, "lowest-3.11": {}}


def test_pins_name_versions() -> None:
    pins = "numba==0.60.0\n    # via eligo\nnumpy==1.26.0\n"
    assert [pinned_version(pins, name) for name in ("numba", "numpy", "num")] == ["0.60.0", "1.26.0", "–"]


def shown(page: Path, name: str) -> list[list[str]]:
    begin, end = markers(name)
    return rows(page.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0].strip())


@pytest.mark.parametrize(
    ("page", "name", "text"),
    [
        (ends.PAGE, ends.TABLE, ends.versions_table(kept(ends.RESULTS))),
        (long_shows.PAGE, long_shows.TABLE, long_shows.shows_table(kept(long_shows.RESULTS))),
        (installs.PAGE, installs.TABLE, installs.installs_table(kept(installs.RESULTS))),
    ],
    ids=["ends", "long shows", "installs"],
)
def test_the_page_shows_the_results_that_are_kept(page: Path, name: str, text: str) -> None:
    assert shown(page, name) == rows(text), "run it again, or write the table of what is kept"
    assert len(rows(text)) > 2


def test_pages_say_the_sizes_that_were_measured() -> None:
    """To ten megabytes; of Spark, how much more it is."""
    found = {kind: row["megabytes"] for kind, row in kept(installs.RESULTS).items()}
    sizes = {"eligo": found["core"], '"eligo[spark]"': found["spark"] - found["core"]}
    for page, pattern in (("README.md", r"pip install (\S+) +# (\d+) MB"), ("docs/installing.md", INSTALLING)):
        said = dict(re.findall(pattern, (REPOSITORY / page).read_text(encoding="utf-8")))
        assert said == {name: str(round(size, -1)) for name, size in sizes.items()}, page


def test_the_page_shows_the_spark_matrix_that_is_kept() -> None:
    """But for the files that were not run: there may be new ones since."""
    results = kept(spark_matrix.RESULTS)
    found = [row[:-1] for row in takewhile(lambda row: row != [""], shown(spark_matrix.PAGE, spark_matrix.TABLE))]
    assert found == [row[:-1] for row in rows(spark_matrix.matrix(results))]
    assert [row[0].rpartition(".")[0] for row in found[2:]] == [*spark_matrix.LACKING]
    assert spark_matrix.circumstances(results) in spark_matrix.PAGE.read_text(encoding="utf-8")
