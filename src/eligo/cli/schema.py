"""`eligo schema`: what do these events hold? Their attributes and kinds, as a schema that check and build take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from eligo.cli.shared import options
from eligo.cli.shared.console import counted, json_line, messages, output


def schema(
    events: Annotated[
        str,
        typer.Argument(
            help="A table of events with a column for each attribute: .jsonl, .csv or .parquet.", show_default=False
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the schema here instead of to stdout.", show_default=False),
    ] = None,
    sample: Annotated[int, typer.Option(metavar="N", min=1, help="Look at so many events, the first ones.")] = 100_000,
    bounds: Annotated[
        bool, typer.Option("--bounds", help="Put in the least and the largest value that was seen.")
    ] = False,
    values: Annotated[
        int,
        typer.Option(metavar="N", min=0, max=1_000, help="Put in all values of attributes that have at most so many."),
    ] = 0,
    format: options.TableFormat = None,
    event_id_column: options.EventIdColumn = "event_id",
    delimiter: options.Delimiter = ",",
) -> None:
    """Infer a schema from events, without Spark.

    Of Parquet the columns have types; of JSON lines and CSV the values of the first events say what they are. Bounds
    and values are what was seen: a schema that has them refuses events and expressions with others.

    Examples:
      eligo schema events.parquet --out schema.json
      eligo schema events.jsonl --bounds --values 50
      eligo schema events.csv | eligo check --schema /dev/stdin rules.eligo
    """
    from eligo.data.lint.event_files import seen_in_file

    seen = seen_in_file(events, format=format, sample=sample, delimiter=delimiter)
    found = seen.schema(bounds=bounds, values=values, exclude=[event_id_column])
    forms = found.to_json()
    lines = [f"    {json_line(name)}: {json_line(form)}" for name, form in forms["attributes"].items()]
    text = '{\n  "attributes": {\n' + ",\n".join(lines) + f'\n  }},\n  "closed": {json.dumps(forms["closed"])}\n}}'
    if out is None:
        output().out(text, highlight=False)
    else:
        out.write_text(f"{text}\n", encoding="utf-8")
    left_out = [name for name in seen.attributes if name not in found and name != event_id_column]
    summary = f"{counted(len(found), 'attribute')} in {counted(seen.num_events, 'event')}"
    messages().print(Text(summary, style="bold green"))
    if left_out:
        named = ", ".join(map(repr, left_out[:8])) + (", …" if len(left_out) > 8 else "")
        messages().print(f"not in the schema, for want of values of one kind: {named}")
