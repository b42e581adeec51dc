"""Records of an import or export, and their outcomes."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

#: The first and the last record of a Signet export; vectors and texts, which are not rows.
HEADER, END = "signet", "end"
VECTORS, TEXT = "vectors", "text"
#: The version of FORMAT.md; a file of a later one is refused.
VERSION = 1

#: A JSON object with its kind under `record`. (Not `kind`: some tables have a column of that name.)
Record = Mapping[str, object]


class Fate(StrEnum):
    """The outcome of a record, or its previewed one."""

    NEW = "new"
    KNOWN = "known"
    #: Its content was forgotten.
    FORGOTTEN = "forgotten"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOutcome:
    """The outcome of one record; `reason` explains a refusal."""

    fate: Fate
    reason: str | None = None


NEW = ImportOutcome(fate=Fate.NEW)
KNOWN = ImportOutcome(fate=Fate.KNOWN)
FORGOTTEN = ImportOutcome(fate=Fate.FORGOTTEN)


class RecordRefused(Exception):
    """A record cannot be imported, for the reason in the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRecord:
    """One record of a source.

    `where` is its position for people, `done` the progress in the unit of the source's total. A record that cannot be
    read has a `fault` instead of a value.
    """

    where: str
    done: int
    value: Record = field(default_factory=dict)
    fault: str | None = None


@dataclass(slots=True)
class Tally:
    """The number of records by kind and outcome."""

    counts: Counter[tuple[str, Fate]] = field(default_factory=Counter)

    def add(self, kind: str, fate: Fate, number: int = 1) -> None:
        self.counts[kind, fate] += number

    def count(self, fate: Fate) -> int:
        return sum(number for (_, met), number in self.counts.items() if met is fate)

    def by_kind(self) -> dict[str, dict[str, int]]:
        """Return `{kind: {new, known, forgotten, refused}}`, kinds in the order of the source."""
        kinds = dict.fromkeys(kind for kind, _ in self.counts)
        return {kind: {fate: self.counts[kind, fate] for fate in Fate} for kind in kinds}


