"""The named agents in agent.yaml (`agents.roster`)."""

import re
from enum import StrEnum
from typing import ClassVar

from signet.config.fields import SettingsSection, read, section, setting, settle
from signet.config.values import Unfit, texts

NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


class ReadPolicy(StrEnum):
    """Which agents' memories an agent may read."""

    ISOLATED = "isolated"
    SHARED = "shared"
    GROUP = "group"


def _name(value: object, where: str, warnings: list[str]) -> object:
    if not isinstance(value, str) or not NAME.fullmatch(value) or value == "default":
        raise Unfit("a name of small letters, digits and hyphens other than `default`")
    return value


@section
class RosterAgent(SettingsSection):
    """One named agent; a group policy without a group means isolated."""

    SNAKE: ClassVar[bool] = True

    name: str = setting("", accept=_name)
    read_policy: ReadPolicy = ReadPolicy.ISOLATED
    policy_group: str | None = None
    #: None: every skill.
    skills: tuple[str, ...] | None = setting(None, accept=texts)

    def __post_init__(self) -> None:
        if self.read_policy is ReadPolicy.GROUP and not self.policy_group:
            settle(self, read_policy=ReadPolicy.ISOLATED)


def roster(value: object, where: str, warnings: list[str]) -> object:
    """Read the list of agents; unusable or duplicate names are skipped with a warning."""
    if not isinstance(value, list):
        raise Unfit("a list of agents")
    found: dict[str, RosterAgent] = {}
    for index, each in enumerate(value):
        place = f"{where}[{index}]"
        agent = read(RosterAgent, each, warnings, path=place)
        if not agent.name or agent.name in found:
            warnings.append(f"{place}: its name is missing or already used; skipped")
            continue
        found[agent.name] = agent
    return tuple(found.values())
