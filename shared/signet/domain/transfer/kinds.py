"""What is exported: one row for each kind of record, in the order in which references come after what they name.

A record carries the columns of its table as they are stored; columns that a table has gained are carried too. What is
worked out anew (full text, jobs, projections, predictors) and what must not leave (tokens, connectors) is not here.
"""

from dataclasses import dataclass

#: Row numbers are given anew, in the order of the file.
ROW_NUMBER = "seq"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A column that names a record of another kind; one that is not needed may name what is not there (yet)."""

    column: str
    kind: str
    needed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of record.

    `key` are the columns that make a row itself. `same` are conditions on an existing row, with the columns of a new
    one as `:name`, under which both say the same; a record that is known by another id gets an alias. For an export of
    what one agent may read, `owned` is a condition on a row `t` of the agent `?`, and `memory` the column whose memory
    that agent must be able to read.
    """

    name: str
    table: str
    key: tuple[str, ...] = ("id",)
    references: tuple[Reference, ...] = ()
    same: tuple[str, ...] = ()
    owned: str | None = "t.agent_id = ?"
    memory: str | None = None
    #: When a row last changed, for exports of what is new.
    changed: str = "t.created_at"
    #: Columns whose text other code reads as JSON, a list (`tags`) only when it starts like one.
    json: tuple[str, ...] = ()
    #: Columns that are given a value when a record has none; null is then written out.
    filled: tuple[str, ...] = ()


_MEMORY = Reference(column="memory_id", kind="memory")
_ENTITY = Reference(column="entity_id", kind="entity")
_ENDS = (
    Reference(column="source_entity_id", kind="entity"),
    Reference(column="target_entity_id", kind="entity"),
)
_SUMMARY = "EXISTS (SELECT 1 FROM session_summaries s WHERE s.id = t.{} AND s.agent_id = ?)"
_OF_ENTITY = "EXISTS (SELECT 1 FROM entities e WHERE e.id = t.{} AND e.agent_id = ?)"
_OF_DOCUMENT = "EXISTS (SELECT 1 FROM documents d WHERE d.id = t.document_id AND d.agent_id = ?)"
#: Conversations have no owner: they are the default agent's.
_OF_DEFAULT = "? = 'default'"
_UPDATED = "t.updated_at"

