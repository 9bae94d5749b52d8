"""How is one answer explained? By the tree of its expression, by what documents decided, and by what that may cost."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from eligo.data.events.event_batch import encoded_event
from eligo.errors import InputError, shown
from eligo.index.document_questions import Given, read_documents
from eligo.index.live.live_state import Place
from eligo.index.live.live_tail import TailEntry
from eligo.index.settings import Settings
from eligo.joins.asking.join_table import JoinTable
from eligo.joins.asking.part_decisions import part_decisions
from eligo.joins.asking.question import JoinTables
from eligo.language.evaluate import attributes_of
from eligo.language.explain.explain import Explanation, explain, explained
from eligo.language.quantified import quantified_parts
from eligo.language.tree import Expression
from eligo.language.value import event_attributes


def explanation_of(tree: Expression, event: Mapping[str, Any], given: Given, settings: Settings) -> Explanation:
    """Why the event does or does not satisfy the expression."""
    missing, hierarchies, limits = settings.missing, settings.hierarchies, settings.limits
    parts = JoinTable(quantified_parts(tree), missing, hierarchies)
    if not len(parts):
        return explain(tree, event, missing, hierarchies=hierarchies, limits=limits)
    attributes = event_attributes(event, attributes_of(tree), limits=limits)
    asked = read_documents(JoinTables([parts]), given, limits)
    decided = part_decisions(tree, attributes, asked.snapshot, asked.at, missing, hierarchies)
    return explained(tree, attributes, missing, hierarchies, decided)


def expected_cost(place: Place, event: Mapping[str, Any], given: Given, settings: Settings) -> str | None:
    """What comparing the event with documents is expected to cost; None where nothing frozen is about any."""
    if isinstance(place, TailEntry):
        return None
    part = place.live.part
    joins = part.joins(settings)
    if joins is None:
        return None
    snapshot = read_documents(JoinTables([joins.table]), given, settings.limits).snapshot
    batch = encoded_event(event, part.vocabulary, settings.limits)
    return joins.estimated(batch, snapshot.num_documents).told()


def text_file(file: TextIO | None) -> TextIO:
    """Where to print to: an open text file, or stdout."""
    out = file if file is not None else sys.stdout
    if not callable(getattr(out, "write", None)) or not callable(getattr(out, "isatty", None)):
        raise InputError(f"file is an open text file, not {shown(out)}", help="or leave it out for stdout")
    return out


def takes_colours(out: TextIO) -> bool:
    """Whether a text that is printed there may have colours."""
    return out.isatty() and "NO_COLOR" not in os.environ
