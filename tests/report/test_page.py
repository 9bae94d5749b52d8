"""Does a report hold what it is given, as one page that needs nothing else?"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from eligo.report import svg_plots
from eligo.report.page import Report

FULL = Report(
    title="Matches of <events>",
    facts={"events": "1,000"},
    stages={"read": 0.5, "match": 12.25},
    counts=np.array([900, 30, 1]),
    num_expressions=10,
    num_events=1_000,
    most_matched=[("ad-1", "age < 25 & 'x'", 900)],
    sharing=[{"level": 1, "occurrences": 30, "distinct": 10, "ratio": 3.0}],
    tables={"Operators": (("operator", "occurrences"), [("and", 5)])},
)


def test_the_page(tmp_path: Path) -> None:
    FULL.write(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert "Matches of &lt;events&gt;" in page
    assert "age &lt; 25 &amp; &#x27;x&#x27;" in page
    assert "3 of 10 expressions match an event" in page
    assert "12.2 s" in page
    assert "3.00 ×" in page
    assert "none: 7" in page
    assert page.count("<svg") == page.count("</svg>") == 4
    assert not any(word in page for word in ("http", "src=", "href=", "@import"))
    assert "<svg" not in Report(title="empty").html()


def test_ids_stay_as_they_are_and_long_expressions_are_cut() -> None:
    long = " or ".join(f"age = {age}" for age in range(1_000))
    page = Report(title="x", counts=np.array([7_000]), most_matched=[(123_456, long, 7_000)]).html()
    assert ">123456<" in page
    assert ">7,000<" in page
    assert f"… ({len(long):,} characters)" in page
    assert len(page) < len(long)


@pytest.mark.parametrize(
    "drawing",
    [
        svg_plots.bars(["a & b", "c"], [0, 3.5], unit="s"),
        svg_plots.bars([], []),
        svg_plots.columns(["none", "≤ 1%"], [0, 0], x_title="x", y_title="y"),
        svg_plots.columns(["none", "≤ 1%"], [1, 100_000], x_title="x", y_title="y"),
        svg_plots.rank_line([], x_title="x", y_title="y"),
        svg_plots.rank_line([7], x_title="x", y_title="y"),
        svg_plots.rank_line(list(range(1, 5_000)), x_title="x", y_title="y"),
    ],
)
def test_every_drawing_is_whole(drawing: str) -> None:
    root = ET.fromstring(drawing)
    for element in root.iter():
        for name in ("x", "y", "width", "height"):
            assert float(element.get(name, "0")) >= 0


def test_data_is_neither_markup_nor_invisible(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>\x1b[31m\u202e\ud800&"
    report = Report(hostile, hostile, {hostile: hostile}, tables={hostile: ((hostile,), ((hostile,),))})
    report.write(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "<script" not in page
    assert page.replace("\n", "").isprintable()
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
