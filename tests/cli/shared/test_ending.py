"""Does a command that cannot go on say so in a line, without a traceback, with a code that tells why?"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from eligo.cli.shared.console import DataConsole, json_line
from eligo.cli.shared.ending import Terminated, endings
from eligo.cli.shared.file_content import LARGEST_DECOMPRESSED
from eligo.errors import InputError

from ..conftest import EligoCommand

ELIGO = [sys.executable, "-c", "from eligo.cli.main import run; run()"]
HOSTILE = "\x1b]8;;http://evil\x07\x1b[2J\u202e[red]\r"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "good.txt").write_text("a = 1\n")
    (tmp_path / "no.txt.gz").write_bytes(b"not compressed")
    (tmp_path / "half.jsonl.gz").write_bytes(gzip.compress(os.urandom(10_000))[:5_000])
    (tmp_path / "noise.csv").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "noise.parquet").write_bytes(b"PAR1" + os.urandom(100))
    (tmp_path / "directory.txt").mkdir()
    (tmp_path / "deep.json").write_text('{"a":' * 100_000 + "1" + "}" * 100_000)
    (tmp_path / "latin.json").write_bytes(b'{"\xe9": 1}')
    (tmp_path / "list.json").write_text("[1]")
    return tmp_path


@pytest.mark.parametrize("command", ["check", "fmt", "lint"])
@pytest.mark.parametrize(
    "file",
    ["no.txt.gz", "half.jsonl.gz", "noise.csv", "noise.parquet", "directory.txt", "absent.txt", "absent", "x/y.txt"],
)
def test_files_that_cannot_be_read(eligo_command: EligoCommand, files: Path, command: str, file: str) -> None:
    outcome = eligo_command(command, files / file)
    assert outcome.code == 2
    assert outcome.err.startswith("error: ")
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("schema", ["deep.json", "latin.json", "list.json", "noise.csv", "directory.txt", "absent"])
def test_schemas_that_cannot_be_read(eligo_command: EligoCommand, files: Path, schema: str) -> None:
    outcome = eligo_command("check", "--schema", files / schema, files / "good.txt")
    assert outcome.code == 2
    assert outcome.err.startswith("error: ")


def test_a_small_file_that_holds_much_is_refused(eligo_command: EligoCommand, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.txt.gz"
    with gzip.open(bomb, "wb", compresslevel=1) as file:
        for _ in range(LARGEST_DECOMPRESSED // 10**6 + 1):
            file.write(bytes(10**6))
    outcome = eligo_command("check", bomb)
    assert outcome.code == 2
    assert "holds more than 100 MB when it is decompressed" in outcome.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(eligo_command: EligoCommand, files: Path) -> None:
    (files / "good.txt").chmod(0)
    assert "Permission denied" in eligo_command("check", files / "good.txt").err


def test_what_nobody_foresaw_is_called_a_bug(
    eligo_command: EligoCommand, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eligo.cli.expressions.check.parse_files", lambda *_, **__: 1 / 0)
    outcome = eligo_command("check", files / "good.txt")
    assert outcome.code == 70
    assert "this is a bug in Eligo: ZeroDivisionError: division by zero" in outcome.err
    assert "ELIGO_TRACEBACK=1" in outcome.err
    assert "Traceback" not in outcome.err
    monkeypatch.setenv("ELIGO_TRACEBACK", "1")
    assert "Traceback" in eligo_command("check", files / "good.txt").err


@pytest.mark.parametrize(("interruption", "code"), [(KeyboardInterrupt, 130), (Terminated, 143)])
@pytest.mark.parametrize("kind", [RuntimeError, InputError, OSError])
def test_an_interruption_that_a_library_turned_into_an_error(
    capsys: pytest.CaptureFixture[str], interruption: type[BaseException], code: int, kind: type[Exception]
) -> None:
    with pytest.raises(SystemExit) as ended, endings():
        try:
            try:
                raise interruption
            finally:
                raise kind("the connection is gone")
        except kind as error:
            raise InputError("the table cannot be read") from error
    assert ended.value.code == code
    assert capsys.readouterr().err in ("interrupted\n", "terminated\n")


def test_when_nobody_reads(tmp_path: Path) -> None:
    many = tmp_path / "many.txt"
    many.write_text("a =\n" * 20_000)
    with subprocess.Popen([*ELIGO, "check", many], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(100)
        process.stdout.close()
        told = process.stderr.read().decode()
    assert process.returncode == 141
    assert "Traceback" not in told and "Broken" not in told


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device")
def test_a_full_disk(tmp_path: Path) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("a =\n")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*ELIGO, "check", rules], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


def test_data_cannot_steer_the_terminal(tmp_path: Path) -> None:
    rows = [
        {"id": HOSTILE, "expression": f"a = {HOSTILE}"},
        {"id": "a\nb", "expression": f"\"{HOSTILE}\" = 1 and '{HOSTILE}' = 2"},
        {"id": HOSTILE, "expression": f"a = 1 and \"{HOSTILE}\" = '{HOSTILE}' and a = 2"},
    ]
    name = f"rules{HOSTILE}.jsonl".replace("/", "")
    (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": "300"}
    for command in (["check"], ["lint"], ["fmt", "--check"], ["check", "--expression-column", HOSTILE]):
        done = subprocess.run(
            [*ELIGO, *command, name], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        shown = done.stdout + done.stderr
        assert "evil" in shown
        without_colours = re.sub("\x1b\\[[0-9;]*m", "", shown)
        assert without_colours.replace("\n", "").replace("\t", "").isprintable(), ascii(without_colours)
        assert "\x1b[2J" not in shown


def test_square_brackets_are_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    DataConsole().print("[red]x[/red] [link=http://x]y[/link] :smile:")
    assert capsys.readouterr().out == "[red]x[/red] [link=http://x]y[/link] :smile:\n"
    assert json.loads(json_line({"a": HOSTILE})) == {"a": HOSTILE}
    assert json_line({"a": HOSTILE}).isprintable()
