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
from signet.client.method import method


class SkillCalls:
    """Skills: look at them, install and remove them."""

    @method
    def skills(self) -> Call[list[Skill]]:
        """Return the installed skills, sorted by name."""
        return read("/api/skills", pick="skills")

    @method
    def skill(self, name: str) -> Call[SkillFile]:
        """Return what a skill says of itself, and its whole file as `content`; raises NotFound."""
        return read(f"/api/skills/{part(name)}")

    @method
    def search_skills(self, query: str) -> Call[list[CatalogSkill]]:
        """Return installed skills and those of catalogs that hold the words of the query."""
        return read("/api/skills/search", pick="results", q=query)

    @method
    def browse_skills(self) -> Call[list[CatalogSkill]]:
        """Return what the catalogs of the daemon's machine offer, the most popular first."""
        return read("/api/skills/browse", pick="results")

    @method
    def related_skills(self, name: str) -> Call[list[RelatedSkill]]:
        """Return the skills that have to do with one; raises NotFound."""
        return read(f"/api/skills/{part(name)}/related", pick="related")

    @method
    def install_skill(self, name: str, *, source: str | None = None) -> Call[InstalledSkill]:
        """Install a skill: from a catalog, or from `source`, a path on the daemon's machine or `owner/repo[@skill]`.

        One of that name is replaced. May take a minute; raises Invalid, or SignetError with nothing changed.
        """
        body = {"name": name, "source": source}
        return Call(method="POST", path="/api/skills/install", body=given(body))

    @method
    def remove_skill(self, name: str) -> Call[RemovedSkill]:
        """Remove a skill; raises NotFound."""
        return Call(method="DELETE", path=f"/api/skills/{part(name)}")
