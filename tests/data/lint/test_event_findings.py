"""What is said of expressions with events at hand: cases by name, then that nothing is said that the oracle denies."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.data.lint.event_findings import event_findings
from eligo.data.lint.predicate_judgement import NEGATIVE, judgements
from eligo.data.lint.seen_attribute import MOST_VALUES
from eligo.data.lint.seen_events import SeenEvents
from eligo.language.evaluate import Missing, matches
from eligo.language.lint.lint import SingleValued
from eligo.language.text.parse import parse_source
from eligo.language.tree import Expression, Predicate
from strategies import events, expressions, policies, predicates

EVENTS = pa.table(
    {
        "age": [18, 44, None],
        "price": [0.5, 2.5, None],
        "state": ["CA", "TX", "CA"],
        "vip": [True, False, None],
        "never": [False, False, False],
        "ts": [datetime(2026, 1, 1, 12, tzinfo=UTC)] * 3,
        "day": [date(2026, 1, 1), date(2026, 1, 9), None],
        "page": ["Sports/NFL", "News", None],
        "tags": [["a"], ["b", "c"], None],
        "empty": pa.nulls(3, pa.int64()),
        "user": [{"vip": True, "score": 1.5}] * 3,
        "facts": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int64())),
    }
)
SEEN = SeenEvents.of(EVENTS)


def found(text: str, missing: Missing = "unknown") -> list[tuple[str, str]]:
    findings = event_findings("it", parse_source(text), SEEN, missing, SingleValued(SEEN))
    return [(finding.rule, finding.help) for finding in findings]


@pytest.mark.parametrize(
    ("text", "rule", "help"),
    [
        ("agee > 18", "unknown-attribute", "did you mean age?"),
        ("user.scor > 1", "unknown-attribute", "did you mean user.score?"),
        ("age = '30'", "wrong-kind", "write it without quotes: 30"),
        ("state = 7", "wrong-kind", "write it in quotes: '7'"),
        ("ts >= date '2026-01-01'", "wrong-kind", "write timestamp '2026-01-01T00:00:00Z'"),
        ("day < timestamp '2026-01-05T10:00:00Z'", "wrong-kind", "write date '2026-01-05'"),
        ("day = 3", "wrong-kind", "write a date, such as date '2024-01-31'"),
        ("age = 20.5", "wrong-kind", ""),
        ("state", "wrong-kind", "compare it with a value"),
        ("age starts with '1'", "wrong-kind", ""),
        ("age under 'x'", "wrong-kind", ""),
        ("day under 'soon'", "wrong-kind", "write '2024', '2024/01' or '2024/01/31'"),
        ("state contains all ('CA', 'TX')", "wrong-kind", ""),
    ],
)
def test_what_can_never_be_true(text: str, rule: str, help: str) -> None:
    assert found(text) == [(rule, help), ("never-matches", "")]


@pytest.mark.parametrize(
    ("text", "rule", "help"),
    [
        ("age > 44", "out-of-range", ""),
        ("age < 18", "out-of-range", ""),
        ("age between 100 and 200", "out-of-range", ""),
        ("age = 45", "out-of-range", ""),
        ("price >= 3", "out-of-range", ""),
        ("day > date '2027-01-01'", "out-of-range", ""),
        ("age = 20", "unseen-value", ""),
        ("state = 'CB'", "unseen-value", ""),
        ("state = 'cA'", "unseen-value", "did you mean 'CA'?"),
        ("state starts with 'N'", "unseen-value", ""),
        ("never", "unseen-value", ""),
        ("empty > 3", "unseen-value", ""),
        ("tags contains all ('a', 'z')", "unseen-value", ""),
    ],
)
def test_what_was_true_of_no_event(text: str, rule: str, help: str) -> None:
    assert found(text) == [(rule, help), ("no-match-seen", "")]


@pytest.mark.parametrize(
    "text",
    [
        "age >= 44 and state = 'CA'",
        "age <= 18 or age between 40 and 50",
        "age < 20.5",
        "price = 2.5",
        "ts >= timestamp '2026-01-01T00:00:00Z'",
        "day under '2026/01' and page under 'Sports'",
        "tags contains all ('a', 'b')",
        "facts.anything = 'x'",
        "empty is missing",
        "user.vip and vip",
    ],
)
def test_nothing_is_said_of_what_can_be(text: str) -> None:
    assert found(text) == []


def test_a_part_that_is_never_true_need_not_be_the_whole() -> None:
    assert [rule for rule, _ in found("agee > 18 or state = 'CA'")] == ["unknown-attribute"]
    assert [rule for rule, _ in found("state in ('CA', 7)")] == ["wrong-kind"]
    assert [rule for rule, _ in found("state in ('CA', 'NY')")] == ["unseen-value"]


def test_the_policy_decides_what_a_negation_without_its_attribute_is() -> None:
    assert [rule for rule, _ in found("device != 'tv'")] == ["unknown-attribute", "never-matches"]
    assert [rule for rule, _ in found("device != 'tv'", "false")] == ["unknown-attribute"]
    assert [rule for rule, _ in found("age != '3'")] == ["wrong-kind"]


def test_a_path_that_was_not_seen_says_nothing_of_the_whole() -> None:
    assert [rule for rule, _ in found("page under 'Travel'")] == ["unseen-value"]


def test_places_in_bodies_of_parts() -> None:
    text = "state = 'CA' and exists d (pricee < d.price and agee = 3)"
    findings = list(event_findings("it", parse_source(text), SEEN, "unknown", SingleValued(SEEN)))
    assert [(each.rule, text[each.position.offset :].split()[0]) for each in findings if each.position] == [
        ("unknown-attribute", "pricee"),
        ("unknown-attribute", "agee"),
    ]


def test_of_many_strings_none_is_missed() -> None:
    seen = SeenEvents.of(pa.table({"a": [f"v{n}" for n in range(MOST_VALUES + 1)]}))
    (predicate,) = [parse_source("a = 'other'").tree]
    assert isinstance(predicate, Predicate)
    assert judgements(predicate, seen) == []


@given(st.lists(events(), min_size=1, max_size=6), expressions(), policies())
def test_what_never_matches_matches_none(given_events: list[dict], tree: Expression, missing: Missing) -> None:
    seen = SeenEvents.of(given_events)
    rules = {finding.rule for finding in event_findings("it", tree, seen, missing, SingleValued(seen))}
    if rules & {"never-matches", "no-match-seen"}:
        assert not any(matches(tree, event, missing=missing) for event in given_events)


@given(st.lists(events(), min_size=1, max_size=6), predicates())
def test_a_predicate_that_is_judged_false_is_true_of_none(given_events: list[dict], tree: Predicate) -> None:
    found = [each for each in judgements(tree, SeenEvents.of(given_events)) if each.is_false]
    if found and not isinstance(tree, NEGATIVE):
        assert not any(matches(tree, event, missing="unknown") for event in given_events)
