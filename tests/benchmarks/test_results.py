"""Do results survive being stored, and do tables and plots come from what was stored?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import machine, plots, results, tables
from benchmarks.results import Result, ResultError, Row

MACHINE = {
    "date": "2026-01-02T03:04:05+00:00",
    "cpu": "a processor",
    "cores": 2,
    "memory_gib": 8.0,
    "system": "a system",
    "versions": {"python": "3.11.0", "numpy": "2.3.0", "pyspark": None},
    "commit": "0123456789abcdef",
    "is_dirty": False,
}

POINTS = [
    {
        "num_expressions": size,
        "single_mean_us": 10.0,
        "dict_mean_us": 40.0,
        "block_mean_us": 2.0,
        "scan_mean_us": size / 50,
    }
    for size in (10_000, 100_000)
]


def example(**changes: Any) -> Result:
    rows = [
        Row(
            "speed",
            "speed of `it`",
            "times",
            value=12.345,
            bar=10,
            is_reached=True,
            details={"rounds_s": [0.1, 0.2]},
            spread=(11.9, 13.8),
        ),
        Row("size", "size of it", "bytes", value=1234.5, bar=190, at_least=False, is_reached=False),
        Row("later", "what is not there yet", "times", skipped="there is no engine 'x'", bar=3),
        Row("latency", "latency", "µs", value=10.0, details={"points": POINTS}),
    ]
    given = {
        "workloads": {"plain": {"report": {}}},
        "indexes": [],
        "rows": rows,
        "peak_memory_gib": 1.5,
        "machine": MACHINE,
    }
    return Result(**{"experiment": "default_engine", "question": "?", "scale": "full", "seed": 1, **given, **changes})


def test_a_result_comes_back_as_it_was_stored(tmp_path: Path) -> None:
    path = results.save(example(), tmp_path)
    assert path.name == "default_engine-full-20260102T030405.json"
    assert results.load(path) == example()
    ranged = example(rows=[Row("a", "a", "times", value=2.0, paper=(1.58, 2.97)), Row("b", "b", "times", paper=1.0)])
    assert results.load(results.save(ranged, tmp_path)) == ranged


def test_the_newest_result_is_found_and_full_is_preferred(tmp_path: Path) -> None:
    for date, scale in (("2026-01-02", "full"), ("2026-03-01", "full"), ("2026-05-01", "small")):
        results.save(example(scale=scale, machine={**MACHINE, "date": f"{date}T00:00:00+00:00"}), tmp_path)
    assert results.latest("default_engine", directory=tmp_path).name == "default_engine-full-20260301T000000.json"
    assert "small" in results.latest("default_engine", "small", tmp_path).name
    with pytest.raises(ResultError, match="no stored result of 'other'"):
        results.latest("other", directory=tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 99}', '{"format": 1}'])
def test_what_is_no_result_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text)
    with pytest.raises(ResultError, match=r"odd\.json"):
        results.load(path)


def test_the_table_says_what_was_measured_missed_and_skipped() -> None:
    table = tables.result_table(example())
    assert "| speed of `it` | 12.3 (11.9–13.8) times | ≥ 10 | reached |" in table
    assert "| size of it | 1,230 bytes | ≤ 190 | **not reached** |" in table
    assert "| what is not there yet | skipped: there is no engine 'x' | ≥ 3 |  |" in table
    assert "2 cores of a processor" in table
    assert "commit 0123456789ab;" in table


def test_the_table_has_a_column_for_the_paper_where_it_prints_figures() -> None:
    rows = [Row("a", "level 1", "times", value=67.65, paper=68.76), Row("b", "level 2", "times", value=44.5)]
    lines = tables.result_table(example(rows=rows)).splitlines()
    assert lines[2:] == [
        "|  | measured | paper |",
        "| --- | ---: | ---: |",
        "| level 1 | 67.7 times | 68.76 |",
        "| level 2 | 44.5 times |  |",
    ]


@pytest.mark.parametrize(
    ("value", "spread", "printed"),
    [
        (2.23, (2.12, 2.41), "2.2 (2.1–2.4)"),
        (9.5, (9.4, 10.2), "9.5 (9.4–10.2)"),
        (1.05, (1.02, 1.06), "1.05 (1.02–1.06)"),
        (1234.5, (1100.0, 1310.0), "1,200 (1,100–1,300)"),
        (0.02049, (0.0203, 0.0209), "0.0205 (0.0203–0.0209)"),
        (2.0, (1.8, 2.1), "2.0 (1.8–2.1)"),
        (0.9996, (0.9, 1.2), "1.0 (0.9–1.2)"),
        (3.14159, None, "3.14"),
        (130190.0, None, "130,000"),
        (7.0, None, "7"),
        (0.0, None, "0"),
    ],
)
def test_a_figure_has_no_more_digits_than_its_spread_allows(
    value: float, spread: tuple[float, float] | None, printed: str
) -> None:
    assert tables.figure_with_spread(value, spread) == printed


def test_what_a_paper_prints_is_not_rounded() -> None:
    assert [tables.as_printed(value) for value in (68.76, 973_794, 4592.0)] == ["68.76", "973,794", "4,592"]
    assert tables.as_printed((1.58, 2.97)) == "1.58–2.97"


def test_results_without_spreads_are_still_read(tmp_path: Path) -> None:
    path = results.save(example(), tmp_path)
    form = json.loads(path.read_text())
    for row in form["rows"]:
        del row["spread"]
    path.write_text(json.dumps(form))
    assert {row.spread for row in results.load(path).rows} == {None}


def test_a_page_shows_the_picture_that_lies_beside_a_result(tmp_path: Path) -> None:
    source, page = tmp_path / "results" / "a.json", tmp_path / "docs" / "page.md"
    source.parent.mkdir()
    assert tables.picture_line(source, page, "Is it?") == ""
    source.with_suffix(".png").touch()
    assert tables.picture_line(source, page, "Is it?") == "\n\n![Is it?](../results/a.png)"


def test_a_table_is_written_between_its_markers_only(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- results: a -->\nold\n<!-- end of results -->\nafter\n")
    tables.write_into(page, "a", r"new \1 table")
    assert page.read_text() == "before\n<!-- results: a -->\nnew \\1 table\n<!-- end of results -->\nafter\n"
    with pytest.raises(ResultError, match="no place for 'b'"):
        tables.write_into(page, "b", "table")


def test_a_plot_is_drawn_from_a_stored_result(tmp_path: Path) -> None:
    stored = results.load(results.save(example(), tmp_path))
    plots.draw(stored, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_sharing_is_drawn_by_level(tmp_path: Path) -> None:
    rows = [Row(f"ads_like_level_{level}", "", "times", value=70 / level, paper=68.76) for level in range(1, 10)]
    plots.draw(example(experiment="sharing", rows=rows), tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_nothing_measured_is_nothing_to_draw(tmp_path: Path) -> None:
    skipped = [Row("later", "later", "times", skipped="there is no engine 'x'", bar=3)]
    with pytest.raises(ResultError, match="skipped"):
        plots.draw(example(rows=skipped), tmp_path / "plot.png")
    with pytest.raises(ResultError, match="no drawing of 'other'"):
        plots.draw(example(experiment="other"), tmp_path / "plot.png")


def test_margins_say_how_many_times_better_than_the_bar() -> None:
    assert plots.margin(Row("a", "", "", value=20, bar=10)) == 2
    assert plots.margin(Row("a", "", "", value=20, bar=10, at_least=False)) == 0.5
    assert plots.spread([1.0, 1.1, 10.0], 1.5) == [1.0, 1.5, 10.0]


def test_the_machine_is_described_without_names_or_paths() -> None:
    about = machine.describe()
    assert about["cores"] >= 1
    assert about["versions"]["numpy"]
    assert about["cpu"]
    assert set(about) == set(MACHINE)
