from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from eligo.data.events.event_batch import EventBatch
from eligo.engines.a_tree import block_matches
from eligo.engines.a_tree.engine import ATree
from eligo.engines.a_tree.kernels.block_scratch import TILE
from eligo.engines.a_tree.kernels.event_block import BLOCK
from eligo.engines.match_bits import unpack_flags
from eligo.engines.scan.engine import Scan
from engine_cases import engine_of, expression_texts, some_events

FEW = [f"age = {age} and state = 's3' and score > {age}.5" for age in range(12)]
"""Hardly any of them matches an event."""


def many_texts(count: int) -> list[str]:
    """Expressions of which much matches, some of them the same, some always or never true, and a stretch of few."""
    texts = [*expression_texts(count // 3, seed=1), "true", "false", "vip or true"]
    texts += [f"({text}) or ({other})" for text, other in pairwise(texts)]
    few = [FEW[number % len(FEW)] for number in range(2 * TILE * 64)]
    return [*texts, *few, *reversed(texts[: count - len(texts)]), "true"]


@pytest.mark.parametrize("kept", [0, block_matches.MATCHES_IN_A_MASK, 10**6])
@pytest.mark.parametrize("missing", ["unknown", "false"])
def test_pairs_and_bits_of_blocks_are_those_of_a_scan(missing: Any, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether masks are kept or pairs, and for blocks that are not full."""
    monkeypatch.setattr(block_matches, "MATCHES_IN_A_MASK", kept)
    texts = many_texts(900)
    engine, scan = engine_of(ATree, *texts, missing=missing), engine_of(Scan, *texts, missing=missing)
    for num_events in (1, 17, 63, 64, 65, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 76):
        given = some_events(num_events, seed=num_events)
        expected = scan.match_batch(EventBatch.from_dicts(given, scan.vocabulary))
        events = EventBatch.from_dicts(given, engine.vocabulary)
        found = engine.match_blocks(events)
        np.testing.assert_array_equal(found.offsets, expected.offsets)
        np.testing.assert_array_equal(found.positions, expected.positions)
        rows, positions = np.nonzero(unpack_flags(engine.bits_of_blocks(events), len(texts)))
        np.testing.assert_array_equal(positions, expected.positions)
        np.testing.assert_array_equal(np.searchsorted(rows, np.arange(num_events + 1)), expected.offsets)


@pytest.mark.parametrize("num_expressions", [0, 1, 63, 64, 65, 64 * TILE - 1, 64 * TILE + 1])
def test_where_every_expression_matches_every_event(num_expressions: int) -> None:
    engine = engine_of(ATree, *["age exists or age is missing"] * num_expressions)
    events = EventBatch.from_dicts(some_events(70, seed=3), engine.vocabulary)
    found = engine.match_blocks(events)
    assert found.offsets.tolist() == [num_expressions * event for event in range(71)]
    assert found.positions.tolist() == list(range(num_expressions)) * 70
    assert unpack_flags(engine.bits_of_blocks(events), num_expressions).all()


def test_no_events_have_no_matches() -> None:
    engine = engine_of(ATree, *expression_texts(70, seed=2))
    events = EventBatch.from_dicts([], engine.vocabulary)
    assert engine.match_blocks(events).offsets.tolist() == [0]
    assert engine.bits_of_blocks(events).shape == (0, 2)
