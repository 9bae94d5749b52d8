"""`eligo explain`: why does an event satisfy an expression, or why not?"""

from __future__ import annotations

from typing import Annotated

import typer

from eligo.cli.shared import documents_input, event_options, options
from eligo.cli.shared.console import json_line, output
from eligo.cli.shared.event_input import event_from_file, event_from_json, with_guards, with_moments


def explain(
    event: Annotated[
        str,
        typer.Argument(
            help="The event as a JSON object; - is stdin. With --events, the id of an event.", show_default=False
        ),
    ],
    expression: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The expression to explain.", show_default=False)
    ] = None,
    index: Annotated[
        str | None, typer.Option(metavar="INDEX", help="An index that has the expression.", show_default=False)
    ] = None,
    id: Annotated[
        str | None, typer.Option(metavar="ID", help="The id of the expression in the index.", show_default=False)
    ] = None,
    events: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A file that has the event: .jsonl or .parquet.", show_default=False),
    ] = None,
    missing: options.Missing = options.MissingPolicy.UNKNOWN,
    as_json: options.AsJson = False,
    format: options.EventFormat = None,
    event_id_column: options.EventIdColumn = "event_id",
    tenant_column: event_options.TenantColumn = None,
    time_column: event_options.TimeColumn = None,
    documents: documents_input.Documents = None,
    document_time: documents_input.DocumentTime = None,
) -> None:
    """Show why an event satisfies an expression, or why not.

    Every part of the expression is shown as true, false or unknown, with the values that decided it. The expression is
    given as text, or by its id in an index, whose own policy for missing attributes then holds.

    Examples:
      eligo explain '{"age": 30}' --expression "age between 18 and 24 or state = 'CA'"
      eligo explain '{"age": 30}' --index ads.index --id ad-1
      eligo explain 17 --events events.parquet --index ads.index --id ad-1
    """
    if (expression is None) == (index is None) or (index is None) != (id is None):
        raise typer.BadParameter("give either --expression, or --index and --id")
    if events is None:
        given = event_from_json(event)
    else:
        given = event_from_file(events, event, event_id_column, format, tenant_column)
    given = with_guards(given, tenant_column, time_column)
    import eligo
    from eligo.data.schema.schema_events import without_roles

    if expression is not None:
        built = eligo.build({"expression": expression}, missing=missing.value)
        known_id: str | int = "expression"
    else:
        assert index is not None and id is not None
        built = eligo.open(index)
        known_id = id if id in built or not id.lstrip("-").isdigit() else int(id)
    roles = [name for name in (event_id_column, tenant_column, time_column) if name is not None]
    given = without_roles(given, roles, built.schema)
    known_event = with_moments(given, built.view().temporal_kinds)
    base = documents_input.documents_given(documents, document_time)
    explanation = built.explanation(known_id, known_event, documents=base)
    console = output()
    if as_json:
        console.out(json_line(explanation.to_json()), highlight=False)
    else:
        color = console.is_terminal and not console.no_color
        console.out(explanation.to_text(color=color, subject=id or ""), highlight=False)
