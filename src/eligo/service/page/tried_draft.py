"""What does a draft say of each event of a sample? True, false, unknown, or nothing, where a line is no event."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from eligo.errors import EligoError, LimitError
from eligo.index.document_questions import Given
from eligo.index.one_event.explanation import explanation_of
from eligo.index.settings import Settings
from eligo.language.evaluate import Truth
from eligo.language.explain.explain import Explanation
from eligo.language.text.parse import Source, parse_source
from eligo.language.tree import Expression, distinct_nodes
from eligo.service.page.sample import Sample

MOST_CHARACTERS = 50_000
"""Of a draft."""
MOST_TRUTHS = 200_000
"""Nodes times events that are evaluated; events beyond have no verdict."""

MOST_SECONDS = 4.0
"""After which no other event is tried: one that is compared with very many documents may take half a second."""

LETTER: dict[Truth, str] = {True: "t", False: "f", None: "u"}
"""The truth of a node for an event."""
NO_TRUTH = "-"
"""Of a line that is no event, or of an event that was not asked."""


class Verdict(NamedTuple):
    """What a draft says of one event."""

    explanation: Explanation | None
    error: EligoError | None = None
    """Why there is no explanation."""

    @property
    def letter(self) -> str:
        return LETTER[self.explanation.truth] if self.explanation is not None else NO_TRUTH

    def to_json(self) -> dict[str, Any]:
        """The truth, and a sentence that says why."""
        if self.explanation is not None:
            return {"truth": self.letter, "summary": self.explanation.summary()}
        why = self.error or EligoError("")
        return {"truth": NO_TRUTH, "error": why.message, "help": why.help or None}


def read_draft(text: str, settings: Settings) -> Source:
    """The tree of a draft with the places of its nodes; an error for what could not be put among the expressions."""
    if len(text) > MOST_CHARACTERS:
        raise LimitError(f"a draft has at most {MOST_CHARACTERS:,} characters on the page, not {len(text):,}")
    source = parse_source(text, limits=settings.limits)
    for violation in settings.schema.check(source) if settings.schema is not None else ():
        raise violation
    return source


def tried(
    tree: Expression, sample: Sample, given: Given, settings: Settings, *, sees_documents: bool = True
) -> list[Verdict]:
    """The verdict for each event; for one who does not see documents, without what stands in them."""
    size = sum(1 for _ in distinct_nodes(tree))
    ends = time.monotonic() + MOST_SECONDS
    verdicts: list[Verdict] = []
    for event in sample:
        if isinstance(event, EligoError):
            verdicts.append(Verdict(None, event))
        elif verdicts and size * (len(verdicts) + 1) > MOST_TRUTHS:
            verdicts.append(Verdict(None, LimitError("the draft is too large for so many events")))
        elif verdicts and time.monotonic() >= ends:
            verdicts.append(Verdict(None, LimitError("the draft takes too long for so many events")))
        else:
            verdicts.append(_verdict(tree, event, given, settings))
    return verdicts if sees_documents else [_without_documents(each) for each in verdicts]


def _without_documents(verdict: Verdict) -> Verdict:
    told = verdict.explanation
    return verdict if told is None else Verdict(told.without_documents(), verdict.error)


def _verdict(tree: Expression, event: Mapping[str, Any], given: Given, settings: Settings) -> Verdict:
    try:
        return Verdict(explanation_of(tree, event, given, settings))
    except EligoError as error:
        return Verdict(None, error)


def changes(live: Sequence[Verdict], draft: Sequence[Verdict]) -> list[int]:
    """The events whose answer would be another if the draft took the place of what is live, by number from 0."""
    return [
        number
        for number, (before, after) in enumerate(zip(live, draft, strict=True))
        if before.explanation is not None
        and after.explanation is not None
        and before.explanation.matches != after.explanation.matches
    ]
