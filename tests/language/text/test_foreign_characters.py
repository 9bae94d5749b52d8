"""Does a character that only looks like another get its name, its place and the right help, wherever it stands?"""

from __future__ import annotations

import sys
import unicodedata

import pytest

from eligo.errors import ExpressionError
from eligo.language.text.foreign_characters import character_help
from eligo.language.text.parse import parse
from eligo.language.text.suggest import QUOTES

PLACES = [
    *("{}a = 1", "a{}= 1", "a ={}1", "a = 1{}and b", "a = 1 {}and b", "a = 1 and{}b", "a in (1,{}2)", "a in (1{}, 2)"),
    *("a between 1{}and 2", "a is{}missing", "a is not{}missing", "a not{}in (1)", "not{}a", "a = 'x'{}", "a{}b = 1"),
    *(
        "a = 1{}",
        "a starts{}with 'x'",
        "a = 1{}5",
        "({}a = 1)",
        "a contains{}all (1)",
        "a in{}(1)",
        "a weak{}not in (1)",
    ),
    *("a = date{}'2024-01-01'", "a = 'x'^{}2", "a\n{}= 1"),
]
ALL = [chr(code) for code in range(128, sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
BLANKS = [c for c in ALL if c.isspace() or unicodedata.category(c) in ("Zs", "Zl", "Zp")]
UNSEEN = [c for c in ALL if unicodedata.category(c) == "Cf"] + list("\u034f\u3164\ufe0f\x80")
ALIKE = "–—−＝（），＜＞＆｜！、"


@pytest.mark.parametrize("place", PLACES)
def test_what_looks_like_another_is_named_where_it_stands(place: str) -> None:
    for character in [*BLANKS, *UNSEEN, *ALIKE]:
        with pytest.raises(ExpressionError) as caught:
            parse(place.format(character))
        error = caught.value
        assert f"U+{ord(character):04X}" in error.help, (ascii(error.text), error.message, error.help)
        assert error.position is not None
        assert error.text[error.position.offset] == character
        assert str(error).isascii() or str(error).replace("\n", "").isprintable()


@pytest.mark.parametrize("quote", QUOTES)
def test_quotes_that_are_not_straight(quote: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(f"a = {quote}CA{QUOTES[quote]}")
    assert "use straight quotes: 'CA' for a string" in caught.value.help


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("а = 1", "U+0430 (cyrillic small letter a), which only looks like `a`"),
        ("stаte = 1", "U+0430"),
        ("ａｇｅ = 1", "write age"),
        ("a = ５", "U+FF15"),
        ("größe = 1", 'in double quotes: "größe"'),
        ("a = 1 and größe", 'in double quotes: "größe"'),
    ],
)
def test_letters(text: str, help: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert help in caught.value.help


def test_all_of_them_may_stand_in_quotes() -> None:
    for character in [*BLANKS, *UNSEEN, *ALIKE, *QUOTES]:
        parse(f"\"a{character}\" = '{character}'")


def test_what_names_are_written_with_is_no_foreign_character() -> None:
    assert not any(character_help(each) for each in "éßжλ中あ한א😀°")
