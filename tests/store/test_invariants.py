"""Whatever is saved, forgotten and purged in whatever order: the tables agree with each other (MEM-2, SCH-6)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from signet.db import WriteTx
from signet.db.driver import connect
from signet.domain.memory import remember
from signet.domain.memory.forget import forget
from signet.domain.memory.models import Actor, NewMemory, Rules, Visibility
from signet.domain.retention import purge
from signet.domain.retention.purge import Windows
from support.database import fresh_database
from support.fulltext import check_index

ACTOR = Actor()
#: Short limits, so that the last text is saved in pieces.
RULES = Rules(max_chars=60, chunk_chars=30)
TEXTS = st.sampled_from(
    [
        "We met Ada Winter.",
        "  we met  ADA winter!!",
        "Later Ada Winter left for Port Ellen.",
        "Never sail\n  at night",
        "never sail at night",
        "We met Ada Winter. Then it rained in Port Ellen for days. Never sail at night.",
    ]
)
OWNERS = st.fixed_dictionaries(
    {
        "agent_id": st.sampled_from(["default", "scout"]),
        "visibility": st.sampled_from([Visibility.GLOBAL, Visibility.PRIVATE]),
        "scope": st.sampled_from([None, "bench"]),
        "source_id": st.sampled_from([None, None, "note"]),
        "idempotency_key": st.sampled_from([None, None, "key"]),
    }
)


class Memories(RuleBasedStateMachine):
    """Any sequence of saves, repetitions, deletions and sweeps."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.connection = connect(fresh_database(Path(self.folder.name) / "memories.db"))
        self.tx = WriteTx(self.connection)
        self.now = datetime(2026, 5, 1, tzinfo=UTC)
        self.tx.run("BEGIN IMMEDIATE")

    def teardown(self) -> None:
        self.connection.close()
        self.folder.cleanup()

    @rule(text=TEXTS, owner=OWNERS)
    def save(self, text: str, owner: dict[str, object]) -> None:
        new = NewMemory(content=text, hints=("who was met?",), **owner)  # type: ignore[arg-type]  # drawn fields
        before = self.count("memories")
        first = remember.remember(self.tx, new, actor=ACTOR, rules=RULES, now=self.now)
        assert self.count("memories") - before == (len(first.ids) or not first.deduped)
        after = self.count("memories")
        again = remember.remember(self.tx, new, actor=ACTOR, rules=RULES, now=self.now)
        assert again.deduped
        assert self.count("memories") == after
        # A long text may share its first piece with another memory, and is then found by its second.
        assert again.id == first.id or first.ids

    @rule(nth=st.integers(0, 20))
    def forget(self, nth: int) -> None:
        found = self.tx.all("SELECT id FROM memories WHERE is_deleted = 0 ORDER BY seq")
        if found:
            memory_id = found[nth % len(found)][0]
            assert forget(self.tx, memory_id, actor=ACTOR, reason="no", now=self.now)
            assert not forget(self.tx, memory_id, actor=ACTOR, reason="no", now=self.now)

    @rule(days=st.integers(1, 31))
    def pass_time(self, days: int) -> None:
        self.now += timedelta(days=days)

    @rule(limit=st.integers(1, 3))
    def sweep(self, limit: int) -> None:
        for step in (step for steps in purge.ROUNDS for step in steps):
            assert step(self.tx, self.now, Windows(), limit).handled <= limit

    @invariant()
    def no_two_active_rows_are_the_same_memory(self) -> None:
        twins = self.tx.value(
            "SELECT count(*) - count(DISTINCT content_hash || agent_id || visibility || COALESCE(scope, ''))"
            " FROM memories WHERE is_deleted = 0"
        )
        assert twins == 0

    @invariant()
    def full_text_equals_the_rows(self) -> None:
        for table in ("memories", "memory_hints", "entities"):
            check_index(self.connection, f"{table}_fts", table)

    @invariant()
    def nothing_names_a_memory_that_is_gone(self) -> None:
        for table in ("memory_hints", "memory_entity_mentions", "memory_jobs"):
            assert self.count(table, "memory_id NOT IN (SELECT id FROM memories)") == 0, table
        assert (
            self.count("entity_attributes", "source_memory_id NOT IN (SELECT id FROM memories)")
            == 0
        )

    @invariant()
    def entities_count_their_mentions_and_own_all_their_rows(self) -> None:
        mentions = "(SELECT count(*) FROM memory_entity_mentions m WHERE m.entity_id = entities.id)"
        assert self.count("entities", f"mentions <> {mentions}") == 0
        assert self.count("entities", "mentions = 0 AND entity_type <> 'chunk_group'") == 0
        for table in ("entity_aspects", "entity_attributes", "memory_entity_mentions"):
            assert self.count(table, "entity_id NOT IN (SELECT id FROM entities)") == 0, table

    @invariant()
    def every_active_memory_has_its_jobs_and_its_beginning(self) -> None:
        kinds = "(SELECT count(*) FROM memory_jobs j WHERE j.memory_id = memories.id)"
        events = "(SELECT count(*) FROM memory_history h WHERE h.memory_id = memories.id AND event = 'created')"
        # A corrected writing asks for hints, too.
        assert self.count("memories", f"{kinds} NOT IN (2, 3)") == 0
        assert self.count("memories", f"{events} > 1") == 0

    def count(self, table: str, where: str = "1") -> int:
        return int(self.tx.value(f"SELECT count(*) FROM {table} WHERE {where}"))


TestMemories = Memories.TestCase
TestMemories.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
