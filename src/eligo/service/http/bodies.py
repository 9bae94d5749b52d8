"""How is the body of a request read? Within bounds: whole, or line by line, and then to a type that says what it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

import msgspec
from starlette.requests import Request

from eligo.service.http.call import call_of
from eligo.service.http.problems import HttpProblem, too_large
from eligo.service.http.settings import HttpSettings

LINES_AT_ONCE = 4_096
BYTES_AT_ONCE = 1 << 20
"""What is read of lines before they are dealt with."""

Body = TypeVar("Body")


async def read_body(request: Request, most: int) -> bytes:
    """A whole body, of at most so many bytes."""
    if call_of(request).content_length > most:
        raise _too_large(most)
    pieces: list[bytes] = []
    num_bytes = 0
    async for piece in request.stream():
        num_bytes += len(piece)
        if num_bytes > most:
            raise _too_large(most)
        pieces.append(piece)
    return b"".join(pieces)


def _too_large(most: int) -> HttpProblem:
    return HttpProblem(
        413, f"a body has at most {most:,} bytes", help="send it in parts, or as lines (NDJSON)", name="too-large"
    )


def decoded(body: bytes, decoder: msgspec.json.Decoder[Body]) -> Body:
    """What a body says, as its type has it."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise HttpProblem(422, f"the body is not what is asked for: {error}", name="body") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HttpProblem(400, f"the body is not JSON: {error}", name="not-json") from None
    except RecursionError:
        raise HttpProblem(422, "the body is nested too deep", name="body") from None


async def line_blocks(request: Request, settings: HttpSettings) -> AsyncIterator[list[bytes]]:
    """The lines of a body that are not blank, some at a time; memory does not grow with the body."""
    rest = b""
    lines: list[bytes] = []
    num_bytes = waiting = 0
    pieces = request.stream()
    while True:
        try:
            piece = await asyncio.wait_for(anext(pieces), settings.max_seconds)
        except StopAsyncIteration:
            break
        except TimeoutError:
            raise HttpProblem(408, f"nothing came for {settings.max_seconds:g} s", name="too-slow") from None
        num_bytes += len(piece)
        if num_bytes > settings.max_stream:
            raise too_large("the body", settings.max_stream, "send it in parts")
        *whole, rest = (rest + piece).split(b"\n")
        lines += [line for line in whole if line and not line.isspace()]
        waiting += len(piece)
        if len(rest) > settings.max_line:
            raise too_large("a line", settings.max_line, "one event or expression a line")
        while len(lines) >= LINES_AT_ONCE or (lines and waiting >= BYTES_AT_ONCE):
            block, lines = lines[:LINES_AT_ONCE], lines[LINES_AT_ONCE:]
            if not lines:
                waiting = 0
            yield block
    if rest and not rest.isspace():
        lines.append(rest)
    for first in range(0, len(lines), LINES_AT_ONCE):
        yield lines[first : first + LINES_AT_ONCE]
