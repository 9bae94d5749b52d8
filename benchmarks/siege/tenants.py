"""Does each event meet the expressions of its tenant that are in force, and no other? Seeded worlds, judged by hand.

    rules     tenant, window, predicate; changed and deleted from version to version
    events    tenant as text or number, time in some zone, as text or timestamp; some tenants that are none

The judge is `expected`: a loop over all pairs that compares tenants and instants itself and shares nothing with Eligo.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pyarrow as pa

import eligo
from benchmarks.siege.tally import Tally
from eligo.data.schema.schema import Schema
from eligo.errors import EventError

TenantKind = Literal["string", "int"]
TENANTS: Mapping[str, tuple[Any, ...]] = {
    "string": ("7", "007", "-7", "acme", "ACME", "O'Neil", "a\\", "a\nb", '"@tenant"', "é", "e\u0301", " 7", "7.0"),
    "int": (7, -7, 0, 70, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)),
}
ZONES = tuple(map(ZoneInfo, ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Kiritimati")))
CLOCK_CHANGES = (
    datetime(2026, 3, 29, 1, tzinfo=UTC),
    datetime(2026, 10, 25, 1, tzinfo=UTC),
    datetime(2026, 11, 1, 6, tzinfo=UTC),
)
"""Berlin in spring and autumn, New York in autumn: local times around them come twice, or never."""
OTHER_MOMENTS = (
    datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime(2024, 2, 29, tzinfo=UTC),
    datetime(2026, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, tzinfo=UTC),
)
STEPS = (timedelta(0), timedelta(microseconds=1), timedelta(seconds=1), timedelta(minutes=30), timedelta(hours=1))
MOST_X = 4


@dataclass(frozen=True)
class Rule:
    """An expression with its tenant and window."""

    id: str
    tenant: Any
    valid_from: datetime | None
    valid_to: datetime | None
    least: int
    weight: float

    @property
    def text(self) -> str:
        return f"x >= {self.least}^{self.weight} -- {self.id}"


@dataclass(frozen=True)
class Asked:
    """An event."""

    id: int
    tenant: Any
    """As the event has it, which may be no tenant of the index; None for none."""
    time: datetime | None
    zone: ZoneInfo
    x: int

    @property
    def time_text(self) -> str | None:
        return None if self.time is None else self.time.astimezone(self.zone).isoformat()


@dataclass(frozen=True)
class GuardWorld:
    """The versions of a table of rules, and events to ask each of them with."""

    kind: TenantKind
    versions: list[dict[str, Rule]]
    events: list[Asked]

    def change(self, version: int) -> tuple[list[Rule], list[str]]:
        """What makes a version of the one before: changed rules, and deleted ids."""
        before, after = self.versions[version - 1], self.versions[version]
        return [rule for id, rule in after.items() if before.get(id) != rule], sorted(set(before) - set(after))


def make_guard_world(seed: int, kind: TenantKind, num_rules: int, num_events: int, num_versions: int = 3) -> GuardWorld:
    """The world of a seed."""
    rng = random.Random(f"tenants {seed} {kind}")
    tenants = (*TENANTS[kind][:2], *rng.sample(TENANTS[kind][2:], 3))
    versions = [{f"r{number}": _rule(rng, tenants, f"r{number}") for number in range(num_rules)}]
    for _ in range(num_versions - 1):
        rules = dict(versions[-1])
        for id in rng.sample(sorted(rules), len(rules) // 4):
            if rng.random() < 0.3:
                del rules[id]
            else:  # another tenant, another window, or another predicate
                rules[id] = _changed(rng, tenants, rules[id])
        for number in range(num_rules // 8):
            id = f"r{len(versions) * 10_000 + number}"
            rules[id] = _rule(rng, tenants, id)
        versions.append(rules)
    return GuardWorld(kind, versions, [_asked(rng, kind, tenants, number) for number in range(num_events)])


def _moment(rng: random.Random) -> datetime:
    moment = rng.choice(CLOCK_CHANGES if rng.random() < 0.8 else OTHER_MOMENTS)
    step = rng.choice(STEPS) * rng.choice((-1, 1))
    return moment + step if moment.year < 9999 else moment


def _rule(rng: random.Random, tenants: Sequence[Any], id: str) -> Rule:
    first, last = (_moment(rng) if rng.random() < 0.7 else None for _ in range(2))
    if first is not None and rng.random() < 0.15:
        last = first  # never in force, as one whose bounds are reversed
    return Rule(id, rng.choice(tenants), first, last, rng.randrange(MOST_X), rng.choice((1.0, 0.1, 2.5)))


def _changed(rng: random.Random, tenants: Sequence[Any], rule: Rule) -> Rule:
    other = _rule(rng, tenants, rule.id)
    return rng.choice(
        (
            other,
            replace(rule, tenant=other.tenant),
            replace(rule, valid_from=other.valid_from, valid_to=other.valid_to),
        )
    )


def _asked(rng: random.Random, kind: TenantKind, tenants: Sequence[Any], number: int) -> Asked:
    tenant: Any = rng.choice(tenants)
    shape = rng.random()
    if shape < 0.3:
        tenant = rng.choice(TENANTS["int" if kind == "string" else "string"][:4])  # some are written alike
    elif shape < 0.4:
        tenant = None
    elif shape < 0.5 and kind == "int":
        tenant = str(tenant)
    time = None if rng.random() < 0.1 else _moment(rng)
    return Asked(number, tenant, time, rng.choice(ZONES), rng.randrange(MOST_X))


REFUSED = object()


def tenant_of(kind: TenantKind, given: Any) -> Any:
    """What an event's tenant is to an index of this kind: a tenant, None, or `REFUSED`."""
    if given is None or type(given) is {"string": str, "int": int}[kind]:
        return given
    if kind == "string":
        return str(given)
    written = [number for number in range(-100, 100) if str(number) == given]
    large = [number for number in TENANTS["int"] if str(number) == given]
    return (written + large + [REFUSED])[0]


