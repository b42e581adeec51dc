"""Whatever is saved, changed, forgotten, recovered and purged by whom in whatever order, with crashes in between.

A plain dictionary says what should be there, which answer each change gets, and who may see what; after each step
the tables, their indexes, and everything that shows memories must agree with it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from hypothesis import assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from signet.db import ReadTx, WriteTx, vectors
from signet.db.driver import connect
from signet.domain.agents import registry as agents
from signet.domain.browse import browse
from signet.domain.embeddings import vectors as embeddings
from signet.domain.memory import choose, history, listing, lookup, modify, remember, review, wording
from signet.domain.memory.choose import Choice
from signet.domain.memory.forget import forget_one
from signet.domain.memory.listing import Filter, Order
from signet.domain.memory.models import (
    Actor,
    Changed,
    Forget,
    NewMemory,
    Patch,
    Recover,
    Rules,
    Visibility,
)
from signet.domain.recall.models import Query, RecallSettings
from signet.domain.recall.recall import recall
from signet.domain.retention import purge
from signet.domain.retention.purge import Windows
from signet.errors import NotFound, SignetError
from signet.wire.origin import Origin
from support.database import fresh_database
from support.fulltext import check_index

T = TypeVar("T")

ACTOR = Actor(origin=Origin.USER, may_claim=Origin.USER)
RULES = Rules()
MODEL = "toy"
POLICIES = {"default": "shared", "scout": "isolated", "anna": "group", "bert": "group"}
#: Mostly the owner asks, with the version that he has read, and nothing crashes: else hardly anything would happen.
OWNER = "the owner"
ASKING = st.sampled_from([OWNER] * 6 + [*POLICIES, "stranger"])
NTH = st.integers(0, 40)
RARELY = st.sampled_from([False] * 5 + [True])
#: The first two are the same memory.
TEXTS = st.sampled_from(
    [
        "The harbour gate is shut.",
        " the harbour  gate is SHUT!",
        "The harbour bell rings.",
        "A gate.",
    ]
)
FEW = st.sampled_from([None, None, None, None, "key"])


@dataclass(slots=True, kw_only=True)
class Row:
    """What should be known of one memory."""

    agent_id: str
    visibility: str
    scope: str | None
    content: str
    version: int = 1
    pinned: bool = False
    deleted_at: datetime | None = None
    is_archived: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        visibility = "archived" if self.is_archived else self.visibility
        return (wording.content_hash(self.content), self.agent_id, visibility, self.scope)


def may_read(agent_id: str, row: Row) -> bool:
    """Say again, apart from the code, who may read a memory (MEM-42)."""
    if row.is_archived:
        return False
    if row.agent_id == agent_id:
        return True
    if row.visibility == "private":
        return False
    policy = POLICIES.get(agent_id)
    return policy == "shared" or (policy == "group" and POLICIES.get(row.agent_id) == "group")


class Memories(RuleBasedStateMachine):
    """Any sequence of what can happen to memories."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.path = fresh_database(Path(self.folder.name) / "memories.db")
        self.now = datetime(2026, 5, 1, tzinfo=UTC)
        self.rows: dict[str, Row] = {}
        self.ever: list[str] = []
        self.looks = 0
        self.keys: dict[tuple[str, str], str] = {}
        self.open()
        self.write(self._register)

    def teardown(self) -> None:
        self.connection.close()
        self.folder.cleanup()

    @initialize()
    def begin(self) -> None:
        """Start with memories of which two belong to one agent: what nobody saved cannot be changed."""
        for agent_id, text in (
            ("default", "The harbour bell rings."),
            ("default", "A gate."),
            ("anna", "A gate."),
        ):
            self.save_one(Row(agent_id=agent_id, visibility="global", scope=None, content=text))
        for id_ in self.rows:
            self.embed_one(id_, False)

    # -- steps --------------------------------------------------------------------------------

    @rule(
        text=TEXTS,
        agent_id=st.sampled_from(["default", "default", "default", "scout", "anna", "bert"]),
        visibility=st.sampled_from([Visibility.GLOBAL, Visibility.GLOBAL, Visibility.PRIVATE]),
        scope=st.sampled_from([None, None, None, "bench"]),
        pinned=RARELY,
        key=FEW,
        crash=RARELY,
    )
    def save(
        self,
        text: str,
        agent_id: str,
        visibility: Visibility,
        scope: str | None,
        pinned: bool,
        key: str | None,
        crash: bool,
    ) -> None:
        row = Row(
            agent_id=agent_id, visibility=visibility, scope=scope, content=text, pinned=pinned
        )
        self.save_one(row, key, crash)

    @rule(
        nth=NTH,
        asking=ASKING,
        text=st.none() | TEXTS,
        pinned=st.none() | st.booleans(),
        stale=RARELY,
        crash=RARELY,
    )
    def change(
        self,
        nth: int,
        asking: str,
        text: str | None,
        pinned: bool | None,
        stale: bool,
        crash: bool,
    ) -> None:
        id_ = self.pick(nth)
        row, agent_id = self.rows.get(id_), self.agent(id_, asking)
        version = self.version(row, stale)
        patch = Patch(
            memory_id=id_,
            reason="x",
            agent_id=agent_id,
            if_version=version,
            content=text,
            pinned=pinned,
        )
        wanted = self.refusal(row, agent_id, version, deleted="deleted")
        if row and not wanted and text and self.twin(row, text=text, but=id_):
            wanted = "duplicate_content_hash"
        stored = None if text is None else wording.storage(text)
        if row and not wanted:
            same = stored in (None, wording.storage(row.content)) and pinned in (None, row.pinned)
            wanted = "no_changes" if same else "updated"
        got = self.outcome(
            lambda tx: modify.modify(tx, patch, actor=ACTOR, rules=RULES, now=self.now), crash
        )
        assert got == wanted
        if row and got == "updated" and not crash:
            row.version += 1
            row.content = row.content if stored is None else stored
            row.pinned = row.pinned if pinned is None else pinned

    @rule(
        nth=NTH,
        asking=ASKING,
        force=st.booleans(),
        for_good=st.booleans(),
        stale=RARELY,
        crash=RARELY,
    )
    def forget(
        self, nth: int, asking: str, force: bool, for_good: bool, stale: bool, crash: bool
    ) -> None:
        id_ = self.pick(nth)
        row, agent_id = self.rows.get(id_), self.agent(id_, asking)
        version = self.version(row, stale)
        asked = Forget(
            memory_id=id_,
            reason="x",
            agent_id=agent_id,
            if_version=version,
            force=force,
            for_good=for_good,
        )
        # What is forgotten can still be erased.
        deleted = None if for_good else "already_deleted"
        wanted = self.refusal(row, agent_id, version, deleted=deleted)
        if row and not wanted:
            wanted = "pinned_requires_force" if row.pinned and not force else "deleted"
        got = self.outcome(
            lambda tx: forget_one(tx, asked, actor=ACTOR, rules=RULES, now=self.now), crash
        )
        assert got == wanted
        if row and got == "deleted" and not crash:
            row.version += 1
            row.deleted_at = self.now
            if for_good:
                del self.rows[id_]

    @rule(nth=NTH, asking=ASKING, stale=RARELY, crash=RARELY)
    def recover(self, nth: int, asking: str, stale: bool, crash: bool) -> None:
        self.recover_one(self.pick(nth, deleted=True), asking, stale, crash)

    @rule(nth=NTH, days=st.sampled_from([0, 1, 30, 31]), anew=RARELY)
    def think_again(self, nth: int, days: int, anew: bool) -> None:
        """Forget, perhaps say the same again, and want the first back."""
        self.forget(nth, OWNER, True, False, False, False)
        for id_, row in list(self.rows.items()):
            if row.deleted_at == self.now:
                if anew and not row.is_archived:
                    self.save_one(replace(row, version=1, deleted_at=None))
                self.pass_time(days)
                self.recover_one(id_, OWNER, False, False)
                return

    def recover_one(self, id_: str, asking: str, stale: bool, crash: bool) -> None:
        row, agent_id = self.rows.get(id_), self.agent(id_, asking)
        version = self.version(row, stale)
        asked = Recover(memory_id=id_, reason="x", agent_id=agent_id, if_version=version)
        wanted = self.refusal(row, agent_id, None)
        if row and not wanted:
            if row.deleted_at is None:
                wanted = "not_deleted"
            elif version not in (None, row.version):
                wanted = "version_conflict"
            elif self.now - row.deleted_at > timedelta(days=30):
                wanted = "retention_expired"
            elif self.twin(row, but=id_):
                wanted = "duplicate_content_hash"
            else:
                wanted = "recovered"
        got = self.outcome(
            lambda tx: review.recover(tx, asked, actor=ACTOR, rules=RULES, now=self.now), crash
        )
        assert got == wanted
        if row and got == "recovered" and not crash:
            row.version += 1
            row.deleted_at = None

    @rule(nth=NTH, crash=RARELY)
    def embed(self, nth: int, crash: bool) -> None:
        self.embed_one(self.pick(nth), crash)

    def embed_one(self, id_: str, crash: bool) -> None:
        def work(tx: WriteTx) -> None:
            gap = embeddings.gap(tx, id_, model=MODEL)
            if gap is not None:
                passages = [(gap.content, vectors.pack([1.0, float(len(gap.content))]))]
                embeddings.replace(tx, id_, gap.content_hash, passages, MODEL, self.now)

        self.write(work, crash)

    @rule(nth=NTH)
    def archive(self, nth: int) -> None:
        id_ = self.pick(nth)
        row = self.rows.get(id_)
        assume(row and not row.is_archived and row.deleted_at is None)
        assert row is not None
        row.is_archived = True
        if self.twin(row, but=id_):
            row.is_archived = False
            return
        self.write(
            lambda tx: tx.run("UPDATE memories SET visibility = 'archived' WHERE id = ?", (id_,))
        )

    @rule(days=st.sampled_from([1, 1, 10, 31]))
    def pass_time(self, days: int) -> None:
        self.now += timedelta(days=days)

    @rule()
    def sweep(self) -> None:
        for step in (step for steps in purge.ROUNDS for step in steps):
            self.write(self._purge(step))
        for id_, row in list(self.rows.items()):
            if row.deleted_at and self.now - row.deleted_at > timedelta(days=30):
                del self.rows[id_]

    # -- what must hold -----------------------------------------------------------------------

    @invariant()
    def the_rows_are_those_that_should_be_there(self) -> None:
        tx = ReadTx(self.connection)
        found = {
            row["id"]: (row["version"], bool(row["is_deleted"]), wording.storage(row["content"]))
            for row in tx.all("SELECT id, version, is_deleted, content FROM memories")
        }
        assert found == {
            id_: (row.version, row.deleted_at is not None, wording.storage(row.content))
            for id_, row in self.rows.items()
        }

    @invariant()
    def every_index_equals_its_table(self) -> None:
        check_index(self.connection, "memories_fts", "memories")
        check_index(self.connection, "memory_hints_fts", "memory_hints")
        if vectors.indexed_dimensions(ReadTx(self.connection)):
            assert self.count("vec_embeddings") == self.count("embeddings")
            lost = "id NOT IN (SELECT id FROM vec_embeddings)"
            assert self.count("embeddings", lost) == 0

    @invariant()
    def no_vector_and_no_hint_is_of_a_text_that_is_gone(self) -> None:
        fresh = (
            "SELECT 1 FROM memories m WHERE m.id = e.source_id AND m.content_hash = e.content_hash"
        )
        assert self.count("embeddings e", f"NOT EXISTS ({fresh})") == 0
        for table in ("memory_hints", "memory_jobs", "memory_entity_mentions"):
            orphans = "memory_id IS NOT NULL AND memory_id NOT IN (SELECT id FROM memories)"
            assert self.count(table, orphans) == 0, table

    @invariant()
    def each_version_has_its_line_in_history(self) -> None:
        events = "(SELECT count(*) FROM memory_history h WHERE h.memory_id = memories.id)"
        assert self.count("memories", f"version <> {events}") == 0

    @invariant()
    def everybody_sees_what_he_may_and_nothing_else(self) -> None:
        self.looks += 1
        if self.looks % 2:  # looking is what takes long: after every second step, as one caller
            return
        tx = ReadTx(self.connection)
        agent_id = [*POLICIES, "stranger"][self.looks % 5]
        mine = {id_ for id_, row in self.rows.items() if may_read(agent_id, row)}
        active = {id_ for id_ in mine if self.rows[id_].deleted_at is None}
        unscoped = {id_ for id_ in active if self.rows[id_].scope is None}
        reader = agents.reader(tx, agent_id)
        assert {
            m.id for m in listing.page(tx, Filter(), Order(), reader=reader).memories
        } == unscoped
        assert lookup.stats(tx, reader=reader)["total"] == len(unscoped)
        assert self.reachable(partial(lookup.get, tx, reader=reader)) == active
        assert self.reachable(partial(history.changes_of, tx, reader=reader)) == mine
        by_word = [self.chosen(tx, agent_id, query=word) for word in ("harbour", "gate")]
        assert set.union(*by_word) == unscoped
        assert self.chosen(tx, agent_id, ids=tuple(self.rows) or ("none",)) == active
        words = Filter(q="harbour OR gate")
        rows = browse.search(tx, words, 200, reader=reader, now=self.now)
        assert {row["id"] for row in rows} == unscoped
        exported = browse.export_page(tx, reader=reader, limit=200, offset=0, vectors=False)
        assert {row["id"] for row in exported.rows} <= unscoped
        query = Query(text="where is the harbour gate", reader=reader, limit=50)
        found = recall(
            tx,
            query,
            query_vector=lambda _: vectors.pack([1.0, 20.0]),
            settings=RecallSettings(embedding_model=MODEL),
            now=self.now,
        )
        assert {hit.id for hit in found.hits} <= unscoped

    # -- means --------------------------------------------------------------------------------

    def save_one(self, row: Row, key: str | None = None, crash: bool = False) -> None:
        new = NewMemory(
            content=row.content,
            agent_id=row.agent_id,
            visibility=Visibility(row.visibility),
            scope=row.scope,
            pinned=row.pinned,
            idempotency_key=key,
            hints=("where is the harbour gate?",),
        )
        held = self.keys.get((row.agent_id, key)) if key else None
        twin = held if held in self.rows else self.twin(row)
        saved = self.write(
            lambda tx: remember.remember(tx, new, actor=ACTOR, rules=RULES, now=self.now), crash
        )
        assert saved.deduped == (twin is not None)
        if twin is not None:
            assert saved.id == twin
            known = self.rows[twin]
            assert held is not None or may_read(row.agent_id, known)
            is_same = wording.content_hash(row.content) == wording.content_hash(known.content)
            old, new_text = (
                wording.storage(one.content).rstrip(wording.TRAILING) for one in (known, row)
            )
            is_corrected = known.deleted_at is None and is_same and old != new_text
            assert saved.is_rewritten == is_corrected
            if is_corrected and not crash:
                known.content, known.version = row.content, known.version + 1
        elif not crash:
            self.rows[saved.id] = row
            self.ever.append(saved.id)
            if key:
                self.keys[row.agent_id, key] = saved.id

    def open(self) -> None:
        self.connection = connect(self.path)

    def write(self, work: Callable[[WriteTx], T], crash: bool = False) -> T:
        """Run one transaction; a crash ends the connection instead of committing."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            result = work(WriteTx(self.connection))
        except SignetError:
            self.connection.execute("ROLLBACK")
            raise
        if crash:
            self.connection.close()
            self.open()
        else:
            self.connection.execute("COMMIT")
        return result

    def outcome(self, work: Callable[[WriteTx], Changed], crash: bool) -> str:
        """Return the status of a change or of its refusal."""
        try:
            return str(self.write(work, crash).status)
        except SignetError as refused:
            return refused.code

    def refusal(
        self, row: Row | None, agent_id: str, version: int | None, deleted: str | None = None
    ) -> str | None:
        """Return the refusals that all changes share, in their order."""
        if row is None or not may_read(agent_id, row):
            return "not_found"
        if deleted and row.deleted_at is not None:
            return deleted
        return "version_conflict" if version not in (None, row.version) else None

    def pick(self, nth: int, *, deleted: bool = False) -> str:
        """Return a memory in the state that makes a change likely; now and then any that ever was."""
        fit = [id_ for id_, row in self.rows.items() if (row.deleted_at is not None) == deleted]
        pool = (self.ever if nth % 7 == 6 else fit) or self.ever or ["none"]
        return pool[nth % len(pool)]

    def agent(self, id_: str, asking: str) -> str:
        row = self.rows.get(id_)
        return row.agent_id if row and asking == OWNER else asking

    def version(self, row: Row | None, stale: bool) -> int | None:
        """Return a version that is not the stored one, or none."""
        return (row.version if row else 1) + 1 if stale else None

    def twin(self, row: Row, *, text: str | None = None, but: str | None = None) -> str | None:
        """Return the active memory that says the same to the same readers."""
        wanted = (wording.content_hash(text), *row.key[1:]) if text else row.key
        for id_, other in self.rows.items():
            if id_ != but and other.deleted_at is None and other.key == wanted:
                return id_
        return None

    def _purge(self, step: purge.Step) -> Callable[[WriteTx], object]:
        windows = Windows(history=timedelta(days=9_999))
        return lambda tx: step(tx, self.now, windows, 100)

    def reachable(self, look: Callable[[str], object]) -> set[str]:
        found = set()
        for id_ in self.rows:
            try:
                look(id_)
            except NotFound:
                continue
            found.add(id_)
        return found

    def chosen(
        self, tx: ReadTx, agent_id: str, *, query: str = "", ids: tuple[str, ...] = ()
    ) -> set[str]:
        choice = Choice(agent_id=agent_id, query=query, ids=ids, limit=200)
        return {one.id for one in choose.candidates(tx, choice).page}

    def count(self, table: str, where: str = "1") -> int:
        row = self.connection.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()
        return int(row[0])

    @staticmethod
    def _register(tx: WriteTx) -> None:
        for agent_id, policy in POLICIES.items():
            tx.run(
                "INSERT INTO agents (id, read_policy, policy_group, created_at, updated_at)"
                " VALUES (?, ?, ?, '2026-01-01', '2026-01-01') ON CONFLICT DO NOTHING",
                (agent_id, policy, "crew" if policy == "group" else None),
            )


TestMemories = Memories.TestCase
#: Each answer of each change, with and without a crash, is met by the 17th of the sequences, of which these are 20.
TestMemories.settings = settings(max_examples=16, stateful_step_count=50, deadline=None)
