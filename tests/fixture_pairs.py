"""How are the fixture files of the rewrites read? Inputs, and below each the output after an arrow.

    # missing: false                    a setting, for all that follows until it is given again
    # single-valued: a, b
    a = 1 and a = 2                     one or several lines of input
    -> false                            one or several lines of output, then an empty line

Other lines that begin with # are comments.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FIXTURES = Path(__file__).parent / "fixtures"
SETTINGS = {"missing": "unknown", "single-valued": ""}


@dataclass(frozen=True)
class Pair:
    line: int
    given: str
    expected: str
    missing: str
    single_valued: tuple[str, ...]

    def __str__(self) -> str:
        return f"line {self.line}"


def read_pairs(name: str) -> list[Pair]:
    return pairs_in((FIXTURES / name).read_text(encoding="utf-8"), name)


def pairs_in(text: str, name: str) -> list[Pair]:
    pairs: list[Pair] = []
    settings = dict(SETTINGS)
    given: list[str] = []
    expected: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if line.startswith("#"):
            key, colon, value = line[1:].partition(":")
            if colon and key.strip() in settings:
                settings[key.strip()] = value.strip()
        elif line.startswith("->"):
            expected.append(line[2:].strip())
        elif line:
            assert not expected, f"{name}, line {number}: an empty line must follow the output"
            given.append(line)
        elif given:
            assert expected, f"{name}, line {number}: no output"
            names = tuple(each.strip() for each in settings["single-valued"].split(",") if each.strip())
            pairs.append(Pair(number - 1, "\n".join(given), "\n".join(expected), settings["missing"], names))
            given, expected = [], []
    return pairs
