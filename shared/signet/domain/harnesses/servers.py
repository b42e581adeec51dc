"""The MCP server in a harness's settings, for those that keep a JSON object of servers by their names."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from pathlib import Path

from signet.domain.harnesses import jsonedit, programs
from signet.domain.harnesses.jsontext import ConfigUnreadable, Json
from signet.domain.harnesses.models import Before, Connector, Patch, Problem, Site, Wishes

_NAME = "signet"


class Served(Connector):
    """A harness that reads its MCP servers from an object of a JSON file."""

    #: The object with the servers.
    key: str = "mcpServers"
    #: What an entry has to say beside the program, its arguments and its environment.
    extras: Sequence[tuple[str, Json]] = ()

    def server_path(self, site: Site) -> Path:
        """Return the file with its servers."""
        return self.config_path(site)

    def server(self, site: Site, path: Path | None = None, key: str = "") -> Patch:
        """Return how the file with its servers changes; another file and object where these are given."""
        place = (key or self.key, _NAME)
        entry: Mapping[str, Json] = {
            **dict(self.extras),
            "command": site.signet_mcp,
            "args": [],
            "env": {"SIGNET_HARNESS": self.id},
        }
        put = partial(
            jsonedit.ensure, path=place, value=entry, needed=(*dict(self.extras), "command")
        )
        return Patch(
            path=path or self.server_path(site),
            put=put,
            take=lambda text, _: jsonedit.without(text, place),
            renew=lambda text: put(text) if jsonedit.has(text, place) else text,
            empty=jsonedit.EMPTY,
        )

    def patches(self, site: Site, wishes: Wishes) -> list[Patch]:
        """Return its servers."""
        return [self.server(site)]

    def uses(self, text: str) -> bool:
        """Return whether our server is among its servers."""
        return jsonedit.has(text, (self.key, _NAME))

    def faults(self, site: Site) -> list[Problem]:
        """Return a server that is missing, or whose program is gone."""
        path = self.server_path(site)
        try:
            program = jsonedit.get(path.read_text("utf-8"), (self.key, _NAME, "command"))
        except (OSError, ValueError, ConfigUnreadable):
            program = None
        if program is None:
            return [Problem(path=path, text="the MCP server is missing")]
        return programs.server_problems(path, program)


def together(patches: Sequence[Patch]) -> Patch:
    """Return several changes of one file as one."""
    first, *_ = patches

    def put(text: str) -> str:
        return reduce(lambda text, one: one.put(text) or "", patches, text)

    def renew(text: str) -> str:
        return reduce(lambda text, one: one.renew(text) if one.renew else text, patches, text)

    def take(text: str, before: Before) -> str:
        return reduce(lambda text, one: one.take(text, before), patches, text)

    def before(text: str) -> Before:
        return {key: value for one in patches for key, value in one.before(text).items()}

    return replace(first, put=put, renew=renew, take=take, before=before)
