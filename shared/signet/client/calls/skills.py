"""Skills: list, install and remove."""

from signet.client.method import asks
from signet.wire import skills as wire


class SkillCalls:
    """Skills: list, install and remove."""

    @asks(wire.SKILLS, pick=lambda found: found["skills"])
    def skills(self) -> list[wire.Skill]:
        """Return the installed skills, sorted by name."""

    @asks(wire.SKILL)
    def skill(self, name: str) -> wire.SkillFile:
        """Return a skill's metadata, and its whole file as `content`; raises NotFound."""

    @asks(wire.SEARCH_SKILLS, pick=lambda found: found["results"], names={"query": "q"})
    def search_skills(self, query: str) -> list[wire.CatalogSkill]:
        """Return installed and available skills that contain the query's words."""

    @asks(wire.BROWSE_SKILLS, pick=lambda found: found["results"])
    def browse_skills(self) -> list[wire.CatalogSkill]:
        """Return the skills in the catalogs of the daemon's machine, the most popular first."""

    @asks(wire.RELATED_SKILLS, pick=lambda found: found["related"])
    def related_skills(self, name: str) -> list[wire.RelatedSkill]:
        """Return related skills; raises NotFound."""

    @asks(wire.INSTALL_SKILL)
    def install_skill(self, name: str, *, source: str | None = None) -> wire.InstalledSkill:
        """Install a skill: from a catalog, or from `source`, a path on the daemon's machine or `owner/repo[@skill]`.

        Replaces one of the same name. May take a minute; raises Invalid, or SignetError with nothing changed.
        """

    @asks(wire.REMOVE_SKILL)
    def remove_skill(self, name: str) -> wire.RemovedSkill:
        """Remove a skill; raises NotFound."""
