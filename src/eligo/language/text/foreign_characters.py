"""Which character is this, and what was meant? Blanks that are none, what cannot be seen, and what looks like another.

Texts come from word processors, web pages and chats, which put such characters in place of those of a keyboard.
"""

from __future__ import annotations

import unicodedata

_UNSEEN = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
"""Letters and marks that show nothing."""
_VARIATIONS = range(0xFE00, 0xFE10)

_SIGNS = {
    "-": "‐‑‒–—―⁃−➖﹘﹣－",
    "=": "⁼₌꞊﹦＝",
    "<": "〈⟨﹤＜",
    ">": "〉⟩﹥＞",
    "<=": "⩽≦",
    ">=": "⩾≧",
    "!=": "≢",
    "(": "❨⁽₍﹙（",
    ")": "❩⁾₎﹚）",
    ",": "،、﹐﹑，",
    ".": "․﹒．。",
    "^": "ˆ＾",
    "_": "﹍﹎﹏＿",
    "and": "＆﹠⋀",
    "or": "｜⋁",
    "not": "！﹗￢",
}
_SIGN_FOR = {each: sign for sign, others in _SIGNS.items() for each in others}

_LETTERS = str.maketrans(
    "аеорсухіјѕԁһӏѵАВЕКМНОРСТУХІЈЅοαρνικυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijsdhlvABEKMHOPCTYXIJSoapvikuABEZHIKMNOPTYX"
)
"""Cyrillic and Greek letters that look like Latin ones."""


def character_name(character: str) -> str:
    """`U+00A0 (no-break space)`."""
    return f"U+{ord(character):04X} ({unicodedata.name(character, 'a control character').lower()})"


def character_help(character: str) -> str:
    """What to do about a character that no expression has outside quotes; empty for one that may be in a name."""
    name, category = character_name(character), unicodedata.category(character)
    if character == "\ufeff":
        return f"{name} is a byte-order mark, which stands only at the very beginning of a file: remove it"
    if category == "Zs" and character != " ":
        return f"{name} is not an ordinary blank: put one in its place"
    if category in ("Zl", "Zp") or character in "\x85\x0b\x0c":
        return f"{name} does not separate anything here: use an ordinary blank or line end"
    if category in ("Cc", "Cf", "Cn", "Co", "Cs") or character in _UNSEEN or ord(character) in _VARIATIONS:
        return f"{name} cannot be seen: remove it"
    if sign := _SIGN_FOR.get(character):
        return f"{name} only looks similar: write `{sign}`"
    return ""


def letter_help(word: str) -> str:
    """Help for a word with letters that look like others; empty when the word is not made of such alone."""
    for character in word:
        plain = character.translate(_LETTERS)
        if plain != character and word.translate(_LETTERS).isascii():
            return f"`{character}` is {character_name(character)}, which only looks like `{plain}`"
    full = unicodedata.normalize("NFKC", word)
    if full != word and full.isascii() and full.isalnum():
        return f"`{word[0]}` is {character_name(word[0])}: write {full}"
    return ""
