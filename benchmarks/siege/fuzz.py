"""What does a text get that is almost right? A tree or a typed error, the same from every parser.

    bytes ──▶ parse_all, compiled      every text                   accepted, or refused with a place and a help
              parse, one by one        one of SINGLY                the same tree, or the same error word for word
              canonical text           of those accepted            gives the tree back
              build and match          the texts of a chunk         an index, or all that is wrong with them
    JSON form, SQL, schemas            a share each                 an answer, or a typed error

Texts are expressions, forms and schemas that are right, with some bytes changed, doubled, cut out or taken from others.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa

import eligo
from benchmarks.siege.tally import Tally
from benchmarks.siege.worlds import make_world
from eligo.errors import EligoError
from eligo.language.canonical import canonical_text
from eligo.language.forms.json_form import dumps, loads, to_json
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.text.parse import ParsedBatch, parse, parse_all

CHUNK = 20_000
SINGLY = 100
"""One text of so many also goes through the parser for one."""
EXPLAINED = 50
"""Of so many refused texts, one error is written out; of so many accepted ones, one is written and read again."""
OTHERS = 500
"""For so many texts: one JSON form, one SQL text and one schema."""
INTERPRETED = Limits(depth=DEFAULT_LIMITS.depth + 1)
"""Other limits than usual are for the interpreted parser."""

_TEXT_PIECES = (
    *("(", ")", "'", '"', ",", "^", "=", "<", ">", "!", "-", "--", ".", "\n", "\t", " ", "\0", "/", "*", ";", "&"),
    *("and", "or", "not", "xor", "xnor", "in", "between", "is", "missing", "exists", "starts with", "under"),
    *("contains all", "weak not in", "strong not in", "true", "false", "null", "date", "timestamp", "0", "1e999"),
    *("9223372036854775808", "1_0", "0x1", "'2024-02-30'", "'9999-12-31T24:00'", "é", "\u00a0", "\ufeff", "\u200b"),
    *("＝", "’", "“", "\U0010ffff", "((((((((", "not not not not", "a.b", '"a""b"', "''''", "^0.1", "^-1", "{"),
    *("}", "[", "]", "\\", "%", "_", "$", "NULL", "LIKE", "IS TRUE", "CASE", "SELECT", "CAST(", "AS INT", "ARRAY["),
    *(":", "\x1b[31m", "\u202e", "nan", "inf", "E", "e5", "+", "~", "|", "||"),
)
_NO_TEXTS = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf5", b"\x80")
PIECES = (*(piece.encode() for piece in _TEXT_PIECES), *_NO_TEXTS)

SQL_TEXTS = (
    "state IN ('CA', 'NY') AND (age >= 18 OR NOT vip)",
    "a BETWEEN 1 AND 2 XOR b NOT IN (1, 2.5, 'x')",
    "(a = 1 OR b <> 2) IS NOT TRUE AND c IS NULL",
    "day >= DATE '2024-01-31' AND t = TIMESTAMP '2024-01-31 10:00:00' AND name LIKE 'x%'",
    "\"user name\" = 'it''s' AND -5 < a AND u.v.w = TRUE AND 1 = 1",
)
SCHEMAS: tuple[Any, ...] = (
    {"age": "int", "interests": "list[string]", "score": {"kind": "float", "low": 0, "high": 1}},
    {"attributes": {"a": {"kind": "string", "values": ["x", "y"], "several": True}}, "closed": True},
    {"topic": {"kind": "string", "hierarchy": {"edges": [["b", "a"]], "roots": ["c"]}}, "day": {"kind": "date"}},
    {"$schema": "x", "properties": {"a": {"type": ["integer", "null"], "minimum": 0}, "b": {"$ref": "#/$defs/b"}}},
    {"type": "struct", "fields": [{"name": "a", "type": {"type": "array", "elementType": "long"}}]},
)


def fuzz_texts(seed: int, number: int) -> Tally:
    """Read so many texts."""
    tally = Tally()
    rng = random.Random(f"texts {seed}")
    right = _right_texts(seed)
    forms = [dumps(parse(text.decode())).encode() for text in right[:200]]
    schemas = [json.dumps(schema).encode() for schema in SCHEMAS]
    sql = [text.encode() for text in SQL_TEXTS]
    while tally.num_tried < number:
        count = min(CHUNK, number - tally.num_tried)
        texts = [mutated(rng, right) for _ in range(count)]
        _read_all(rng, texts, tally)
        for _ in range(count // OTHERS + 1):
            _ask(lambda text: loads(text), mutated(rng, forms), "JSON forms", tally)
            _ask(lambda text: eligo.from_sql(text), mutated(rng, sql), "SQL texts", tally)
            _ask(_read_schema, mutated(rng, schemas), "schemas", tally)
    return tally


def _right_texts(seed: int) -> list[bytes]:
    """Expressions of every kind, as they are written."""
    trees = make_world(seed, 400, 1).trees
    return [canonical_text(tree).encode() for tree in trees if tree.depth < 30]


def mutated(rng: random.Random, right: list[bytes]) -> bytes:
    """A text that is right, with a few changes; now and then with none."""
    text = right[int(rng.random() * len(right))]
    for _ in range(int(rng.random() * 4)):
        start = int(rng.random() * (len(text) + 1))
        choice = int(rng.random() * 6)
        if choice == 0:  # a piece put in
            text = text[:start] + PIECES[int(rng.random() * len(PIECES))] + text[start:]
        elif choice == 1:  # a piece in place of some bytes
            text = text[:start] + PIECES[int(rng.random() * len(PIECES))] + text[start + 1 + int(rng.random() * 4) :]
        elif choice == 2:  # some bytes cut out
            text = text[:start] + text[start + 1 + int(rng.random() * 8) :]
        elif choice == 3:  # the rest of another text
            other = right[int(rng.random() * len(right))]
            text = text[:start] + other[int(rng.random() * (len(other) + 1)) :]
        elif choice == 4:  # some bytes twice
            text = text[:start] + text[max(0, start - 12) : start] + text[start:]
        else:  # any byte
            text = text[:start] + bytes((int(rng.random() * 256),)) + text[start + 1 :]
    return text


def _read_all(rng: random.Random, texts: list[bytes], tally: Tally) -> None:
    tally.tried(len(texts))
    try:
        batch = parse_all(pa.array(texts, pa.large_binary()))
        errors = batch.outcome.error
    except Exception as error:
        tally.fail(f"parse_all of {len(texts)} texts: {type(error).__name__}: {error}"[:500], len(texts))
        return
    num_refused = int((errors != 0).sum())
    tally.counts["texts accepted"] += len(texts) - num_refused
    tally.counts["texts refused"] += num_refused
    for row in range(int(rng.random() * SINGLY), len(texts), SINGLY):
        _compare(batch, row, texts[row], tally)
    for row in range(int(rng.random() * EXPLAINED), len(texts), EXPLAINED):
        _explain(batch, row, texts[row], tally)
    good = {row: text.decode(errors="replace") for row, text in enumerate(texts[:500]) if errors[row] == 0}
    _guarded(lambda: eligo.build(good).match({"n": 1, "s": "x", "b": True}), f"build({good!r})", tally)


def _compare(batch: ParsedBatch, row: int, data: bytes, tally: Tally) -> None:
    """The parser for one text says what the parser for many says."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    tally.counts["texts compared"] += 1
    together = _outcome(lambda: batch.tree(row))
    for limits in (DEFAULT_LIMITS, INTERPRETED):
        alone = _outcome(lambda limits=limits: parse(text, limits=limits))  # type: ignore[misc]
        if alone != together:
            tally.fail(f"alone {alone!r}, together {together!r}: {data!r}"[:500])