def expected(rules: Mapping[str, Rule], kind: TenantKind, events: Sequence[Asked]) -> set[tuple[int, str]]:
    """Every pair of an event and a rule that it meets."""
    return {(event.id, rule.id) for event in events for rule in rules.values() if _meets(event, rule, kind)}


def _meets(event: Asked, rule: Rule, kind: TenantKind) -> bool:
    if tenant_of(kind, event.tenant) != rule.tenant or event.tenant is None:
        return False
    if rule.valid_from is not None and (event.time is None or event.time < rule.valid_from):
        return False
    if rule.valid_to is not None and (event.time is None or event.time >= rule.valid_to):
        return False
    return event.x >= rule.least


def refused(kind: TenantKind, events: Sequence[Asked]) -> set[int]:
    """The events that cannot be read."""
    return {event.id for event in events if tenant_of(kind, event.tenant) is REFUSED}


def guarded_text(rule: Rule) -> str:
    """The rule as an index holds it; see `eligo.index.guard`."""
    escaped = f"""'{rule.tenant.replace("'", "''")}'""" if isinstance(rule.tenant, str) else str(rule.tenant)
    guards = [f'"@tenant" = {escaped}^0']
    for comparison, moment in ((">=", rule.valid_from), ("<", rule.valid_to)):
        if moment is not None:
            guards.append(f"\"@time\" {comparison} timestamp '{moment.isoformat()}'^0")
    return f"{' and '.join(guards)} and (\n{rule.text}\n)"


def event_of(event: Asked, rng: random.Random) -> dict[str, Any]:
    """The event as a mapping, with its time in some form."""
    forms = [event.time, event.time_text, None if event.time is None else event.time.astimezone(event.zone)]
    if event.time is not None:
        forms.append(event.time.replace(tzinfo=None))
        if event.time.time().isoformat() == "00:00:00":
            forms.append(event.time.date())
    return {"@tenant": event.tenant, "@time": rng.choice(forms), "x": event.x}


