"""Lint: each rule on cases by name, then that it is certain of what it says, over random expressions and events."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.errors import InputError
from eligo.language.evaluate import matches
from eligo.language.lint.lint import RULES, Finding, lint
from eligo.language.lint.part_findings import PART_RULES
from eligo.language.rewrites import subsumption
from eligo.language.text.parse import parse
from eligo.language.tree import And, Between, Equals, Expression, In, IsTrue, NotIn, Or, Xor
from strategies import events, expressions, policies

SEVERAL = st.lists(events(), min_size=6, max_size=12)
SINGLE = st.lists(events(several=False), min_size=6, max_size=12)
TREES = st.one_of(expressions(), expressions(6, ("a", "b")), expressions(6, ("a",)), expressions(6, ("c", "d")))


class AllSingle:
    """A schema in which no attribute has several values."""

    def is_single(self, name: str) -> bool:
        return True


def found(texts: Mapping[str, str], **options) -> list[tuple[str, str, str | None]]:
    findings = lint({id_: parse(text) for id_, text in texts.items()}, **options)
    return [(finding.id, finding.rule, finding.other_id) for finding in findings]


def rules(text: str, **options) -> list[str]:
    return [rule for _, rule, _ in found({"it": text}, **options)]


NEVER = [
    "a = 1 and a != 1",
    "a is missing and a = 1",
    "a is missing and a exists",
    "a in ()",
    "a between 5 and 3",
    "a under 'x' and not a under 'x'",
    "a under 'x' and a is missing",
    "a = 1 and a not in (1, 2)",
    "a contains all (1, 2) and a != 2",
    "a = 1 and (a != 1 or a is missing)",
    "(a = 1 or b = 1) and a != 1 and b != 1",
    "a xor a",
    "false",
    "d > date '9999-12-31'",
]
NEVER_SINGLE = [
    "a = 1 and a = 2",
    "a > 65 and a < 18",
    "a > 3 and a < 5 and a = 7",
    "a < 3 and a = 'x'",
    "a contains all (1, 2)",
    "d > date '2024-01-30' and d < date '2024-01-31'",
    "a starts with 'x' and a starts with 'y'",
    "(a = 1 or a = 2) and (a = 3 or b = 1 and a = 4)",
    "not (a = 1 or a != 1)",
]
ALWAYS = [
    "true",
    "a exists or a is missing",
    "a weak not in ()",
    "a weak not in (1) or a = 1",
    "a = 1 or a != 1 or a is missing",
    "(a exists or b = 1) and b exists or a is missing or b is missing",
]
SOMETIMES = [
    "a = 1 and a = 2",
    "a = 1 or a != 1",
    "a < 3 and a > 5",
    "a not in (1) and a in (1, 2)",
    "a xor b",
    "a is missing",
    "a < 5 or a >= 5 or a is missing",
]


@pytest.mark.parametrize("text", NEVER)
def test_never_true(text: str) -> None:
    assert "never-true" in rules(text)


@pytest.mark.parametrize("text", NEVER_SINGLE)
def test_never_true_on_single_valued_attributes(text: str) -> None:
    assert "never-true" in rules(text, schema=AllSingle())


@pytest.mark.parametrize("text", ALWAYS)
def test_always_true(text: str) -> None:
    assert "always-true" in rules(text)


def test_always_true_depends_on_the_policy() -> None:
    assert "always-true" in rules("a = 1 or a != 1", missing="false")
    assert "always-true" in rules("a != 1 or a != 2", missing="false", schema=AllSingle())
    assert "always-true" not in rules("a != 1 or a != 2", missing="false")


@pytest.mark.parametrize("text", SOMETIMES)
def test_sometimes_true(text: str) -> None:
    assert not {"never-true", "always-true"} & set(rules(text))


def test_the_message_names_the_attribute() -> None:
    (finding,) = lint({1: parse("state = 'CA' and age > 65 and age < 18")}, schema=AllSingle())
    assert finding.message == "no event makes it true: nothing that age can be satisfies all it asks"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a = 1 and b = 2", "b = 2 and a = 1"),
        ("a in (1, 2)", "a = 2 or a = 1"),
        ("a in (2, 1, 2)", "a in (1, 2)"),
        ("not (a = 1 or b = 1)", "a != 1 and b != 1"),
        ("a xor b", "b xor a"),
        ("a and (b or c)", "(c or b) and (a or a)"),
        ("d <= date '2024-01-31'", "d < date '2024-02-01'"),
        ("a = true", "a"),
        ("a contains all (1, 2)", "a = 2 and a = 1"),
    ],
)
def test_duplicates(one: str, other: str) -> None:
    assert ("second", "duplicate", "first") in found({"first": one, "second": other})


def test_a_duplicate_with_other_weights_says_so() -> None:
    trees = {1: parse("a = 1^2 and b = 1"), 2: parse("b = 1 and a = 1"), 3: parse("b = 1 and a = 1^2")}
    second, third = lint(trees)
    assert second == Finding(2, "duplicate", "it matches the same events as 1, with other weights", 1)
    assert third == Finding(3, "duplicate", "it matches the same events as 1", 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [("a = 1", "a = '1'"), ("a = 1", "a = true"), ("a in (1, 2)", "a in (true, 2)"), ("a = 1", "b = 1")],
)
def test_no_duplicates(one: str, other: str) -> None:
    assert found({"first": one, "second": other}) == []


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ("a = 1 and b = 2", "a = 1"),
        ("a = 1", "a in (1, 2)"),
        ("a = 1", "a exists"),
        ("a = 3", "a > 2"),
        ("a between 2 and 3", "a between 1 and 4"),
        ("a < 3 and b = 1", "a < 4 and b in (1, 2)"),
        ("a strong not in (1, 2)", "a strong not in (2)"),
        ("a strong not in (1)", "a weak not in (1)"),
        ("a is missing", "a weak not in (1)"),
        ("a = 1 and a = 2", "a = 2"),
        ("a starts with 'xy'", "a starts with 'x'"),
        ("a under 'x' and b = 1", "a under 'x'"),
        ("d = date '2024-01-05'", "d between date '2024-01-01' and date '2024-01-31'"),
        ("a not in (1, 2)", "a != 1"),
    ],
)
@pytest.mark.parametrize("wide_first", [True, False])
def test_subsumed(narrow: str, wide: str, wide_first: bool) -> None:
    pairs = [("wide", wide), ("narrow", narrow)] if wide_first else [("narrow", narrow), ("wide", wide)]
    subsumed = [finding for finding in found(dict(pairs)) if finding[1] != "missing-policy"]
    assert subsumed == [("narrow", "subsumed", "wide")]


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [("a = 2", "a != 1"), ("a > 5 and a < 8", "a < 9"), ("a in (1, 2)", "not a = 3"), ("a = 1", "a < 2 and a > 0")],
)
def test_subsumed_on_single_valued_attributes(narrow: str, wide: str) -> None:
    assert ("narrow", "subsumed", "wide") in found({"narrow": narrow, "wide": wide}, schema=AllSingle())


def test_the_same_in_two_ways_is_a_duplicate_of_the_first() -> None:
    texts = {"first": "a > 1 and a < 5", "second": "a >= 0 and a > 1 and a < 5"}
    assert found(texts, schema=AllSingle()) == [("second", "duplicate", "first")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a = 2", "a != 1"),
        ("a in (1, 2)", "a in (2, 3)"),
        ("a weak not in (1)", "a strong not in (1)"),
        ("a = 1", "b = 1"),
        ("a = 1", "a = 1 or b = 1"),
        ("a between 1 and 3", "a between 2 and 4"),
        ("not a = 1", "not a in (1, 2) and b = 1"),
    ],
)
def test_not_subsumed(one: str, other: str) -> None:
    assert ("one", "subsumed", "other") not in found({"one": one, "other": other})


def test_missing_policy_names_the_attribute_and_a_way_out() -> None:
    (finding,) = lint({"ad": parse("age = 3 and device != 'tv'")})
    assert finding.rule == "missing-policy"
    assert finding.message == (
        'events without device may match under missing="false" but not under missing="unknown"; instead of '
        "device != 'tv' write device weak not in ('tv') to match them always, or device strong not in ('tv') never to"
    )


def test_missing_policy_on_a_range() -> None:
    (finding,) = lint({"ad": parse("not (age < 18 or state = 'CA')")})
    assert "events without age or state may match" in finding.message
    assert "(not age < 18 or age is missing) to match" in finding.message
    assert "(not age < 18 and age exists) never to" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "a != 1",
        "not a",
        "a xor b",
        "a not between 1 and 2",
        "not a contains all (1, 2)",
        "not a contains all ()",
        "a = 1 or a != 1",
        "a != 1 or a is missing xor b exists",
    ],
)
@pytest.mark.parametrize("missing", ["unknown", "false"])
def test_missing_policy(text: str, missing: str) -> None:
    assert "missing-policy" in rules(text, missing=missing)


@pytest.mark.parametrize(
    "text",
    [
        "a = 1",
        "a weak not in (1)",
        "a strong not in (1)",
        "a is missing",
        "a != 1 and a exists",
        "a != 1 or a is missing",
        "a = 1 and a != 2",
        "a = 1 and (a != 2 or b = 3)",
        "a != 1 and a is missing and b = 1 or a is missing and b = 1",
    ],
)
def test_no_difference_between_policies(text: str) -> None:
    assert "missing-policy" not in rules(text, rules=("missing-policy",))


@pytest.mark.parametrize(
    ("text", "is_tiny"),
    [
        ("a = 1^4.9e-10", True),
        ("a = 1^5.1e-10 and b > 2", False),
        ("a = 1^0", False),
        ("not a in (1, 2^1e-300) or b", True),
        ("b under 'x'^1e-9", False),
        ("a between 1 and 2^1e-12", True),
    ],
)
def test_weights_that_count_nothing(text: str, is_tiny: bool) -> None:
    assert ("tiny-weight" in rules(text, rules=("tiny-weight",))) is is_tiny


def test_rules_can_be_chosen() -> None:
    texts = {"one": "a = 1", "two": "a = 1", "three": "a = 1 and b != 2", "four": "a in ()", "five": "true"}
    texts["six"] = "z = 2^1e-10"
    texts["seven"] = "d.z or exists d (d.x exists and d.x is missing and s = 'A'^2)"
    assert [rule for _, rule, _ in found(texts)] == [
        "duplicate",
        "subsumed",
        "missing-policy",
        "never-true",
        "always-true",
        "tiny-weight",
        *PART_RULES,
    ]
    for rule in RULES:
        assert {each for _, each, _ in found(texts, rules=(rule,))} == {rule}
    with pytest.raises(InputError, match="no lint rule 'typo'"):
        lint({}, rules=("typo",))


def test_pairs_are_taken_as_well() -> None:
    assert [finding.id for finding in lint([(1, parse("a in ()")), (2, parse("true"))])] == [1, 2]


@given(TREES, SEVERAL, policies())
def test_certain_of_one_expression(tree: Expression, some_events: list[dict], missing: str) -> None:
    check_certain(tree, some_events, missing, None)


@given(TREES, SINGLE, policies())
def test_certain_of_one_expression_on_single_valued_attributes(
    tree: Expression, some_events: list[dict], missing: str
) -> None:
    check_certain(tree, some_events, missing, AllSingle())


def check_certain(tree: Expression, some_events: list[dict], missing: str, schema: AllSingle | None) -> None:
    named = {finding.rule for finding in lint({1: tree}, missing=missing, schema=schema)}
    for event in some_events:
        is_match = matches(tree, event, missing)
        assert not (is_match and "never-true" in named)
        assert is_match or "always-true" not in named
        if "missing-policy" not in named:
            assert matches(tree, event, "unknown") is matches(tree, event, "false")


def conjunctions(attributes: tuple[str, ...]) -> st.SearchStrategy[Expression]:
    literals = expressions(1, attributes)
    return st.one_of(literals, st.lists(literals, min_size=2, max_size=3).map(lambda each: And(tuple(each))))


@given(
    st.lists(st.one_of(conjunctions(("a",)), conjunctions(("a", "b")), conjunctions(("c",))), min_size=2, max_size=8),
    SEVERAL,
    SINGLE,
    policies(),
    st.booleans(),
)
def test_certain_of_two_expressions(
    trees: list[Expression], several: list[dict], single: list[dict], missing: str, is_single: bool
) -> None:
    schema = AllSingle() if is_single else None
    for finding in lint(enumerate(trees), missing=missing, schema=schema, rules=("duplicate", "subsumed")):
        for event in single if is_single else several:
            one, other = (matches(trees[place], event, missing) for place in (finding.id, finding.other_id))
            assert one is other if finding.rule == "duplicate" else not one or other


def test_hostile_expressions_are_left_alone() -> None:
    chain = Xor(tuple(IsTrue(f"a{i}") for i in range(300)))
    clauses = And(tuple(Or((Equals("a", i), Equals("b", i))) for i in range(300)))
    assert {finding.rule for finding in lint([(1, chain), (2, clauses)])} == {"missing-policy"}


def test_candidates_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges have no values to look them up by, so each is compared with others until the bound is reached."""
    calls = 0
    implies = subsumption.SubsumptionIndex.implies

    def counted(self: subsumption.SubsumptionIndex, narrow: int, wide: int) -> bool:
        nonlocal calls
        calls += 1
        return implies(self, narrow, wide)

    monkeypatch.setattr(subsumption.SubsumptionIndex, "implies", counted)
    monkeypatch.setattr(subsumption, "CANDIDATES", 50)
    lint((i, Between("a", i, 10_000 - i * i)) for i in range(0, 90))
    assert 0 < calls <= 90 * 52


def test_sets_are_looked_up_by_their_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conjunctions that share no value are not compared at all."""
    monkeypatch.setattr(subsumption.SubsumptionIndex, "implies", lambda *_: pytest.fail("compared"))
    sets = [In("a", (2 * i, 2 * i + 1)) for i in range(500)]
    denials = [NotIn("b", (2 * i, 2 * i + 1)) for i in range(500)]
    assert [each for each in lint(enumerate([*sets, *denials])) if each.rule == "subsumed"] == []
