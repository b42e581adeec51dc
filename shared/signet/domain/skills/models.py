"""Skills on disk, and their entries in the graph."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from signet.config import Settings
from signet.config.sections import EmbeddingProvider

#: The file that makes a folder a skill.
FILE = "SKILL.md"
ROLE = "utility"
#: The source of a node that no installation has set.
RECONCILER = "reconciler"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFile:
    """The content of one SKILL.md; `name`, the folder's, is its identity (SK-24)."""

    name: str
    path: Path
    #: Its display name: name or title of the front matter, else the folder's name.
    title: str
    content: str
    body: str = ""
    #: SHA-256 of the file.
    fingerprint: str = ""
    #: Why it has no usable front matter, and so no node in the graph; None when it has.
    problem: str | None = None
    description: str = ""
    version: str | None = None
    author: str | None = None
    maintainer: str | None = None
    license: str | None = None
    homepage: str | None = None
    triggers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()
    role: str = ROLE
    user_invocable: bool = True
    arg_hint: str | None = None
    builtin: bool = False
    verified: bool = False
    #: Programs and skills that it needs.
    bins: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    #: Fields of a catalog.
    category: str | None = None
    installs: int = 0
    stars: int = 0


class SkillNode(NamedTuple):
    """A skill in the graph, from its row and its entity; instants are text."""

    entity_id: str
    agent_id: str
    title: str
    description: str
    triggers: tuple[str, ...]
    tags: tuple[str, ...]
    requires: tuple[str, ...]
    fingerprint: str | None
    fs_path: str
    source: str
    enriched: bool
    installed_at: str
    last_used_at: str | None
    importance: float
    decay_rate: float
    use_count: int

    @property
    def name(self) -> str:
        return Path(self.fs_path).parent.name

    @property
    def text(self) -> str:
        """Return the text to embed, without empty parts."""
        return " — ".join(
            part for part in (self.title, self.description, ", ".join(self.triggers)) if part
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRules:
    """The settings for skill nodes."""

    #: Whether there are nodes at all.
    enabled: bool = True
    enrich: bool = True
    #: Characters below which a description is thin.
    min_description: int = 30
    embed: bool = True
    embedding_model: str | None = None
    #: Whether the things that a body names become entities.
    entities: bool = True
    importance: float = 0.7
    decay_rate: float = 0.99
    min_importance: float = 0.3
    attempts: int = 3

    @classmethod
    def from_settings(cls, settings: Settings) -> "SkillRules":
        pipeline = settings.pipeline
        procedural = pipeline.procedural
        return cls(
            enabled=procedural.enabled and not pipeline.mutations_frozen,
            enrich=pipeline.enabled and procedural.enrich_on_install,
            min_description=procedural.enrich_min_description,
            embed=settings.embedding.provider is not EmbeddingProvider.NONE,
            embedding_model=settings.embedding.model,
            entities=pipeline.enabled and pipeline.graph.enabled,
            importance=procedural.importance_on_install,
            decay_rate=procedural.decay_rate,
            min_importance=procedural.min_importance,
            attempts=pipeline.worker.max_retries,
        )