def attack_library(seed: int, num_rules: int = 60, num_events: int = 40) -> Tally:
    """Worlds of both kinds, asked of an index that is changed rule by rule, in every way that the library has."""
    tally = Tally()
    for kind in TENANTS:
        world = make_guard_world(seed, kind, num_rules, num_events)  # type: ignore[arg-type]
        rng = random.Random(seed)
        schema = Schema.from_dict({"@tenant": world.kind, "@time": "timestamp"})
        index = eligo.build({id: guarded_text(rule) for id, rule in world.versions[0].items()}, schema=schema)
        for version, rules in enumerate(world.versions):
            if version:
                changed, deleted = world.change(version)
                for rule in changed:
                    index.replace(rule.id, guarded_text(rule))
                for id in deleted:
                    index.delete(id)
            judge_index(index, world, rules, rng, tally, f"seed {seed}, {kind}, version {version}")
            if version % 2:
                index.merge()
                judge_index(index, world, rules, rng, tally, f"seed {seed}, {kind}, version {version}, merged")
    return tally


def attack_tenants(seed: int, number: int) -> Tally:
    """So many pairs of rule and event at least, over worlds from a seed on."""
    tally = Tally()
    while tally.num_tried < number:
        tally.add(attack_library(seed, 200, 100))
        seed += 1
    return tally


def judge_index(
    index: eligo.Index, world: GuardWorld, rules: Mapping[str, Rule], rng: random.Random, tally: Tally, where: str
) -> None:
    """Ask an index about every event of a world, one by one and together, and compare with the judge."""
    wanted, bad = expected(rules, world.kind, world.events), refused(world.kind, world.events)
    weights = {rule.id: rule.weight for rule in rules.values()}
    found: dict[str, set[tuple[int, Any]]] = {"match": set(), "top": set(), "explain": set()}
    refusals: dict[str, set[int]] = {"match": set(), "top": set(), "explain": set()}
    probe = rng.choice(sorted(rules))
    for event in world.events:
        asked = event_of(event, rng)
        own = {id for number, id in wanted if number == event.id}
        ways = {
            "match": lambda asked=asked: index.match(asked),
            "top": lambda asked=asked, own=own: _best(index.top(asked, 5), own, weights),
            "explain": lambda asked=asked: [probe] if index.explanation(probe, asked).matches else [],
        }
        for way, ask in ways.items():
            try:
                found[way] |= {(event.id, id) for id in ask()}
            except EventError:
                refusals[way].add(event.id)
    good = [event for event in world.events if event.id not in bad]
    for way, given in {
        "dicts": [event_of(event, rng) for event in good],
        "arrow": pa.table(
            {
                "@tenant": pa.array([tenant_of(world.kind, event.tenant) for event in good]),
                "@time": pa.array([event.time for event in good], pa.timestamp("us", "UTC")),
                "x": [event.x for event in good],
            }
        ),
    }.items():
        matches = index.match_batch(given)
        found[way] = {(event.id, id) for row, event in enumerate(good) for id in matches.ids(row)}
        refusals[way] = set(bad)
    for way, pairs in found.items():
        tally.tried(len(rules) * len(world.events))
        want = {pair for pair in wanted if pair[1] == probe} if way == "explain" else wanted
        if way == "top":
            want = wanted & pairs  # `_best` has said whether these are the best
        tally.counts["pairs of tenants and windows that match"] += len(want)
        if pairs != want or refusals[way] != bad:
            tally.fail(f"{where}: {way}: {sorted(pairs ^ want)[:3]}, {sorted(refusals[way] ^ bad)[:3]}")


def _best(ranked: Sequence[tuple[Any, float]], own: set[str], weights: Mapping[str, float]) -> list[Any]:
    """The ids of the best matches, and an impossible one where they are not the best."""
    best = sorted((weights[id] for id in own), reverse=True)[:5]
    is_right = [score for _, score in ranked] == best and all(weights.get(id) == score for id, score in ranked)
    return [id for id, _ in ranked] if is_right else ["not the best"]