def line(record: Record) -> str:
    """Return a record as one line of a file, always the same line for the same record."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


#: Row numbers are assigned again, in the order of the file.
ROW_NUMBER = "seq"


@dataclass(frozen=True, slots=True)
class Reference:
    """A column with the ID of another record; an optional one may name a missing record."""

    column: str
    kind: str
    needed: bool = True


@dataclass(frozen=True, slots=True)
class RecordKind:
    """One kind of record.

    `key` are the columns that identify a row. `same` are conditions on an existing row, with the columns of a new one
    as `:name`, under which both are equal; a record known by another ID gets an alias. For an export of what one agent
    may read, `owned` is a condition on a row `t` of the agent `?`, and `memory` the column of the memory that the agent
    must be able to read.
    """

    name: str
    table: str
    key: tuple[str, ...] = ("id",)
    references: tuple[Reference, ...] = ()
    same: tuple[str, ...] = ()
    owned: str | None = "t.agent_id = ?"
    memory: str | None = None
    #: When a row last changed, for exports since an instant.
    changed: str = "t.created_at"
    #: Columns that other code parses as JSON; `tags` only if the text starts like a list.
    json: tuple[str, ...] = ()
    #: Columns that an import fills if they are absent, so that an export writes null.
    filled: tuple[str, ...] = ()


def _equal(*columns: str) -> str:
    return " AND ".join(f"{column} = :{column}" for column in columns)


_MEMORY = Reference("memory_id", "memory")
_MAYBE_MEMORY = Reference("memory_id", "memory", needed=False)
_ENTITY = Reference("entity_id", "entity")
_ENDS = (Reference("source_entity_id", "entity"), Reference("target_entity_id", "entity"))
_SUMMARY = "EXISTS (SELECT 1 FROM session_summaries s WHERE s.id = t.{} AND s.agent_id = ?)"
_OF_ENTITY = "EXISTS (SELECT 1 FROM entities e WHERE e.id = t.{} AND e.agent_id = ?)"
_OF_DOCUMENT = "EXISTS (SELECT 1 FROM documents d WHERE d.id = t.document_id AND d.agent_id = ?)"
#: Conversations have no owner: they are the default agent's.
_OF_DEFAULT = "? = 'default'"
_UPDATED = "t.updated_at"

_ALL = (
    # Before the memories, so that texts which were forgotten at the source are left out.
    RecordKind("forgotten_value", "forgotten_values", key=("memory_id", "part"), changed="t.since"),
    RecordKind("agent", "agents", owned="t.id = ?", changed=_UPDATED),
    RecordKind(
        "memory",
        "memories",
        references=(Reference("superseded_by", "memory", needed=False),),
        same=(
            _equal("idempotency_key", "agent_id"),
            _equal("content_hash", "agent_id", "visibility")
            + " AND COALESCE(scope, '') = COALESCE(:scope, '') AND COALESCE(project, '') = COALESCE(:project, '')"
            " AND is_deleted = 0 AND :is_deleted = 0",
        ),
        owned=None,
        memory="id",
        changed=_UPDATED,
        json=("tags",),
        filled=("content_hash", "normalized_content"),
    ),
    RecordKind(
        "history", "memory_history", references=(_MAYBE_MEMORY,), owned=None, memory="memory_id"
    ),
    RecordKind(
        "hint",
        "memory_hints",
        references=(_MEMORY,),
        same=(_equal("memory_id", "hint"),),
        owned=None,
        memory="memory_id",
    ),
    RecordKind("community", "entity_communities", changed=_UPDATED),
    RecordKind(
        "entity",
        "entities",
        references=(Reference("community_id", "community", needed=False),),
        same=(_equal("agent_id", "canonical_name"),),
        changed=_UPDATED,
    ),
    # Before the facts about entities, so that entities named only by left-out memories are left out too.
    RecordKind(
        "mention",
        "memory_entity_mentions",
        key=("memory_id", "entity_id"),
        references=(_MEMORY, _ENTITY),
        owned=_OF_ENTITY.format("entity_id"),
        memory="memory_id",
    ),
    RecordKind(
        "aspect",
        "entity_aspects",
        references=(_ENTITY,),
        same=(_equal("entity_id", "canonical_name"),),
        changed=_UPDATED,
    ),
    RecordKind(
        "attribute",
        "entity_attributes",
        references=(
            _ENTITY,
            Reference("aspect_id", "aspect", needed=False),
            Reference("superseded_by", "attribute", needed=False),
            Reference("source_memory_id", "memory", needed=False),
        ),
        same=(f"{_equal('aspect_id', 'normalized_value', 'status')} AND status = 'active'",),
        changed=_UPDATED,
    ),
    RecordKind(
        "dependency",
        "entity_dependencies",
        references=(*_ENDS, Reference("aspect_id", "aspect", needed=False)),
        same=(_equal("agent_id", "source_entity_id", "target_entity_id", "dependency_type"),),
        changed=_UPDATED,
    ),
    RecordKind(
        "relation",
        "relations",
        references=_ENDS,
        same=(_equal("source_entity_id", "target_entity_id", "relation_type"),),
        owned=_OF_ENTITY.format("source_entity_id"),
        changed="COALESCE(t.updated_at, t.created_at)",
    ),
    RecordKind(
        "pin", "entity_pinning", references=(_ENTITY,), same=(_equal("agent_id", "entity_id"),)
    ),
    RecordKind("task", "task_meta", key=("entity_id",), references=(_ENTITY,), changed=_UPDATED),
    RecordKind(
        "skill",
        "skill_meta",
        key=("entity_id",),
        references=(_ENTITY,),
        changed="COALESCE(t.last_used_at, t.installed_at)",
    ),
    RecordKind(
        "document",
        "documents",
        same=(
            _equal("content_hash", "agent_id")
            + " AND source_type = 'text' AND :source_type = 'text'"
            " AND status NOT IN ('failed', 'deleted') AND :status NOT IN ('failed', 'deleted')",
        ),
        changed=_UPDATED,
        json=("metadata_json",),
    ),
    RecordKind(
        "chunk",
        "document_memories",
        key=("document_id", "memory_id"),
        references=(Reference("document_id", "document"), _MEMORY),
        owned=_OF_DOCUMENT,
        memory="memory_id",
        changed="(SELECT d.updated_at FROM documents d WHERE d.id = t.document_id)",
    ),
    RecordKind(
        "transcript",
        "session_transcripts",
        key=("agent_id", "session_key"),
        changed="COALESCE(t.updated_at, t.created_at)",
    ),
    RecordKind("summary", "session_summaries", same=(_equal("agent_id", "session_key", "depth"),)),
    RecordKind(
        "summary_child",
        "session_summary_children",
        key=("parent_id", "child_id"),
        references=(Reference("parent_id", "summary"), Reference("child_id", "summary")),
        owned=_SUMMARY.format("parent_id"),
        changed="(SELECT s.created_at FROM session_summaries s WHERE s.id = t.parent_id)",
    ),
    RecordKind(
        "summary_memory",
        "session_summary_memories",
        key=("summary_id", "memory_id"),
        references=(Reference("summary_id", "summary"), _MAYBE_MEMORY),
        owned=_SUMMARY.format("summary_id"),
        changed="(SELECT s.created_at FROM session_summaries s WHERE s.id = t.summary_id)",
    ),
    RecordKind("checkpoint", "session_checkpoints"),
    RecordKind(
        "session_memory",
        "session_memories",
        references=(_MEMORY,),
        same=(_equal("agent_id", "session_key", "memory_id"),),
        memory="memory_id",
        json=("path_json",),
    ),
    RecordKind("session_score", "session_scores"),
    RecordKind("conversation", "conversations", owned=_OF_DEFAULT, changed=_UPDATED),
    RecordKind("feedback", "agent_feedback", references=(_MAYBE_MEMORY,)),
    RecordKind("cold_memory", "memories_cold", key=("archive_id",), changed="t.archived_at"),
)

KINDS = {kind.name: kind for kind in _ALL}
