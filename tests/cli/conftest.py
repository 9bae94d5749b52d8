"""Runs the real command within this process, so that Spark starts once for all tests."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from typing import Protocol

import pytest

from eligo.cli.main import run


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


class EligoCommand(Protocol):
    def __call__(self, *arguments: object, stdin: str | bytes = "") -> Outcome: ...


@pytest.fixture
def eligo_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> EligoCommand:
    """`eligo_command("check", "-", stdin=…)` gives the exit code and what was printed."""
    monkeypatch.setenv("COLUMNS", "200")

    def command(*arguments: object, stdin: str | bytes = "") -> Outcome:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "argv", ["eligo", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit:
            run()
        printed = capsys.readouterr()
        return Outcome(int(exit.value.code or 0), printed.out, printed.err)

    return command
