"""The report: every domain of the store in one snapshot."""

from datetime import datetime

from signet import clock
from signet.db import ReadTx, fts_index
from signet.domain.diagnostics import counts, rules
from signet.domain.diagnostics.models import Facts, Report
from signet.domain.embeddings.models import Coverage
from signet.errors import Invalid
from signet.wire.diagnostics import Diagnosis

#: Domains that can be requested alone; no other caller-given name is used.
DOMAINS = (
    "queue",
    "storage",
    "index",
    "provider",
    "mutation",
    "connector",
    "composite",
    "duplicate",
    "update",
    "predictor",
)


def report(tx: ReadTx, facts: Facts, *, now: datetime, monotonic_ms: int | None = None) -> Report:
    """Check everything once, including each memory's vector; `monotonic_ms` is the machine's monotonic clock."""
    total, deleted = counts.memories(tx)
    overdue = counts.overdue(tx, now - facts.tombstones_kept)
    active = total - deleted
    seen = counts.queue(
        tx, now=now, monotonic_ms=clock.monotonic_ms() if monotonic_ms is None else monotonic_ms
    )
    coverage = Coverage(total=active, embedded=counts.embedded(tx) if active else 0)
    is_queued = "pending" in seen.by_kind.get("embed", {})
    found = (
        rules.queue(seen),
        rules.storage(
            total, deleted, overdue, counts.database_bytes(tx), counts.disk_free_bytes(tx)
        ),
        rules.index(
            active,
            total,
            fts_index.indexed_rows(tx, "memories_fts"),
            coverage,
            embeds=facts.embeds,
            is_queued=is_queued,
        ),
        rules.provider(counts.calls(tx), counts.weak_model(tx)),
        rules.mutation(*counts.mutations(tx, now=now)),
        rules.connector(counts.connectors(tx), now=now),
        rules.duplicate(counts.duplicates(tx), active),
        rules.update(facts),
        rules.predictor(counts.predictor(tx), facts),
    )
    return Report(at=now, domains={domain.name: domain for domain in found})


def part(whole: Report, name: str) -> Diagnosis:
    """Return one domain's JSON; raises Invalid for an unknown name."""
    if name not in DOMAINS:
        raise Invalid(f"Unknown domain: {name}")
    return whole.composite() if name == "composite" else whole.domains[name].as_dict()
