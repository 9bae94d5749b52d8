"""The `eligo` command: one file a subcommand, brought together here. Spark loads when a command needs it."""

from __future__ import annotations

from typing import Annotated

import typer

from eligo._version import __version__
from eligo.cli.build import build
from eligo.cli.compact import compact
from eligo.cli.count import count
from eligo.cli.demo import demo
from eligo.cli.diff import diff
from eligo.cli.explain import explain
from eligo.cli.expressions.check import check
from eligo.cli.expressions.fmt import fmt
from eligo.cli.expressions.lint import lint
from eligo.cli.generate import generate
from eligo.cli.match import match
from eligo.cli.profile import profile
from eligo.cli.query import query
from eligo.cli.rollback import rollback
from eligo.cli.schema import schema
from eligo.cli.service.serve import serve
from eligo.cli.service.token import token
from eligo.cli.shared.help_text import help_text
from eligo.cli.stats import stats
from eligo.cli.stream import stream
from eligo.cli.top import top
from eligo.cli.update import update
from eligo.cli.verify import verify
from eligo.cli.versions import versions
from eligo.cli.warmup import warmup

COMMANDS = (
    *(check, fmt, lint, schema),
    *(build, update, compact, stats, versions, verify, rollback),
    *(query, match, top, count, diff, stream, explain),
    *(serve, token),
    *(profile, generate, demo, warmup),
)

OLD_NAMES = {"tenant": "tenant-column", "weights": "weights-column"}
"""Options that had another name; it is still taken."""

app = typer.Typer(
    name="eligo",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={
        "help_option_names": ["--help", "-h"],
        "token_normalize_func": lambda name: OLD_NAMES.get(name, name),
    },
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"eligo {__version__}")
        raise typer.Exit()


def eligo(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Which of my millions of Boolean expressions does this event satisfy?

    Exit codes: 0 when all is fine; 1 when something is wrong in the input, such as an expression that cannot be parsed;
    2 when the command is used wrongly or cannot run; 70 when it fails for a reason that it did not foresee (set
    ELIGO_TRACEBACK=1 to see where); 130 and 143 when it is interrupted or terminated, and then nothing is left half
    written; 141 when nobody reads what it writes.

    Examples:
      eligo demo
      eligo check rules.eligo
      eligo build ads.parquet ads.index
      eligo query ads.index '{"age": 27, "state": "NY"}'
      eligo match ads.index events.parquet --out matches.parquet
    """


app.callback(help=str(help_text(eligo)))(eligo)
for command in COMMANDS:
    app.command(command.__name__, help=str(help_text(command)))(command)
