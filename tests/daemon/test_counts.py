"""What counts since a start of the daemon begins anew with the next one, and not with one process."""

from pathlib import Path

from signet.db import Database, ReadTx
from signet.domain.activity import events
from signet.observe import record
from signet.observe.record import Count, TelemetryKind
from signet.observe.taxonomy import Code
from signet.paths import Workspace
from support.database import fresh_database
from support.processes import PATIENCE_SECONDS, program

TABLES = ("error_events", "provider_outcomes", "runtime_counters", "telemetry_events")


def noted(db: Database) -> dict[str, int]:
    return {table: int(db.read(ReadTx.value, f"SELECT COUNT(*) FROM {table}")) for table in TABLES}


def note(db: Database) -> None:
    record.BUFFER.take()
    record.error(Code.DECISION_INVALID, "odd")
    record.outcome("ollama", "llm", "failure", "away")
    record.count(Count.RECALLS, "ada")
    record.event(TelemetryKind.RECALL_PERFORMED, results=1)
    recorded = record.BUFFER.take()
    db.write(lambda tx: events.write_batch(tx, recorded, keeps_events=True))


def test_a_start_empties_what_counts_since_a_start_and_keeps_the_rest(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws")
    workspace.make()
    fresh_database(workspace.database)
    db = Database(workspace.database)
    own = "INSERT INTO runtime_counters (process, boot_id, name, value) VALUES ('scheduler', '', 'x', 1)"
    db.write(lambda tx: tx.run(own))
    note(db)
    note(db)
    recalls = "SELECT value FROM runtime_counters WHERE key = 'ada'"
    assert db.read(ReadTx.value, recalls) == 2, "processes add up"
    with program("-m", "signet.daemon.migrate", str(workspace.root)) as started:
        assert started.wait(PATIENCE_SECONDS) == 0
    left = noted(db)
    db.close()
    assert left == {
        "error_events": 0,
        "provider_outcomes": 0,
        "runtime_counters": 1,
        "telemetry_events": 4,
    }
