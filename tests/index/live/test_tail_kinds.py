"""Does a tail know what its expressions compare attributes with, as the vocabulary of a part does?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import eligo
import strategies
from eligo.index.live.tail_kinds import joined_bits, kind_bits
from eligo.language.text.parse import parse
from eligo.language.tree import Expression


@given(trees=st.lists(strategies.expressions(), min_size=1, max_size=3))
def test_as_a_vocabulary_does(trees: list[Expression]) -> None:
    bits = joined_bits(map(kind_bits, trees))
    vocabulary = eligo.build(dict(enumerate(trees)), engine="scan").vocabulary
    if bits is not None:
        known = dict(zip(vocabulary.attribute_names, vocabulary.data.attribute_kinds.tolist(), strict=True))
        assert {name: bits[name] for name in known} == known


def test_what_takes_more_than_a_look_is_not_known() -> None:
    assert kind_bits(parse("a under '2024/01'")) is None
    assert joined_bits([{"a": 1}, None]) is None and joined_bits([{"a": 1}, {"a": 2, "b": 1}]) == {"a": 3, "b": 1}