_ALL = (
    # Before the memories, so that none of them is taken in that says what was forgotten where the file was made.
    Kind(
        name="forgotten_value",
        table="forgotten_values",
        key=("memory_id", "part"),
        changed="t.since",
    ),
    Kind(name="agent", table="agents", owned="t.id = ?", changed=_UPDATED),
    Kind(
        name="memory",
        table="memories",
        references=(Reference(column="superseded_by", kind="memory", needed=False),),
        same=(
            "idempotency_key = :idempotency_key AND agent_id = :agent_id",
            "content_hash = :content_hash AND agent_id = :agent_id AND visibility = :visibility"
            " AND COALESCE(scope, '') = COALESCE(:scope, '') AND COALESCE(project, '') = COALESCE(:project, '')"
            " AND is_deleted = 0 AND :is_deleted = 0",
        ),
        owned=None,
        memory="id",
        changed=_UPDATED,
        json=("tags",),
        filled=("content_hash", "normalized_content"),
    ),
    Kind(
        name="history",
        table="memory_history",
        references=(Reference(column="memory_id", kind="memory", needed=False),),
        owned=None,
        memory="memory_id",
    ),
    Kind(
        name="hint",
        table="memory_hints",
        references=(_MEMORY,),
        same=("memory_id = :memory_id AND hint = :hint",),
        owned=None,
        memory="memory_id",
    ),
    Kind(name="community", table="entity_communities", changed=_UPDATED),
    Kind(
        name="entity",
        table="entities",
        references=(Reference(column="community_id", kind="community", needed=False),),
        same=("agent_id = :agent_id AND canonical_name = :canonical_name",),
        changed=_UPDATED,
    ),
    # Before what is said of entities, so that what only a memory named that is not taken in is left out with it.
    Kind(
        name="mention",
        table="memory_entity_mentions",
        key=("memory_id", "entity_id"),
        references=(_MEMORY, _ENTITY),
        owned=_OF_ENTITY.format("entity_id"),
        memory="memory_id",
    ),
    Kind(
        name="aspect",
        table="entity_aspects",
        references=(_ENTITY,),
        same=("entity_id = :entity_id AND canonical_name = :canonical_name",),
        changed=_UPDATED,
    ),
    Kind(
        name="attribute",
        table="entity_attributes",
        references=(
            _ENTITY,
            Reference(column="aspect_id", kind="aspect", needed=False),
            Reference(column="superseded_by", kind="attribute", needed=False),
            Reference(column="source_memory_id", kind="memory", needed=False),
        ),
        same=(
            "aspect_id = :aspect_id AND normalized_value = :normalized_value"
            " AND status = 'active' AND :status = 'active'",
        ),
        changed=_UPDATED,
    ),
    Kind(
        name="dependency",
        table="entity_dependencies",
        references=(*_ENDS, Reference(column="aspect_id", kind="aspect", needed=False)),
        same=(
            "agent_id = :agent_id AND source_entity_id = :source_entity_id"
            " AND target_entity_id = :target_entity_id AND dependency_type = :dependency_type",
        ),
        changed=_UPDATED,
    ),
    Kind(
        name="relation",
        table="relations",
        references=_ENDS,
        same=(
            "source_entity_id = :source_entity_id AND target_entity_id = :target_entity_id"
            " AND relation_type = :relation_type",
        ),
        owned=_OF_ENTITY.format("source_entity_id"),
        changed="COALESCE(t.updated_at, t.created_at)",
    ),
    Kind(
        name="pin",
        table="entity_pinning",
        references=(_ENTITY,),
        same=("agent_id = :agent_id AND entity_id = :entity_id",),
    ),
    Kind(
        name="task", table="task_meta", key=("entity_id",), references=(_ENTITY,), changed=_UPDATED
    ),
    Kind(
        name="skill",
        table="skill_meta",
        key=("entity_id",),
        references=(_ENTITY,),
        changed="COALESCE(t.last_used_at, t.installed_at)",
    ),
    Kind(
        name="document",
        table="documents",
        same=(
            "content_hash = :content_hash AND agent_id = :agent_id"
            " AND source_type = 'text' AND :source_type = 'text'"
            " AND status NOT IN ('failed', 'deleted') AND :status NOT IN ('failed', 'deleted')",
        ),
        changed=_UPDATED,
        json=("metadata_json",),
    ),
    Kind(
        name="chunk",
        table="document_memories",
        key=("document_id", "memory_id"),
        references=(Reference(column="document_id", kind="document"), _MEMORY),
        owned=_OF_DOCUMENT,
        memory="memory_id",
        changed="(SELECT d.updated_at FROM documents d WHERE d.id = t.document_id)",
    ),
    Kind(
        name="transcript",
        table="session_transcripts",
        key=("agent_id", "session_key"),
        changed="COALESCE(t.updated_at, t.created_at)",
    ),
    Kind(
        name="summary",
        table="session_summaries",
        same=("agent_id = :agent_id AND session_key = :session_key AND depth = :depth",),
    ),
    Kind(
        name="summary_child",
        table="session_summary_children",
        key=("parent_id", "child_id"),
        references=(
            Reference(column="parent_id", kind="summary"),
            Reference(column="child_id", kind="summary"),
        ),
        owned=_SUMMARY.format("parent_id"),
        changed="(SELECT s.created_at FROM session_summaries s WHERE s.id = t.parent_id)",
    ),
    Kind(
        name="summary_memory",
        table="session_summary_memories",
        key=("summary_id", "memory_id"),
        references=(
            Reference(column="summary_id", kind="summary"),
            Reference(column="memory_id", kind="memory", needed=False),
        ),
        owned=_SUMMARY.format("summary_id"),
        changed="(SELECT s.created_at FROM session_summaries s WHERE s.id = t.summary_id)",
    ),
    Kind(name="checkpoint", table="session_checkpoints"),
    Kind(
        name="session_memory",
        table="session_memories",
        references=(_MEMORY,),
        same=("agent_id = :agent_id AND session_key = :session_key AND memory_id = :memory_id",),
        memory="memory_id",
        json=("path_json",),
    ),
    Kind(name="session_score", table="session_scores"),
    Kind(name="conversation", table="conversations", owned=_OF_DEFAULT, changed=_UPDATED),
    Kind(
        name="feedback",
        table="agent_feedback",
        references=(Reference(column="memory_id", kind="memory", needed=False),),
    ),
    Kind(
        name="cold_memory",
        table="memories_cold",
        key=("archive_id",),
        changed="t.archived_at",
    ),
)

KINDS = {kind.name: kind for kind in _ALL}
