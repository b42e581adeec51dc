"""Skills: look at them, install and remove them."""

from typing import TypedDict

from signet.wire import access
from signet.wire.operation import Operation


class Skill(TypedDict):
    """What an installed skill says of itself; `path` is its folder."""

    name: str
    description: str
    version: str | None
    author: str | None
    maintainer: str | None
    license: str | None
    homepage: str | None
    user_invocable: bool
    arg_hint: str | None
    verified: bool
    builtin: bool
    role: str
    permissions: list[str]
    triggers: list[str]
    tags: list[str]
    dependencies: dict[str, list[str]]
    path: str


class SkillFile(Skill):
    """A skill with the whole of its file."""

    content: str


class CatalogSkill(TypedDict):
    """A skill that can be installed, or is."""

    name: str
    fullName: str
    description: str
    installs: str
    stars: int
    popularity: int
    category: str
    verified: bool
    installed: bool


class RelatedSkill(TypedDict):
    """A skill that has to do with another; `direction` is `out` when the other one points to it."""

    name: str
    description: str
    relation: str
    direction: str
    strength: float
    reason: str
    useCount: int


class InstalledSkill(TypedDict):
    """A skill that is installed now."""

    success: bool
    name: str
    output: str


class RemovedSkill(TypedDict):
    """A skill that is gone."""

    success: bool
    name: str
    message: str


class Skills(TypedDict):
    """Installed skills, sorted by name."""

    skills: list[Skill]
    count: int


class FoundSkills(TypedDict):
    """Installed skills and those of catalogs that hold the words of a query."""

    results: list[CatalogSkill]


class OfferedSkills(TypedDict):
    """What the catalogs of this machine offer, the most popular first."""

    results: list[CatalogSkill]
    total: int


class RelatedSkills(TypedDict):
    """The skills that have to do with one."""

    name: str
    related: list[RelatedSkill]
    count: int


SKILLS = Operation("GET", "/api/skills", access.LOCAL, Skills)
SEARCH_SKILLS = Operation("GET", "/api/skills/search", access.LOCAL, FoundSkills)
BROWSE_SKILLS = Operation("GET", "/api/skills/browse", access.LOCAL, OfferedSkills)
INSTALL_SKILL = Operation(
    "POST",
    "/api/skills/install",
    access.programs("install a skill, which tells agents what to do", "signet skill install NAME"),
    InstalledSkill,
)
SKILL = Operation("GET", "/api/skills/{name}", access.LOCAL, SkillFile)
RELATED_SKILLS = Operation("GET", "/api/skills/{name}/related", access.LOCAL, RelatedSkills)
REMOVE_SKILL = Operation(
    "DELETE",
    "/api/skills/{name}",
    access.programs("delete the folder of a skill", "signet skill uninstall NAME"),
    RemovedSkill,
)
