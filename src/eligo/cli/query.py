"""`eligo query`: which expressions does this event satisfy, or each of these? Answered here, without Spark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eligo.cli.shared import documents_input, event_options, options
from eligo.cli.shared.console import ExitCode, json_line, output, print_error
from eligo.cli.shared.event_input import with_guards
from eligo.cli.shared.file_content import STANDARD_STREAM, read_lines
from eligo.errors import EventError

if TYPE_CHECKING:
    from eligo.index.index import Index
    from eligo.joins.document_base import DocumentBase


def query(
    index: event_options.IndexPath,
    event: Annotated[
        list[str] | None,
        typer.Argument(
            help="Events as JSON objects, or files of JSON lines; - is stdin, which is read when none is given.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option("-n", "--top", metavar="N", min=1, help="The N best matches, with scores.", show_default=False),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show for each match why: as text, or with --json as JSON.")
    ] = False,
    as_json: options.AsJson = False,
    event_id_column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The JSON field of the events' ids, to stand with each answer.", show_default=False
        ),
    ] = None,
    tenant_column: event_options.TenantColumn = None,
    time_column: event_options.TimeColumn = None,
    version: event_options.Version = None,
    documents: documents_input.Documents = None,
    document_time: documents_input.DocumentTime = None,
) -> None:
    """Ask an index about events, without Spark: a line of JSON for each event, with the ids of what it satisfies.

    An event is a JSON object; what does not begin with { names a file that has one on each line. Answers stand in the
    order of the events and come one by one, so that this can be part of a pipe. With --event-id-column an answer is
    {"event": …, "matches": […]}, and with --top a match is {"id": …, "score": …}, the best first.

    An event that cannot be read has the answer null, and stderr says why; the exit code is then 1.

    Examples:
      eligo query ads.index '{"age": 27, "state": "NY"}'
      eligo query ads.index --top 3 events.jsonl
      eligo query ads.index --explain '{"age": 27, "state": "NY"}'
      tail -f events.jsonl | eligo query ads.index --event-id-column event_id
    """
    from eligo.index.stored.opened_version import index_version

    if explain and top is not None:
        raise typer.BadParameter("--explain shows all matches: leave out --top")
    asked = EventQuestion(
        index_version(index, version).open(),
        top,
        explains="json" if explain and as_json else "text" if explain else "",
        event_id=event_id_column,
        guards=(tenant_column, time_column),
        documents=documents_input.documents_given(documents, document_time),
    )
    num_bad = 0
    for place, text in _given_events(event or [STANDARD_STREAM]):
        try:
            answer = asked.answer(text)
        except EventError as error:
            print_error(f"{place}{error}")
            answer = "null"
            num_bad += 1
        print(answer, flush=True)
    raise typer.Exit(ExitCode.FOUND if num_bad else ExitCode.FINE)


class EventQuestion:
    """An index, and what is asked of it about each event."""

    def __init__(
        self,
        index: Index,
        top: int | None,
        *,
        explains: str,
        event_id: str | None,
        guards: tuple[str | None, str | None],
        documents: DocumentBase | None,
    ) -> None:
        self._index = index
        self._top = top
        self._explains = explains
        """How matches are explained, "text" or "json"; "" for not at all."""
        self._event_id = event_id
        self._guards = guards
        self._roles = [name for name in (event_id, *guards) if name is not None]
        self._documents = documents
        self._needs_values = bool(top or explains or self._roles or documents is not None)

    def answer(self, text: bytes) -> str:
        """What to write for an event."""
        if not self._needs_values:
            return json_line(self._index.match_json(text))
        from eligo.data.schema.schema_events import without_roles
        from eligo.index.one_event.json_event import json_event

        index = self._index
        event = json_event(text, index.view().temporal_kinds, index.schema, index.limits)
        known = without_roles(with_guards(event, *self._guards), self._roles, index.schema)
        if self._explains == "text":
            return self._reasons(known)
        matches = self._matches(known)
        if self._event_id is None:
            return json_line(matches)
        return json_line({"event": event.get(self._event_id), "matches": matches})

    def _matches(self, event: dict[str, Any]) -> list[Any]:
        if self._top is not None:
            best = self._index.top(event, self._top, documents=self._documents)
            return [{"id": id, "score": score} for id, score in best]
        ids = self._index.match(event, documents=self._documents)
        if not self._explains:
            return list(ids)
        reasons = [self._index.explanation(id, event, documents=self._documents) for id in ids]
        return [{"id": id, "explanation": reason.to_json()} for id, reason in zip(ids, reasons, strict=True)]

    def _reasons(self, event: dict[str, Any]) -> str:
        console = output()
        color = console.is_terminal and not console.no_color
        ids = self._index.match(event, documents=self._documents)
        reasons = [self._index.explanation(id, event, documents=self._documents) for id in ids]
        told = [reason.to_text(color=color, subject=str(id)) for id, reason in zip(ids, reasons, strict=True)]
        return "\n".join(told or ["nothing matches"])


def _given_events(given: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Where each event stands, for messages, and its text."""
    for text in given:
        if text.lstrip().startswith("{"):
            yield "", text.encode("utf-8", "surrogatepass")
            continue
        name = "<stdin>" if text == STANDARD_STREAM else text
        for number, line in enumerate(read_lines(text), 1):
            if line.strip():
                yield f"{name}, line {number}: ", line
