"""Does the glossary have every word that the code uses as a term, each with one meaning?"""

from __future__ import annotations

import re

import pytest

from source_tree import REPOSITORY

PAGE = (REPOSITORY / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| **")]
TERMS = (
    "annotation atom axis base block bound candidate cell clause climb cluster companion cover death delta driver "
    "entry event expression fact freeze guard head hit item kernel key leaf literal manifest mark mask merge moment "
    "node offsets part piece place point position posting list predicate problem publish recipe registration rejects "
    "row scratch settings shape shard sharing slot spare stage state tail tombstone unit vocabulary weight worker"
)


def headwords(row: str) -> list[str]:
    """What a row is about: its words, with what they are of."""
    (first, *_) = re.split(r"(?<!\\) \| ", row.removeprefix("| "))
    qualifier = "".join(re.findall(r" \(.*?\)", first))
    return [word + qualifier for word in re.findall(r"\*\*(.+?)\*\*", first)]


def test_a_word_stands_once() -> None:
    words = [word for row in ROWS for word in headwords(row)]
    assert len(words) > 150
    assert sorted(word for word in set(words) if words.count(word) > 1) == []


def test_every_row_has_a_word_and_one_meaning() -> None:
    assert [row for row in ROWS if not re.fullmatch(r"\| \*\*[^|]+ \| [^|]+ \|", row)] == []


@pytest.mark.parametrize("term", TERMS.replace("posting list", "posting-list").split())
def test_a_term_of_the_code_is_told(term: str) -> None:
    words = {word.partition(" (")[0] for row in ROWS for word in headwords(row)}
    assert term.replace("-", " ") in words


def test_a_word_of_several_structures_says_each_time_what_it_is_of() -> None:
    words = [word for row in ROWS for word in headwords(row)]
    plain = {word for word in words if " (" not in word}
    several = {word.partition(" (")[0] for word in words if " (" in word}
    # A moment is a point in time; that of an index is the only one that needs to be told apart.
    assert plain & several <= {"moment", "bound"}
