"""Skills: look at them, install and remove them."""

from signet.client.method import asks
from signet.wire import skills as wire


class SkillCalls:
    """Skills: look at them, install and remove them."""

    @asks(wire.SKILLS, pick=lambda found: found["skills"])
    def skills(self) -> list[wire.Skill]:
        """Return the installed skills, sorted by name."""

    @asks(wire.SKILL)
    def skill(self, name: str) -> wire.SkillFile:
        """Return what a skill says of itself, and its whole file as `content`; raises NotFound."""

    @asks(wire.SEARCH_SKILLS, pick=lambda found: found["results"], names={"query": "q"})
    def search_skills(self, query: str) -> list[wire.CatalogSkill]:
        """Return installed skills and those of catalogs that hold the words of the query."""

    @asks(wire.BROWSE_SKILLS, pick=lambda found: found["results"])
    def browse_skills(self) -> list[wire.CatalogSkill]:
        """Return what the catalogs of the daemon's machine offer, the most popular first."""

    @asks(wire.RELATED_SKILLS, pick=lambda found: found["related"])
    def related_skills(self, name: str) -> list[wire.RelatedSkill]:
        """Return the skills that have to do with one; raises NotFound."""

    @asks(wire.INSTALL_SKILL)
    def install_skill(self, name: str, *, source: str | None = None) -> wire.InstalledSkill:
        """Install a skill: from a catalog, or from `source`, a path on the daemon's machine or `owner/repo[@skill]`.

        One of that name is replaced. May take a minute; raises Invalid, or SignetError with nothing changed.
        """

    @asks(wire.REMOVE_SKILL)
    def remove_skill(self, name: str) -> wire.RemovedSkill:
        """Remove a skill; raises NotFound."""
