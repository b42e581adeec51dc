"""The reader's rights as a WHERE clause: the only SQL for "who may read this memory".

Every path that shows a memory (recall, search, list, similar, expand, rationale rows) adds `readable`. It does not
cover deletion: history and recovery must see forgotten rows, all others add `is_deleted = 0`. domain/agents/registry.py
decides an agent's policy.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from signet.ids import SPACE_PREFIX, USER_PREFIX, is_of_user, of_space

#: The condition that a row belongs to `:agent`, if given, and is not hidden from the caller (`Caller.hidden`). Both are
#: parameters of the statement.
OF_AGENT = "(:agent IS NULL OR agent_id = :agent) AND agent_id NOT GLOB :hidden"
#: A LIKE pattern for the visibility of memories in spaces.
IN_A_SPACE = f"{SPACE_PREFIX}%"
_OF_NO_PERSON = f"{{alias}}.agent_id NOT GLOB '{USER_PREFIX}*'"


#: Beginnings of sentences about the user: preferences, and the few other facts that hold in every project.
_ABOUT_USER = ("The user ", "The user''s ", "User ", "I ", "I''m ", "My ")
_PROFILE = (
    *(f"The user {one} " for one in ("is called", "lives", "works", "speaks", "was born")),
    *(f"The user is {one}" for one in ("married", "allergic", "vegan", "vegetarian")),
    *("I live ", "I work ", "I speak "),
    *(
        f"{one} [A-Z]"
        for who in ("The user", "I")
        for one in (f"{who} moved to", f"{who} moved from", f"{who} joined")
    ),
    *(
        f"{whose} {one} "
        for whose in ("The user''s", "My")
        for one in "name,birthday,pronouns,time zone,timezone,wife,husband,partner,son,daughter".split(
            ","
        )
    ),
)
#: Signs that a preference concerns only its project: names of code, numbers, the project itself.
_OF_A_PROJECT = """
({m}.content GLOB '*[0-9/_`#@]*' OR {m}.content LIKE '% this %' OR {m}.content LIKE '% here%'
 OR instr(lower({m}.content),
          lower(replace({m}.project, rtrim({m}.project, replace({m}.project, '/', '')), ''))) > 0)"""


def _begins(starts: tuple[str, ...]) -> str:
    return " OR ".join(f"{{m}}.content GLOB '{one}*'" for one in starts)


#: A memory for every project: saved or said by the user or an agent outside of any project, pinned outside of any, part
#: of a document that the user added, or a preference or profile of the user without a project. Imports, statements of
#: tools and the web, summaries of compactions, and all other statements stay in their project.
EVERYWHERE = f"""
({{m}}.project IS NULL AND ({{m}}.pinned = 1 OR {{m}}.type = 'document_chunk'
   OR {{m}}.type <> 'session_summary' AND coalesce({{m}}.origin, 'agent') IN ('user', 'agent', 'inferred'))
 OR {{m}}.origin IN ('user', 'inferred') AND NOT {_OF_A_PROJECT}
   AND ({{m}}.type = 'preference' AND ({_begins(_ABOUT_USER)})
     OR {{m}}.type IN ('preference', 'fact', 'decision', 'person') AND ({_begins(_PROFILE)})))"""


class ReadPolicy(StrEnum):
    """Whose memories an agent may read; the strings are stored in `agents.read_policy`."""

    ISOLATED = "isolated"
    SHARED = "shared"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Here:
    """The project that a session works in, empty for none: without a request, it gets only memories that belong there.

    These are the memories of this project, those for every project (`EVERYWHERE`), and for a personal assistant
    (`is_personal`) also imports without a project.
    """

    project: str = ""
    is_personal: bool = False

    def labels(self, project: str | None) -> tuple[str, ...]:
        """Return the labels for a memory of another project; none for one of this project."""
        if not self.project or project == self.project:
            return ()
        name = (project or "").replace("\\", "/").rstrip("/").rpartition("/")[2]
        return (f"from {name}" if name else "all projects",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A reader and the limits of what it may read.

    `scope` None selects rows without a scope, a string only that scope; `any_scope` lifts this (for a memory requested
    by ID). `project` is a mandatory limit of the caller's token, not a filter of the query. `here` limits what a
    session gets without a request; None for a person or agent who asks. `spaces` are those that the caller's key
    reads: a memory of a space is read through them alone, even by its author. None: the caller has no key, and reads
    memories of spaces like shared ones.
    """

    agent_id: str = "default"
    policy: ReadPolicy = ReadPolicy.ISOLATED
    group: str | None = None
    scope: str | None = None
    any_scope: bool = False
    project: str | None = None
    here: Here | None = None
    spaces: tuple[str, ...] | None = ()


