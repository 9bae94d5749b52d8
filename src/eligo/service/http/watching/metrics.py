"""What does Prometheus hear? What was counted of requests, and how the service is at the moment when it asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import accumulate

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector

from eligo.errors import UnknownIdError
from eligo.service.delivery.subscriber import Counts
from eligo.service.http.watching.decisions import Decisions
from eligo.service.http.watching.figures import BOUNDS, Figures
from eligo.service.service import Service

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class ServiceCollector(Collector):
    """Gives Prometheus what a service knows of itself."""

    def __init__(
        self,
        service: Service,
        figures: Figures,
        num_calls: Callable[[], tuple[int, int]],
        *,
        names_subscriptions: bool = True,
        decisions: Decisions | None = None,
    ) -> None:
        self._names_subscriptions = names_subscriptions
        """Whether it is for one who may see those of all tenants."""
        self._service = service
        self._figures = figures
        self._num_calls = num_calls
        self._decisions = decisions

    def collect(self) -> Iterator[Metric]:
        yield from self._requests()
        yield from self._state()
        yield from self._log()
        yield from self._following()
        if self._names_subscriptions:
            yield from self._subscriptions()

    def _requests(self) -> Iterator[Metric]:
        requests = CounterMetricFamily("eligo_requests", "Requests answered.", labels=["route", "status"])
        seconds = HistogramMetricFamily("eligo_request_seconds", "How long requests took.", labels=["route"])
        for route, own in list(self._figures.routes.items()):
            for status, number in list(own.by_status.items()):
                requests.add_metric([route, str(status)], number)
            ends = [*map(str, BOUNDS), "+Inf"]
            buckets = list(zip(ends, accumulate(own.classes), strict=True))
            seconds.add_metric([route], [(end, float(number)) for end, number in buckets], own.seconds)
        yield requests
        yield seconds
        yield CounterMetricFamily("eligo_matches", "Matches answered.", self._figures.num_matches)
        num_calls, num_lasting = self._num_calls()
        yield GaugeMetricFamily("eligo_requests_in_progress", "Requests being answered.", num_calls)
        yield GaugeMetricFamily("eligo_requests_held", "Streams, pulls and readers of the log.", num_lasting)
        if self._decisions is not None:
            dropped = self._decisions.num_dropped
            yield CounterMetricFamily("eligo_decisions_dropped", "Answers that were not written down.", dropped)

    def _state(self) -> Iterator[Metric]:
        service = self._service
        yield GaugeMetricFamily("eligo_expressions", "Expressions.", len(service.expressions))
        yield GaugeMetricFamily("eligo_documents", "Documents of the base.", len(service.documents))
        yield GaugeMetricFamily("eligo_seq", "The last write that is seen.", service.seq)
        yield GaugeMetricFamily("eligo_version", "The last published version.", service.version)
        held = service.subscriptions.bodies.num_bytes
        yield GaugeMetricFamily("eligo_held_message_bytes", "Bytes held for subscriptions.", held)
        publications = service.state.publications
        yield GaugeMetricFamily("eligo_publications_remembered", "Ids remembered.", len(publications))
        forgotten = publications.num_forgotten_early
        yield CounterMetricFamily("eligo_publications_forgotten_early", "Ids forgotten too early.", forgotten)
        stats = service.expressions.index.stats()
        yield GaugeMetricFamily("eligo_unmerged_expressions", "Expressions not merged yet.", stats.num_in_tail)
        yield GaugeMetricFamily("eligo_dead_expressions", "Expressions that a merge will remove.", stats.num_dead)
        merges = SummaryMetricFamily("eligo_merge_seconds", "Parts of the index were made one.")
        merges.add_metric([], stats.num_merges, stats.merge_seconds)
        yield merges
        has_failed = stats.last_merge_error is not None
        yield GaugeMetricFamily("eligo_merge_failed", "Whether the last merge failed.", has_failed)

    def _log(self) -> Iterator[Metric]:
        commits, log = self._service.committer.commits, self._service.log
        yield GaugeMetricFamily("eligo_log_bytes", "Bytes of the log.", log.num_bytes)
        for name, what, number, seconds in (
            ("fsync", "The disk was told to keep what was written.", log.num_syncs, log.sync_seconds),
            ("append", "Groups of records written.", commits.num_groups, commits.append_seconds),
        ):
            took = SummaryMetricFamily(f"eligo_log_{name}_seconds", what)
            took.add_metric([], number, seconds)
            yield took
        yield CounterMetricFamily("eligo_log_records", "Records written.", commits.num_records)
        waiting = self._service.committer.num_waiting
        yield GaugeMetricFamily("eligo_log_waiting_records", "Records not on the disk yet.", waiting)
        made = self._service.checkpoints
        if made is not None:
            has_failed = made.last_error is not None
            yield GaugeMetricFamily("eligo_checkpoint_failed", "Whether the last checkpoint failed.", has_failed)
            yield CounterMetricFamily("eligo_checkpoint_failures", "Checkpoints that failed.", made.num_failed)

    def _subscriptions(self) -> Iterator[Metric]:
        lag = GaugeMetricFamily("eligo_subscription_lag", "Messages that wait.", labels=["subscription"])
        waited = GaugeMetricFamily(
            "eligo_subscription_lag_seconds", "For how long the oldest of them has waited.", labels=["subscription"]
        )
        dropped = CounterMetricFamily("eligo_subscription_dropped", "Messages dropped.", labels=["subscription"])
        dead = GaugeMetricFamily("eligo_subscription_dead", "Dead letters.", labels=["subscription"])
        now = datetime.now(UTC)
        for name, counts in _counts(self._service):
            lag.add_metric([name], counts.pending)
            waited.add_metric([name], counts.lag(now))
            dropped.add_metric([name], counts.dropped + counts.dead_dropped)
            dead.add_metric([name], counts.dead)
        yield from (lag, waited, dropped, dead)

    def _following(self) -> Iterator[Metric]:
        following = self._service.following
        if following is None:
            return
        behind = following.get("records_behind", following.get("versions_behind"))
        for name, what, number in (
            ("behind", "Records, or versions of an index, that are not here yet.", behind),
            ("heard_seconds_ago", "Since the source answered.", following["seconds_since_heard"]),
        ):
            yield GaugeMetricFamily(f"eligo_follower_{name}", what, float(str(number)))


def lags(service: Service) -> dict[str, int]:
    """How many messages wait for each subscription."""
    return {name: counts.pending for name, counts in _counts(service)}


def _counts(service: Service) -> Iterator[tuple[str, Counts]]:
    for name in service.subscriptions:
        with suppress(UnknownIdError):  # it has gone meanwhile
            yield name, service.subscriptions.counts(name)


def metrics_text(registry: CollectorRegistry) -> bytes:
    """All of it, as Prometheus reads it."""
    return generate_latest(registry)


def registry_of(collector: ServiceCollector) -> CollectorRegistry:
    """What is asked, with the memory and the time of the process."""
    registry = CollectorRegistry()
    registry.register(collector)
    ProcessCollector(registry=registry)
    return registry
