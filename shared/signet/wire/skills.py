"""Skills: list, install and remove."""

from typing import TypedDict

from signet.wire import access
from signet.wire.operation import delete, get, post


class Skill(TypedDict):
    """An installed skill's metadata; `path` is its folder."""

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


class WholeSkill(Skill):
    content: str


class CatalogSkill(TypedDict):
    name: str
    fullName: str
    description: str
    installs: str
    stars: int
    popularity: int
    category: str
    verified: bool
    installed: bool


class InstalledSkill(TypedDict):
    success: bool
    name: str
    output: str


class RemovedSkill(TypedDict):
    success: bool
    name: str
    message: str


class Skills(TypedDict):
    skills: list[Skill]
    count: int


class FoundSkills(TypedDict):
    results: list[CatalogSkill]


class OfferedSkills(TypedDict):
    results: list[CatalogSkill]
    total: int


SKILLS = get("/api/skills", access.LOCAL, Skills)
SEARCH_SKILLS = get("/api/skills/search", access.LOCAL, FoundSkills)
BROWSE_SKILLS = get("/api/skills/browse", access.LOCAL, OfferedSkills)
INSTALL_SKILL = post(
    "/api/skills/install",
    access.programs("install a skill, which tells agents what to do", "signet skill install NAME"),
    InstalledSkill,
)
SKILL = get("/api/skills/{name}", access.LOCAL, WholeSkill)
REMOVE_SKILL = delete(
    "/api/skills/{name}",
    access.programs("delete the folder of a skill", "signet skill uninstall NAME"),
    RemovedSkill,
)
