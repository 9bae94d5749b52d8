"""Does a report on a job tell its numbers, its most matched expressions and what they share?"""

from __future__ import annotations

import pyarrow as pa

from eligo.report.job_pages import MOST_MATCHED, match_page, sharing_of
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
        texts=pa.array([*texts.values(), "x = 1"]),
        text_of=lambda id: texts[id],
    )
    assert report.note == "against ads.index, version 4"
    assert report.facts["events"] == "1,000, of which 3 rejected"
    assert report.facts["expressions"] == "31 in 1 shard, 2.5 MB"
    assert report.facts["time"] == "2.0 s, 500 events a second"
    assert report.num_events == 997
    assert len(report.most_matched) == MOST_MATCHED
    assert list(report.most_matched[:3]) == [(0, "age = 0", 30), (1, "age = 1", 30), (2, "age = 2", 29)]
    assert report.sharing_note == ""


def test_sharing_counts_what_occurs_again() -> None:
    predicates, whole = sharing_of(pa.array(["a = 1 and b = 2", "a = 1 and b = 2", "a = 1 and c = 3"]))
    assert (predicates["level"], predicates["occurrences"], predicates["distinct"]) == (1, 6, 3)
    assert (whole["occurrences"], whole["distinct"], whole["ratio"]) == (3, 2, 1.5)