def _outcome(read: Callable[[], Any]) -> Any:
    """The tree, or the words of the error; for a foreign one its type."""
    try:
        return read()
    except EligoError as error:
        return str(error)
    except Exception as error:
        return f"FOREIGN {type(error).__name__}: {error}"


def _explain(batch: ParsedBatch, row: int, data: bytes, tally: Tally) -> None:
    """An error can be written out, on lines that are fit for a terminal; a tree is written and read again."""
    try:
        if (error := batch.error(row)) is not None:
            tally.counts["errors written out"] += 1
            if not str(error).replace("\n", "").replace("\t", "").isprintable():
                tally.fail(f"the error of {data!r} steers the terminal"[:500])
            return
        tree = batch.tree(row)
        tally.counts["texts read again"] += 1
        if parse(canonical_text(tree)) != tree or loads(dumps(tree)) != tree or not to_json(tree):
            tally.fail(f"another tree when read again: {data!r}"[:500])
    except Exception as error:
        tally.fail(f"{data!r}: {type(error).__name__}: {error}"[:500])


def _read_schema(text: str) -> Any:
    """A schema as the command line reads it: what is not JSON is refused before."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return eligo.Schema.from_json(document).to_json()


def _ask(read: Callable[[str], Any], data: bytes, what: str, tally: Tally) -> None:
    tally.tried()
    text = data.decode("utf-8", "surrogateescape")
    answered = _guarded(lambda: read(text), f"{what}: {text!r}", tally)
    tally.counts[f"{what} {'answered' if answered else 'refused'}"] += 1


def _guarded(ask: Callable[[], Any], what: str, tally: Tally) -> bool:
    """Whether there was an answer; what is neither an answer nor a typed error is a failure."""
    try:
        ask()
    except EligoError:
        return False
    except Exception as error:
        tally.fail(f"{what}: {type(error).__name__}: {error}"[:500])
        return False
    return True
