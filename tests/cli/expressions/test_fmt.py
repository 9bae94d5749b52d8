from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from eligo.stores.address import Address, place
from eligo.stores.store import store_of
from store_places import S3Server

from ..conftest import EligoCommand

TEXT = "-- targeting\n\n  AGE  in (1,2)   -- young\nstate == 'CA'\r\nage >\n(((x = 1)))"
FORMATTED = "-- targeting\n\nAGE in (1, 2)  -- young\nstate = 'CA'\r\nage >\nx = 1"


def test_stdout(eligo_command: EligoCommand) -> None:
    outcome = eligo_command("fmt", "-", stdin=TEXT)
    assert outcome.out == FORMATTED
    assert "<stdin>:5:6: " in outcome.err
    assert "3 expressions changed, 1 problem (such rows stay as they are)" in outcome.err
    assert outcome.code == 1


def test_in_place_and_again(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules = tmp_path / "rules.eligo"
    rules.write_bytes(TEXT.encode())
    rules.chmod(0o640)
    assert eligo_command("fmt", "--in-place", rules).out == ""
    assert rules.read_bytes().decode() == FORMATTED
    assert rules.stat().st_mode & 0o777 == 0o640
    assert "nothing to change" in eligo_command("fmt", "--in-place", rules).err
    assert list(tmp_path.iterdir()) == [rules]


def test_a_bad_line_keeps_its_bytes(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules = tmp_path / "rules.eligo"
    rules.write_bytes(b"a  = 1\nname = '\xff'\n")
    assert eligo_command("fmt", "--in-place", rules).code == 1
    assert rules.read_bytes() == b"a = 1\nname = '\xff'\n"


def test_check_writes_nothing(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules = tmp_path / "rules.eligo"
    rules.write_text("a   = 1\nb = 2\n")
    outcome = eligo_command("fmt", "--check", rules)
    assert outcome.code == 1
    assert outcome.out == f"{rules}:1: would become a = 1\n"
    assert rules.read_text() == "a   = 1\nb = 2\n"
    rules.write_text("a = 1\nb = 2\n")
    assert eligo_command("fmt", "--check", rules).code == 0


def test_comment_signs_in_strings_are_no_comments(eligo_command: EligoCommand) -> None:
    line = """a = '--'  and "--"  = 'it''s -- so'   -- it's a comment"""
    assert eligo_command("fmt", "-", stdin=line).out == """a = '--' and "--" = 'it''s -- so'  -- it's a comment"""


def test_simplify(eligo_command: EligoCommand) -> None:
    assert eligo_command("fmt", "--simplify", "-", stdin="a = 1 and a = 1 and true").out == "a = 1"


def test_from_sql(eligo_command: EligoCommand) -> None:
    outcome = eligo_command("fmt", "--from", "sql", "-", stdin="age >= 18 AND state IN ('CA')\nf(x) = 1\n")
    assert outcome.out == "age >= 18 and state in ('CA')\nf(x) = 1\n"
    assert outcome.code == 1


def test_json_lines_keep_other_fields_and_lines(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules = tmp_path / "rules.jsonl"
    unchanged = '{"id":1,   "expression": "a = 1"}'
    form = {"id": 3, "expression": {"attribute": "c", "operator": "=", "value": 3}}
    rules.write_text(
        f'{unchanged}\n{{"id": 2, "expression": "b  = 2", "owner": "Zoë"}}\nnot json\n{json.dumps(form)}\n'
    )
    assert eligo_command("fmt", "--in-place", rules).code == 1
    lines = rules.read_text().splitlines()
    assert lines[0] == unchanged
    assert json.loads(lines[1]) == {"id": 2, "expression": "b = 2", "owner": "Zoë"}
    assert lines[2] == "not json"
    assert json.loads(lines[3]) == {"id": 3, "expression": "c = 3"}


def test_csv(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules = tmp_path / "rules.csv"
    rules.write_text('id,expression,owner\n1,"a in (1,2)","x, y"\n2,"a >",z\n')
    eligo_command("fmt", "--in-place", rules)
    with rules.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [["id", "expression", "owner"], ["1", "a in (1, 2)", "x, y"], ["2", "a >", "z"]]


def test_parquet(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules = tmp_path / "rules.parquet"
    pq.write_table(pa.table({"id": [1, 2, 3], "expression": ["a  = 1", None, "b >"]}), rules)
    assert eligo_command("fmt", rules).code == 2
    eligo_command("fmt", "--in-place", rules)
    assert pq.read_table(rules)["expression"].to_pylist() == ["a = 1", None, "b >"]


def test_wrong_usage(eligo_command: EligoCommand, tmp_path: Path) -> None:
    assert eligo_command("fmt", "--in-place", "-").code == 2
    rules = tmp_path / "rules.eligo"
    rules.write_text("a = 1")
    assert eligo_command("fmt", "--in-place", "--check", rules).code == 2


def test_quantified_parts(eligo_command: EligoCommand) -> None:
    text = "a==1 AND EXISTS x IN LAST '168 hours'(x.price>price)\nexists d (price < cost)\n"
    outcome = eligo_command("fmt", "-", stdin=text)
    assert outcome.out == "a = 1 and exists d in last '7 days' (price < d.price)\nexists d (price < cost)\n"
    assert "<stdin>:2:19: `price` and `cost` are both the event's" in outcome.err


def test_a_file_of_a_store_is_rewritten(eligo_command: EligoCommand, s3: S3Server) -> None:
    for name in ("rules.eligo", "rules.eligo.gz"):
        rules = place(f"{s3.new_home()}/{name}")
        assert isinstance(rules, Address)
        packed, unpacked = (gzip.compress, gzip.decompress) if name.endswith(".gz") else (bytes, bytes)
        store_of(rules).put(rules.key, [packed(b"AGE  in (1,2)\n")])
        assert eligo_command("fmt", rules).out == "AGE in (1, 2)\n"
        assert eligo_command("fmt", "--in-place", rules).code == 0
        assert unpacked(store_of(rules).read(rules.key)) == b"AGE in (1, 2)\n"


def test_a_file_is_rewritten_by_its_address(eligo_command: EligoCommand, tmp_path: Path) -> None:
    (tmp_path / "rules.eligo").write_text("AGE  in (1,2)\n", encoding="utf-8")
    assert eligo_command("fmt", "--in-place", f"file://{tmp_path}/rules.eligo").code == 0
    assert (tmp_path / "rules.eligo").read_text(encoding="utf-8") == "AGE in (1, 2)\n"


def test_csv_with_another_delimiter(eligo_command: EligoCommand, tmp_path: Path) -> None:
    rules = tmp_path / "rules.csv"
    rules.write_text('id;expression\n1;"age IN (3, 4);;"\n2;a=1   and b>2\n')
    outcome = eligo_command("fmt", "--in-place", "--delimiter", ";", rules)
    assert outcome.code == 1 and "'1', line 1" in outcome.err
    assert rules.read_text() == 'id;expression\n1;"age IN (3, 4);;"\n2;a = 1 and b > 2\n'