@dataclass(frozen=True, slots=True)
class Where:
    """A condition with its `?` parameters; conditions are joined with `&`."""

    sql: str
    params: tuple[object, ...] = ()

    def __and__(self, other: "Where") -> "Where":
        """Return the condition that both hold."""
        return Where(f"{self.sql} AND {other.sql}", self.params + other.params)


@lru_cache(256)
def readable(reader: Reader, alias: str = "m") -> Where:
    """Return the condition on a row of `memories` (under `alias`) that this reader may see."""
    if reader.spaces is None:
        where = Where(f"{alias}.visibility IS NOT 'archived'") & _owners(
            reader, alias, f"{alias}.visibility <> 'private'"
        )
        return _within(where, reader, alias)
    where = Where(f"coalesce({alias}.visibility, 'private') IN ('global', 'private')") & _owners(
        reader, alias, f"{alias}.visibility = 'global'"
    )
    if reader.spaces:
        marks = ", ".join("?" * len(reader.spaces))
        of_spaces = Where(f"{alias}.visibility IN ({marks})", tuple(map(of_space, reader.spaces)))
        where = Where(f"({where.sql} OR {of_spaces.sql})", where.params + of_spaces.params)
    return _within(where, reader, alias)


def archived(reader: Reader, alias: str = "m") -> Where:
    """Return the condition on a row of `memories` that belonged to a removed agent.

    No one reads these. An operator with access to shared memories can list them, a person only their own (AUTH-27).
    """
    shown = "0" if is_of_user(reader.agent_id) else _OF_NO_PERSON.format(alias=alias)
    where = Where(f"{alias}.visibility = 'archived'") & _owners(reader, alias, shown)
    return _within(where, reader, alias)


def owned(reader: Reader, alias: str) -> Where:
    """Return the condition on a row that has an owner but neither visibility, scope nor project, such as a document.

    It counts as global, a person's as private (AUTH-27); a reader limited to a project does not see it.
    """
    return (
        _owners(reader, alias, _OF_NO_PERSON.format(alias=alias))
        if reader.project is None
        else Where("0")
    )


def _within(where: Where, reader: Reader, alias: str) -> Where:
    if not reader.any_scope:
        where &= Where(f"{alias}.scope IS ?", (reader.scope,))
    if reader.project is not None:
        where &= Where(f"{alias}.project = ?", (reader.project,))
    if reader.here is not None:
        where &= belongs(reader.here, alias)
    return where


def belongs(here: Here, alias: str = "m") -> Where:
    """Return the condition on a row of `memories` that a session here may receive without a request."""
    own = f"coalesce({alias}.project, '') = ?"
    if here.is_personal:
        own = f"({own} OR {alias}.project IS NULL)"
    return Where(f"({own} OR {EVERYWHERE.format(m=alias)})", (here.project,))


def _owners(reader: Reader, alias: str, shown: str) -> Where:
    own = Where(f"{alias}.agent_id = ?", (reader.agent_id,))
    if reader.policy is ReadPolicy.SHARED:
        return Where(f"({shown} OR {own.sql})", own.params)
    if reader.policy is ReadPolicy.GROUP and reader.group is not None:
        members = f"{alias}.agent_id IN (SELECT id FROM agents WHERE policy_group = ?)"
        return Where(f"(({shown} AND {members}) OR {own.sql})", (reader.group, *own.params))
    return own
