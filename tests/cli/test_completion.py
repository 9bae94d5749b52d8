"""Does a shell complete the commands and options of `eligo`?"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

COMMAND = "import sys; sys.argv = ['eligo']; from eligo.cli.main import run; run()"


@pytest.mark.parametrize(
    ("words", "completed"),
    [("eligo ver", ["verify", "versions"]), ("eligo match --lo", ["--local"]), ("eligo query --nothing", [])],
)
def test_what_a_shell_is_told(words: str, completed: list[str]) -> None:
    asked = {"_ELIGO_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    told = subprocess.run([sys.executable, "-c", COMMAND], env={**os.environ, **asked}, capture_output=True, text=True)
    assert sorted(told.stdout.split()) == completed, told.stderr
