"""Are the best conjunctions found from the heaviest lists, whatever the weights are?"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from eligo.data.events.event_batch import EventBatch
from eligo.engines.scan.engine import Scan
from eligo.engines.whang.k_index import KIndex
from engine_cases import encoded

NUM_ATTRIBUTES = 24


def conjunctions(count: int, seed: int, *, heavy: bool) -> list[str]:
    """Conjunctions in which the first attributes stand often and weigh little, if any weighs more than another."""
    chance = random.Random(seed)

    def predicate(attribute: int) -> str:
        weight = chance.randrange(1, 9) / 7 * (1 + attribute * attribute // 8) if heavy else 1
        value, other = chance.randrange(4), chance.randrange(4)
        return chance.choice(
            [
                f"a{attribute} = {value}^{weight}",
                f"a{attribute} in ({value}^{weight}, {other + 4}^{weight / 2})",
                f"a{attribute} between {value} and {value + other}",
                f"a{attribute} weak not in ({value}, 7)",
                f"a{attribute} not in (5)",
            ]
        )

    texts = []
    for _ in range(count):
        drawn = {min(int(chance.expovariate(0.25)), NUM_ATTRIBUTES - 1) for _ in range(chance.randint(1, 5))}
        often = [f"often = 1^{0.1 if heavy else 1}"] if chance.random() < 0.8 else []
        texts.append(" and ".join([*often, *(predicate(attribute) for attribute in sorted(drawn))]))
    return texts


def wide_events(count: int, seed: int) -> list[dict[str, Any]]:
    chance = random.Random(seed)

    def value() -> Any:
        several = [chance.randrange(8) for _ in range(chance.randint(2, 3))]
        return chance.choice([None, chance.randrange(4), chance.randrange(4), several])

    return [{"often": 1, **{f"a{number}": value() for number in range(NUM_ATTRIBUTES)}} for _ in range(count)]


@pytest.mark.parametrize("heavy", [True, False])
def test_the_best_are_those_of_a_full_sort(heavy: bool) -> None:
    texts = conjunctions(4_000, 5, heavy=heavy)
    vocabulary, table = encoded(*texts)
    engine, scan = KIndex.build(table, vocabulary), Scan.build(table, vocabulary)
    assert np.diff(engine.lists.list_offsets.astype(np.int64)).max() > 512  # so that every turn has lists
    chance = np.random.default_rng(5)
    for event in wide_events(24, 7):
        batch = EventBatch.from_dicts([event], vocabulary)
        weights = chance.integers(1, 9, len(batch.keys)) / 3
        weights.flags.writeable = False
        for given in (batch, batch._replace(key_weights=weights)):
            for n in (1, 5, 40, 1_000):
                found, wanted = engine.top(given, n), scan.top(given, n)
                assert found.positions.tolist() == wanted.positions.tolist()
                assert found.units.tolist() == wanted.units.tolist()


def test_few_entries_are_looked_at_where_rare_keys_weigh_most() -> None:
    texts = [f"often = {number % 3} and rare{number % 500} = 1^{(number % 500) ** 2}" for number in range(3_000)]
    vocabulary, table = encoded(*texts)
    engine = KIndex.build(table, vocabulary)
    event = {"often": 1, **{f"rare{number}": 1 for number in range(200)}}
    found = engine.top(EventBatch.from_dicts([event], vocabulary), 3)
    assert found.scores.tolist() == [199.0**2 + 1, 199.0**2 + 1, 198.0**2 + 1]
    assert engine.stats().num_evaluations < 500
