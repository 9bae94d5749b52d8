"""Are the pages on rewrites and lint true? Every example in them is run, and every bound compared."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

import eligo
from document_examples import python_blocks, run_block
from eligo.data.lint.event_findings import EVENT_RULES
from eligo.data.lint.seen_attribute import MOST_VALUES
from eligo.data.lint.seen_events import SAMPLE
from eligo.errors import NormalFormTooLargeError
from eligo.language.canonical import canonical_text
from eligo.language.limits import Limits
from eligo.language.lint import policy_difference
from eligo.language.lint.lint import RULES, lint
from eligo.language.rewrites import satisfiable, simplify, simplify_and_or, subsumption
from eligo.language.rewrites.nnf_text import nnf_text
from eligo.language.rewrites.normalize import SUBSUMPTION_CHECKS, to_cnf, to_dnf
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.text.parse import parse
from eligo.language.tree import And, Equals, Or
from fixture_pairs import Pair, pairs_in

DOCS = Path(__file__).parents[2] / "docs"
REWRITES = (DOCS / "rewrites.md").read_text(encoding="utf-8")
LINT = (DOCS / "lint.md").read_text(encoding="utf-8")


def clause_lines(clauses, word: str) -> str:
    return "\n".join(word.join(map(canonical_text, clause.literals)) for clause in clauses)


APPLY: dict[str, Callable[[Pair], str]] = {
    "push_negations": lambda pair: nnf_text(push_negations(parse(pair.given), pair.missing)),
    "simplify": lambda pair: canonical_text(
        simplify.simplify(parse(pair.given), missing=pair.missing, single_valued=pair.single_valued)
    ),
    "to_dnf": lambda pair: clause_lines(to_dnf(parse(pair.given), pair.missing), " and "),
    "to_cnf": lambda pair: clause_lines(to_cnf(parse(pair.given), pair.missing), " or "),
}

BLOCKS = re.findall(r"^```(push_negations|simplify|to_dnf|to_cnf)\n(.*?)^```", REWRITES, re.M | re.S)


@pytest.mark.parametrize(
    ("rewrite", "pair"), [(name, pair) for name, block in BLOCKS for pair in pairs_in(block, "rewrites.md")], ids=str
)
def test_rewrite_examples(rewrite: str, pair: Pair) -> None:
    assert APPLY[rewrite](pair) == pair.expected


def test_all_rewrites_have_examples() -> None:
    assert {name for name, _ in BLOCKS} == set(APPLY)


def test_the_error_is_as_shown() -> None:
    tree = And(tuple(Or((Equals("a", i), Equals("b", i))) for i in range(20)))
    with pytest.raises(NormalFormTooLargeError) as caught:
        to_dnf(tree, "unknown")
    assert f"```text\n{caught.value}\n```" in REWRITES


@pytest.mark.parametrize(
    "module, name",
    [
        (simplify_and_or, "LEAVES_COMPARED"),
        (simplify_and_or, "CLAUSES_COMPARED"),
        (simplify_and_or, "COPIED_OPERANDS"),
        (simplify, "CUTS_COMPARED"),
    ],
)
def test_bounds_of_simplify(module, name: str) -> None:
    assert f"| `{name}` | {getattr(module, name):,} |" in REWRITES


def test_other_bounds() -> None:
    assert f"| `STEPS`, `ROUNDS` | {simplify.STEPS}, {simplify.ROUNDS} |" in REWRITES
    assert f"at most {SUBSUMPTION_CHECKS:,} comparisons" in " ".join(REWRITES.split())
    assert f"`Limits.normal_form` ({Limits().normal_form:,} literals" in " ".join(REWRITES.split())
    prose = " ".join(LINT.split())
    assert f"at most {satisfiable.WORK.normal_form:,} literals" in prose
    assert f"at most {policy_difference.WORK.normal_form:,} literals" in prose
    assert f"at most {subsumption.CANDIDATES:,} candidates" in prose


ALONE, _, WITH_EVENTS = LINT.partition("## Rules that can never match")
ROWS = re.findall(r"^\| `([a-z-]+)` \| .+? \| `(.+?)`(?: beside `(.+?)`)? \|$", ALONE, re.M)
EVENT_ROWS = re.findall(r"^\| `([a-z-]+)` \| .+ \| `([^`]+)`[^`|]*(?:, `([^`]+)`[^`|]*)? \|$", WITH_EVENTS, re.M)
EVENTS = [{"age": 30, "state": "CA", "ts": datetime(2026, 1, 1)}, {"age": 44, "state": "TX"}]


@pytest.mark.parametrize(("rule", "text", "other"), ROWS)
def test_lint_table(rule: str, text: str, other: str) -> None:
    pairs = [("other", parse(other))] if other else []
    findings = lint([*pairs, ("it", parse(text))])
    assert [(each.id, each.rule, each.other_id) for each in findings] == [("it", rule, "other" if other else None)]


def test_lint_table_has_every_rule() -> None:
    assert tuple(rule for rule, _, _ in ROWS) == RULES


@pytest.mark.parametrize(("rule", "text", "other"), EVENT_ROWS)
def test_lint_table_with_events(rule: str, text: str, other: str) -> None:
    for each in filter(None, (text, other)):
        assert rule in [finding.rule for finding in eligo.lint({1: each}, events=EVENTS)]


def test_lint_table_with_events_has_every_rule() -> None:
    assert tuple(rule for rule, _, _ in EVENT_ROWS) == EVENT_RULES
    assert f"first {SAMPLE:,} are looked at" in " ".join(LINT.split())
    assert f"Up to {MOST_VALUES:,} values" in LINT


def test_lint_example() -> None:
    assert run_block("\n".join(python_blocks(DOCS / "lint.md"))) == 3


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("page under 'Sports' and not page under 'Sports'", True),
        ("page under 'Sports/NFL' and not page under 'Sports'", False),
        ("age < 5 or age >= 5 or age is missing", False),
    ],
)
def test_what_is_found_and_what_is_not(text: str, is_found: bool) -> None:
    assert text in " ".join(LINT.split())
    assert bool({each.rule for each in lint({1: parse(text)})} & {"never-true", "always-true"}) is is_found
