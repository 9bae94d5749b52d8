"""How are experiments run? `python -m benchmarks list | run NAME | plot NAME | table NAME | workload NAME`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from benchmarks import contest_tables, results, tables
from benchmarks.experiments import catalogue as experiments
from benchmarks.workloads import catalogue as workloads


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    root = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure Eligo on the papers' workloads.")
    commands = root.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="show experiments and workloads")

    run = commands.add_parser("run", help="run an experiment and store its result")
    run.add_argument("name", choices=experiments.NAMES)
    run.add_argument("--scale", choices=("small", "full"), default="small")
    run.add_argument("--seed", type=int, default=1)
    run.add_argument("--only", action="append", default=[], metavar="MEASUREMENT", help="may be given several times")
    run.add_argument("--no-save", action="store_true", help="print, but store nothing")

    for command, help in (("plot", "draw a stored result"), ("table", "print a stored result as Markdown")):
        stored = commands.add_parser(command, help=help)
        stored.add_argument("name", choices=experiments.NAMES)
        stored.add_argument("--scale", choices=("small", "full"), help="default: full if there is one")
        stored.add_argument("--result", type=Path, help="a file, instead of the newest result")
        if command == "plot":
            stored.add_argument("--output", type=Path, help="default: beside the result")
        else:
            stored.add_argument("--write", type=Path, metavar="PAGE", help="put it between the markers of a page")

    workload = commands.add_parser("workload", help="make a workload and print its report")
    workload.add_argument("name", choices=tuple(workloads.WORKLOADS))
    workload.add_argument("--scale", choices=("small", "full"), default="small")
    workload.add_argument("--seed", type=int, default=1)
    workload.add_argument("--show", type=int, default=0, metavar="N", help="print the first N expressions")
    return root


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 1 when it fails, or when a bar was not reached."""
    options = parser().parse_args(arguments)
    command = {"list": show_list, "run": run, "plot": plot, "table": table, "workload": workload}[options.command]
    try:
        return command(options)
    except (results.ResultError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def show_list(_: argparse.Namespace) -> int:
    """Experiments with their measurements, and workloads."""
    for name in experiments.NAMES:
        experiment = experiments.get(name)
        print(f"{name}: {experiment.question}")
        for measurement in experiment.measurements:
            print(f"    {measurement.name:22} {measurement.title}")
    print("workloads:")
    for entry in workloads.WORKLOADS.values():
        print(f"    {entry.name:22} {entry.full:,}: {entry.what}")
    return 0


def run(options: argparse.Namespace) -> int:
    """Run an experiment."""
    from benchmarks.correctness import WrongAnswerError
    from benchmarks.runner import run as run_experiment

    parts: list[results.Result] = []

    def keep(so_far: results.Result) -> None:
        parts.append(so_far)
        if not options.no_save:
            results.save_part(so_far)

    try:
        result = run_experiment(
            experiments.get(options.name), options.scale, options.seed, only=options.only, keep=keep
        )
    except WrongAnswerError as error:
        for so_far in parts[-1:]:
            results.discard_part(so_far)
        print(f"wrong answer, nothing was stored: {error}", file=sys.stderr)
        return 1
    if not options.no_save:
        print(f"stored {results.save(result).name}")
    return int(any(row.is_reached is False for row in result.rows))


def chosen_result(options: argparse.Namespace) -> Path:
    """The file that a command reads."""
    return options.result or results.latest(options.name, options.scale)


def plot(options: argparse.Namespace) -> int:
    """Draw a stored result."""
    from benchmarks import plots

    source = chosen_result(options)
    target = options.output or source.with_suffix(".png")
    plots.draw(results.load(source), target)
    print(f"drew {target.name} from {source.name}")
    return 0


def table(options: argparse.Namespace) -> int:
    """Print a stored result as Markdown, or put it on a page."""
    source = chosen_result(options)
    result = results.load(source)
    markdown = contest_tables.markdown(result)
    if options.write is None:
        print(markdown)
    else:
        picture = tables.picture_line(source, options.write, result.question)
        tables.write_into(options.write, options.name, markdown + picture)
    return 0


def workload(options: argparse.Namespace) -> int:
    """Make a workload and print its report."""
    started = perf_counter()
    made = workloads.load(options.name, options.scale, options.seed)
    print(json.dumps({"parameters": dict(made.parameters), "report": dict(made.report)}, indent=2))
    print(f"{made.expressions.num_rows:,} expressions, {made.expressions.nbytes / 1e6:,.1f} MB, ", end="")
    print(f"{made.events.num_rows:,} events, {perf_counter() - started:.1f} s")
    for text in made.expressions.column("expression").slice(0, options.show).to_pylist():
        print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
