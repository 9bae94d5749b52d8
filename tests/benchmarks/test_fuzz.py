"""A short form of the fuzzing of texts; and does it notice when something foreign is raised, or two parsers differ?"""

from __future__ import annotations

import pytest

from benchmarks.siege import fuzz
from eligo.language.tree import TRUE


def test_texts_that_are_almost_right(monkeypatch: pytest.MonkeyPatch) -> None:
    for share in ("SINGLY", "EXPLAINED", "OTHERS"):
        monkeypatch.setattr(fuzz, share, 10)
    tally = fuzz.fuzz_texts(3, 3_000)
    assert tally.failures == []
    assert tally.num_tried >= 3_000
    for what in ("texts", "SQL texts", "JSON forms", "schemas"):
        right = "accepted" if what == "texts" else "answered"
        assert tally.counts[f"{what} {right}"] > 50
        assert tally.counts[f"{what} refused"] > 20
    assert tally.counts["texts compared"] > 150


def test_what_is_foreign_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "OTHERS", 100)
    monkeypatch.setattr("eligo.from_sql", lambda text: {}[text])
    tally = fuzz.fuzz_texts(3, 300)
    assert tally.num_failed >= 3
    assert "KeyError" in tally.failures[0]


def test_parsers_that_differ_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "SINGLY", 10)
    real = fuzz.parse
    monkeypatch.setattr(fuzz, "parse", lambda text, **options: TRUE if options else real(text))
    assert "together" in fuzz.fuzz_texts(3, 300).failures[0]
