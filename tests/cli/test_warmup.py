from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from eligo.cli.app import app
from fresh_process import run


def test_warmup_runs_every_kernel_and_says_how_long_it_took() -> None:
    result = CliRunner().invoke(app, ["warmup"])
    assert result.exit_code == 0, result.output
    assert "compiled in" in result.output


SMALL_WARMUP = """
from pathlib import Path
from eligo.cli import warmup
warmup.compile_kernels = lambda folder: turned()  # one kernel instead of all
warmup.warmup(Path(os.environ["DIRECTORY"]))
print(Compiled.names)
"""


def test_warmup_fills_a_directory_that_later_processes_read(tmp_path: Path) -> None:
    directory = tmp_path / "image" / "code"
    given = {"ELIGO_COMPILE": "now", "DIRECTORY": str(directory), "COLUMNS": "500"}
    assert "'transpose'" in run(SMALL_WARMUP, tmp_path / "not-this", **given)
    assert not (tmp_path / "not-this").exists()
    assert run("turned()\nprint(Compiled.names, len(transpose.signatures))", directory) == "[] 1"


def test_warmup_refuses_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(app, ["warmup", "--cache", str(tmp_path / "file" / "code")])
    assert result.exit_code != 0
