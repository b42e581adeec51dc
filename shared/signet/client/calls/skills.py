"""Skills: look at them, install and remove them."""

from signet.client.call import Call, ask
from signet.client.method import method
from signet.wire import skills as wire
from signet.wire.skills import (
    CatalogSkill,
    InstalledSkill,
    RelatedSkill,
    RemovedSkill,
    Skill,
    SkillFile,
)


class SkillCalls:
    """Skills: look at them, install and remove them."""

    @method
    def skills(self) -> Call[list[Skill]]:
        """Return the installed skills, sorted by name."""
        return ask(wire.SKILLS).picking(lambda found: found["skills"])

    @method
    def skill(self, name: str) -> Call[SkillFile]:
        """Return what a skill says of itself, and its whole file as `content`; raises NotFound."""
        return ask(wire.SKILL, name)

    @method
    def search_skills(self, query: str) -> Call[list[CatalogSkill]]:
        """Return installed skills and those of catalogs that hold the words of the query."""
        return ask(wire.SEARCH_SKILLS, q=query).picking(lambda found: found["results"])

    @method
    def browse_skills(self) -> Call[list[CatalogSkill]]:
        """Return what the catalogs of the daemon's machine offer, the most popular first."""
        return ask(wire.BROWSE_SKILLS).picking(lambda found: found["results"])

    @method
    def related_skills(self, name: str) -> Call[list[RelatedSkill]]:
        """Return the skills that have to do with one; raises NotFound."""
        return ask(wire.RELATED_SKILLS, name).picking(lambda found: found["related"])

    @method
    def install_skill(self, name: str, *, source: str | None = None) -> Call[InstalledSkill]:
        """Install a skill: from a catalog, or from `source`, a path on the daemon's machine or `owner/repo[@skill]`.

        One of that name is replaced. May take a minute; raises Invalid, or SignetError with nothing changed.
        """
        return ask(wire.INSTALL_SKILL, body={"name": name, "source": source})

    @method
    def remove_skill(self, name: str) -> Call[RemovedSkill]:
        """Remove a skill; raises NotFound."""
        return ask(wire.REMOVE_SKILL, name)
