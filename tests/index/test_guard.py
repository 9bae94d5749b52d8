"""Is an expression of some tenants, or everybody's?"""

from __future__ import annotations

import pytest

import eligo
from eligo.index.guard import is_of_tenants


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\"@tenant\" = 's1'^0 and (\nx = 1 or y = 2\n)", True),
        ("\"@tenant\" = 's1'", True),
        ("x = 1 and (y = 2 and \"@tenant\" in ('s1', 's2'))", True),
        ("x = 1", False),
        ("\"@tenant\" = 's1' or x = 1", False),
        ("not \"@tenant\" = 's1' and x = 1", False),
        ("\"@tenant\" != 's1'", False),
        ('"@tenant" exists and x = 1', False),
    ],
)
def test_who_an_expression_is_for(text: str, expected: bool) -> None:
    assert is_of_tenants(eligo.parse(text)) is expected
