"""Installing a skill."""

from signet.wire.requests.model import Body


class SkillInstallBody(Body):
    """What to install: the name of a skill, or `owner/repo[@skill]`; `source` may say where it is."""

    name: str = ""
    source: str | None = None
