"""Does a report on a job tell its numbers, its most matched expressions and what they share?"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pyarrow as pa

from eligo import __version__
from eligo.report.job_pages import MOST_MATCHED, NEVER_MATCHED, is_matched, match_page, sharing_of
from eligo.report.match_summary import MatchSummary

SUMMARY = MatchSummary(
    num_events=1_000,
    num_rejected=3,
    num_matches=37,
    version=4,
    num_shards=1,
    num_bytes=2_500_000,
    stages={"read": 0.5, "match": 1.5},
)


def test_a_page_on_matches() -> None:
    texts = {id: f"age = {id}" for id in range(30)}
    counts = pa.table({"expression_id": list(texts), "matches": [30 - id // 2 for id in texts]})
    report = match_page(
        "events.parquet",
        "ads.index",
        SUMMARY,
        counts=counts,
        ids=pa.array([*texts, 99]),
        texts=pa.array([*texts.values(), "x = 1"]),
        text_of=lambda id: texts[id],
        rejects=[('{"age": oops}', "not JSON: <b>", "")],
        made_at=datetime(2026, 11, 18, 5, 30, tzinfo=UTC),
    )
    assert report.note == "against ads.index, version 4"
    assert report.facts["events"] == "1,000, of which 3 rejected"
    assert report.facts["expressions"] == "31 in 1 shard, 2.5 MB"
    assert report.facts["time"] == "2.0 s, 500 events a second"
    assert report.facts["made"] == f"2026-11-18 05:30 UTC by Eligo {__version__}"
    assert report.facts["index"] == "version 4 of ads.index"
    assert report.num_events == 997
    assert report.never_matched == [(99, "x = 1")]
    page = report.html()
    assert "1 expression matches no event." in page
    assert '<td class="code short">99</td><td class="code short">x = 1</td>' in page
    assert "3 events could not be read and had no matches; these are the first 1." in page
    assert "not JSON: &lt;b&gt;" in page
    assert len(report.most_matched) == MOST_MATCHED
    assert list(report.most_matched[:3]) == [(0, "age = 0", 30), (1, "age = 1", 30), (2, "age = 2", 29)]
    assert report.sharing_note == ""


def test_small_numbers_are_not_rounded_away() -> None:
    small = replace(SUMMARY, num_events=3, num_rejected=0, num_bytes=15_480)
    counts = pa.table({"expression_id": pa.array([1]), "matches": [2]})
    report = match_page(
        "e", "i", small, counts=counts, ids=pa.array([1]), texts=pa.array(["x = 1"]), text_of=lambda id: "x = 1"
    )
    assert report.facts["expressions"] == "1 in 1 shard, 15.5 kB"
    assert report.facts["time"] == "2.0 s, 1.5 events a second"


def test_of_many_that_never_matched_the_first_are_named() -> None:
    ids = pa.array([f"ad-{number}" for number in range(500)])
    counts = pa.table({"expression_id": pa.array(["ad-0"], pa.large_string()), "matches": [2]})
    texts = pa.array(["x = 1"] * 500)
    report = match_page("e", "i", SUMMARY, counts=counts, ids=ids, texts=texts, text_of=lambda id: "x = 1")
    assert [id for id, _ in report.never_matched] == [f"ad-{number}" for number in range(1, NEVER_MATCHED + 1)]
    assert f"499 expressions match no event; these are the first {NEVER_MATCHED}." in report.html()
    assert is_matched(ids.slice(0, 2), counts["expression_id"]).tolist() == [True, False]


def test_sharing_counts_what_occurs_again() -> None:
    predicates, whole = sharing_of(pa.array(["a = 1 and b = 2", "a = 1 and b = 2", "a = 1 and c = 3"]))
    assert (predicates["level"], predicates["occurrences"], predicates["distinct"]) == (1, 6, 3)
    assert (whole["occurrences"], whole["distinct"], whole["ratio"]) == (3, 2, 1.5)
