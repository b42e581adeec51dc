"""What recurs: when it is due, and that it starts once."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet import clock
from signet.config import Settings, settings_from
from signet.db import schedule
from signet.domain.embeddings import vectors as embeddings
from signet.domain.graph import communities
from signet.providers.native.encoder import NativeEmbedder
from signet_scheduler import beats
from worker.home import Home

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
NOON_MS = int(NOON.timestamp() * 1000)
SETTINGS = Settings()
RETENTION_MS = SETTINGS.retention.interval_ms
GRAPH_MS = SETTINGS.pipeline.autonomous.maintenance_interval_ms
MINUTELY = {
    "communities",
    "embedding_gaps",
    "episodes",
    "silent_sessions",
    "synthesis",
    "top_entities",
}
ALL = {
    *("retention", "graph", "maintenance", "projects", "backup", "updates", "old_transcripts"),
    *MINUTELY,
}


def due(last: dict[str, int], now_ms: int) -> set[str]:
    return {beat.name for beat in beats.due(last, SETTINGS, now_ms=now_ms)}


def test_what_never_ran_is_due() -> None:
    assert due({}, NOON_MS) == ALL


@pytest.mark.parametrize(
    ("passed_ms", "expected"),
    [
        (0, set()),
        (beats.MINUTE_MS - 1, set()),
        (beats.MINUTE_MS, MINUTELY),
        (GRAPH_MS - 1, MINUTELY),
        (GRAPH_MS, {*MINUTELY, "graph", "maintenance"}),
        (RETENTION_MS - 1, {*MINUTELY, "graph", "maintenance"}),
        (RETENTION_MS, ALL - {"backup", "projects"}),
        (beats.DAY_MS - 1, ALL - {"backup", "projects"}),
        (beats.DAY_MS, ALL),
        (30 * RETENTION_MS, ALL),
        (-1, ALL),
        (-3_600_000, ALL),
    ],
)
def test_a_beat_is_due_after_its_interval_and_after_a_clock_that_went_back(
    passed_ms: int, expected: set[str]
) -> None:
    last = dict.fromkeys(ALL, NOON_MS)
    assert due(last, NOON_MS + passed_ms) == expected


@given(st.lists(st.integers(-10 * RETENTION_MS, 10 * RETENTION_MS), max_size=30))
def test_however_the_clock_jumps_a_beat_is_never_silent_for_longer_than_its_interval(
    jumps: list[int],
) -> None:
    now, last = NOON_MS, dict.fromkeys(ALL, NOON_MS)
    for jump in jumps:
        now += jump
        for name in due(last, now):
            last[name] = now
        assert due(last, now) == set()
        assert due(last, now + beats.DAY_MS) == ALL


def sweeps(home: Home) -> int:
    return len(home.rows("SELECT * FROM memory_jobs WHERE job_type = 'retention_sweep'"))


def test_a_slot_is_queued_once_however_often_it_is_started(home: Home) -> None:
    [retention] = [beat for beat in beats.BEATS if beat.name == "retention"]
    for minutes in (0, 0, 5):
        beats.run(home.db, retention, SETTINGS, NOON + timedelta(minutes=minutes))
        home.run("UPDATE memory_jobs SET status = 'completed', completed_at = '2026-05-01'")
    assert sweeps(home) == 1
    beats.run(home.db, retention, SETTINGS, NOON + timedelta(milliseconds=RETENTION_MS))
    assert sweeps(home) == 2
    assert home.db.read(schedule.last_runs) == {"retention": NOON_MS + RETENTION_MS}


def _gaps_beat(home: Home, settings: Settings, now: datetime = NOON) -> int:
    [beat] = [beat for beat in beats.BEATS if beat.name == "embedding_gaps"]
    beats.run(home.db, beat, settings, now)
    return len(home.rows("SELECT * FROM memory_jobs WHERE job_type = 'embed'"))


@pytest.mark.parametrize(
    "tree",
    [
        {"embedding": {"provider": "none"}},
        {"memory": {"pipelineV2": {"embeddingTracker": {"enabled": False}}}},
        {"memory": {"pipelineV2": {"enabled": False}}},
    ],
    ids=["provider", "tracker", "pipeline"],
)
def test_gaps_are_left_open_when_nobody_is_to_fill_them(
    home: Home, tree: dict[object, object]
) -> None:
    add(home, "a")
    settings, warnings = settings_from(tree)
    assert warnings == ()
    assert _gaps_beat(home, settings) == 0


def test_the_model_that_is_looked_for_is_the_one_that_embeds(home: Home) -> None:
    """Else every memory would be queued again every minute, for ever."""
    add(home, "a")
    embedded(home, "a", NativeEmbedder.model)
    assert _gaps_beat(home, Settings()) == 0


def add(home: Home, memory_id: str, content_hash: str | None = "h") -> None:
    home.run(
        "INSERT INTO memories (id, content, content_hash, created_at, updated_at)"
        " VALUES (?, ?, ?, '2026-01-01', ?)",
        memory_id,
        f"text of {memory_id}",
        content_hash and f"{content_hash}-{memory_id}",
        f"2026-01-01 {memory_id}",
    )


def embedded(home: Home, memory_id: str, model: str) -> None:
    vector = b"\0\0\x80\x3f" * 4
    home.db.write(embeddings.replace, memory_id, f"h-{memory_id}", [("text", vector)], model, NOON)


def fill(home: Home, now: datetime = NOON, limit: int = embeddings.BATCH) -> list[str]:
    """Queue what is missing and return for which memories there is an open job."""
    home.db.write(
        embeddings.fill_gaps,
        home.db.read(embeddings.find_gaps, model="m", now=now, limit=limit),
        now=now,
    )
    rows = home.rows(
        "SELECT memory_id FROM memory_jobs WHERE status IN ('pending', 'leased') ORDER BY 1"
    )
    return [row[0] for row in rows]


def test_memories_without_a_current_vector_are_queued_once(home: Home) -> None:
    for memory_id in ("bare", "current", "elder"):
        add(home, memory_id)
    embedded(home, "current", "m")
    embedded(home, "elder", "another model")
    assert fill(home) == ["bare", "elder"]
    assert fill(home) == ["bare", "elder"]


def test_a_full_batch_is_followed_by_the_next_within_seconds(home: Home) -> None:
    home.run(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
        " INSERT INTO memories (id, content, created_at, updated_at)"
        " SELECT 'm' || i, 'text', '2026-01-01', '2026-01-01' FROM n",
        embeddings.BATCH + 1,
    )
    poll_ms = SETTINGS.pipeline.embedding_tracker.poll_ms
    assert _gaps_beat(home, SETTINGS) == embeddings.BATCH
    assert due(home.db.read(schedule.last_runs), NOON_MS + poll_ms - 1) == ALL - {"embedding_gaps"}
    assert "embedding_gaps" in due(home.db.read(schedule.last_runs), NOON_MS + poll_ms)
    later = NOON + timedelta(milliseconds=poll_ms)
    assert _gaps_beat(home, SETTINGS, later) == embeddings.BATCH + 1
    assert "embedding_gaps" not in due(home.db.read(schedule.last_runs), NOON_MS + 2 * poll_ms)


def dies(home: Home, at: datetime) -> None:
    """Let every open job have died at an instant."""
    home.run(
        "UPDATE memory_jobs SET status = 'dead', failed_at = ? WHERE status = 'pending'",
        clock.to_text(at),
    )


def test_what_has_died_rests_and_hides_nobody(home: Home) -> None:
    add(home, "a")
    add(home, "b")
    assert fill(home, limit=1) == ["b"]
    dies(home, NOON)
    assert fill(home, NOON + timedelta(seconds=30), limit=1) == ["a"]


def test_what_dies_again_rests_twice_as_long_and_never_more_than_a_day(home: Home) -> None:
    add(home, "a")
    died_at, rest = NOON, timedelta(minutes=1)
    for _ in range(14):
        assert fill(home, died_at) == ["a"]
        dies(home, died_at)
        assert fill(home, died_at + rest - timedelta(seconds=1)) == []
        died_at, rest = died_at + rest, min(2 * rest, timedelta(days=1))


def test_a_changed_text_does_not_rest_for_what_it_was(home: Home) -> None:
    add(home, "a")
    fill(home)
    dies(home, NOON)
    home.run("UPDATE memories SET updated_at = ?", clock.to_text(NOON + timedelta(seconds=1)))
    assert fill(home, NOON + timedelta(seconds=2)) == ["a"]


def test_nothing_is_looked_for_while_the_provider_is_down_and_that_is_counted(home: Home) -> None:
    add(home, "a")
    home.run(
        "INSERT INTO provider_breakers (provider, state, failures, retry_at_ms, updated_at)"
        " VALUES ('vectors', 'open', 1, ?, '')",
        NOON_MS + 1,
    )
    for times in (1, 2):
        assert fill(home) == []
        assert home.db.read(embeddings.tracker)["skippedCycles"] == times
    assert fill(home, NOON + timedelta(seconds=1)) == ["a"], "somebody must go and see"
    assert home.db.read(embeddings.tracker)["queueDepth"] == 1


def test_a_row_of_an_older_file_without_hash_is_queued_until_it_has_a_vector(home: Home) -> None:
    add(home, "hashless", None)
    assert fill(home) == ["hashless"]
    home.run("DELETE FROM memory_jobs")
    home.db.write(embeddings.replace, "hashless", "", [("text", b"\0\0\x80\x3f")], "m", NOON)
    assert fill(home) == []


def kept(home: Home, settings: Settings = SETTINGS) -> set[str]:
    """Start the upkeep of the graph and return which jobs it has queued."""
    [graph] = [beat for beat in beats.BEATS if beat.name == "graph"]
    beats.run(home.db, graph, settings, NOON)
    rows = home.rows("SELECT job_type FROM memory_jobs")
    return {row[0] for row in rows}


def an_entity(home: Home, name: str = "Ada", at: datetime = NOON) -> None:
    home.run(
        "INSERT INTO entities (id, name, canonical_name, entity_type, created_at, updated_at)"
        " VALUES (?1, ?1, ?1, 'person', ?2, ?2)",
        name,
        clock.to_text(at),
    )


def regrouped(home: Home, minutes: int) -> bool:
    """Look whether the graph has outgrown its communities; return whether a job is to find them anew."""
    [growth] = [beat for beat in beats.BEATS if beat.name == "communities"]
    home.run("DELETE FROM memory_jobs")
    beats.run(home.db, growth, SETTINGS, NOON + timedelta(minutes=minutes))
    rows = home.rows("SELECT job_type FROM memory_jobs")
    return [row[0] for row in rows] == ["cluster_entities"]


def test_a_graph_that_has_grown_by_half_is_regrouped_soon(home: Home) -> None:
    assert not regrouped(home, 0)
    for name in ("Ada", "Bo", "Cy"):
        an_entity(home, name)
    assert regrouped(home, 1)
    found = communities.compute(home.db.read(communities.snapshot, "default"), "default")
    assert found is not None
    home.db.write(communities.replace, found, now=NOON + timedelta(minutes=1))
    assert not regrouped(home, 2)
    an_entity(home, "Di", NOON + timedelta(minutes=3))
    assert not regrouped(home, 4)
    an_entity(home, "Ed", NOON + timedelta(minutes=3))
    assert regrouped(home, 5)


def test_a_graph_is_looked_after_and_an_empty_one_costs_nothing(home: Home) -> None:
    assert kept(home) == set()
    an_entity(home)
    home.run("DELETE FROM beats")
    assert kept(home) == {"graph_upkeep", "cluster_entities"}


@pytest.mark.parametrize(
    "tree",
    [
        {"autonomous": {"enabled": False}},
        {"autonomous": {"frozen": True}},
        {"autonomous": {"maintenanceMode": "observe"}},
        {"mutationsFrozen": True},
    ],
)
def test_a_graph_is_left_alone_when_nothing_may_change_by_itself(
    home: Home, tree: dict[object, object]
) -> None:
    an_entity(home)
    settings, warnings = settings_from({"memory": {"pipelineV2": tree}})
    assert warnings == ()
    assert kept(home, settings) == set()
