"""Do the tables of environments say what the runs said? Counted, kept in parts, written between markers."""

from __future__ import annotations

from pathlib import Path

import pytest

from environments import ends, spark_matrix
from environments.results import Counts, counts_in, markers, pinned_version, write_between

REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="1" failures="2" skipped="3" tests="20" time="1.5"/></testsuites>
"""


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
    return {"passed": passed, "failed": failed, "skipped": 0, "day": f"2026-01-{passed % 28 + 1:02}"}


class TestParts:
    VERSIONS = {"Python": "3.12.1", **dict.fromkeys(ends.SHOWN, "1.0")}  # noqa: RUF012

    def test_are_summed_and_the_last_of_each_counts(self) -> None:
        kept = ends.with_part({}, self.VERSIONS, "tests/data", part(5, failed=1))
        kept = ends.with_part(kept, self.VERSIONS, "tests/index", part(10))
        kept = ends.with_part(kept, self.VERSIONS, "tests/data", part(6))
        _, _, row = rows(ends.versions_table({"newest-3.12": kept}))
        assert row[:2] == ["newest", "3.12.1"]
        assert row[-5:] == ["16", "0", "0", "`tests/data`, `tests/index`", "2026-01-11"]

    def test_are_forgotten_when_all_are_run_or_a_version_is_another(self) -> None:
        kept = ends.with_part({}, self.VERSIONS, "tests/data", part(5))
        assert [*ends.with_part(kept, self.VERSIONS, "tests", part(90))["parts"]] == ["tests"]
        other = {**self.VERSIONS, "numpy": "2.0"}
        assert [*ends.with_part(kept, other, "tests/index", part(7))["parts"]] == ["tests/index"]


def test_pins_name_versions() -> None:
    pins = "numba==0.60.0\n    # via eligo\nnumpy==1.26.0\n"
    assert [pinned_version(pins, name) for name in ("numba", "numpy", "num")] == ["0.60.0", "1.26.0", "–"]


@pytest.mark.parametrize(
    ("page", "name", "start"), [(spark_matrix.PAGE, spark_matrix.TABLE, "4."), (ends.PAGE, ends.TABLE, "newest")]
)
def test_the_page_has_its_table(page: Path, name: str, start: str) -> None:
    begin, end = markers(name)
    told = page.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0]
    assert [row for row in rows(told.strip()) if row[0].startswith(start)], "make test-… writes it"
