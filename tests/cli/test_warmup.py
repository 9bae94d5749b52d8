from __future__ import annotations

from typer.testing import CliRunner

from eligo.cli.app import app


def test_warmup_runs_every_kernel_and_says_how_long_it_took() -> None:
    result = CliRunner().invoke(app, ["warmup"])
    assert result.exit_code == 0, result.output
    assert "compiled in" in result.output
