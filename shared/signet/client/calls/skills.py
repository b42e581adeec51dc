"""Skills: look at them, install and remove them."""

from signet.client.answers import (
    CatalogSkill,
    InstalledSkill,
    RelatedSkill,
    RemovedSkill,
    Skill,
    SkillFile,
)
from signet.client.call import Call, given, part, read


def skills() -> Call[list[Skill]]:
    """Return the installed skills, sorted by name."""
    return read("/api/skills", pick="skills")


def skill(name: str) -> Call[SkillFile]:
    """Return what a skill says of itself, and its whole file as `content`; raises NotFound."""
    return read(f"/api/skills/{part(name)}")


def search_skills(query: str) -> Call[list[CatalogSkill]]:
    """Return installed skills and those of catalogs that hold the words of the query."""
    return read("/api/skills/search", pick="results", q=query)


def browse_skills() -> Call[list[CatalogSkill]]:
    """Return what the catalogs of the daemon's machine offer, the most popular first."""
    return read("/api/skills/browse", pick="results")


def related_skills(name: str) -> Call[list[RelatedSkill]]:
    """Return the skills that have to do with one; raises NotFound."""
    return read(f"/api/skills/{part(name)}/related", pick="related")


def install_skill(name: str, *, source: str | None = None) -> Call[InstalledSkill]:
    """Install a skill: from a catalog, or from `source`, a path on the daemon's machine or `owner/repo[@skill]`.

    One of that name is replaced. May take a minute; raises Invalid, or SignetError with nothing changed.
    """
    body = {"name": name, "source": source}
    return Call(method="POST", path="/api/skills/install", body=given(body))


def remove_skill(name: str) -> Call[RemovedSkill]:
    """Remove a skill; raises NotFound."""
    return Call(method="DELETE", path=f"/api/skills/{part(name)}")
