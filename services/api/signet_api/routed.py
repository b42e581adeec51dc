"""Tool servers of others as the API process holds them: what is installed, what runs, and what agents see of it.

What may take long goes on in threads of its own, one for each: the event loop's few threads would all be taken by a
few servers that hang.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from signet import clock
from signet.domain.marketplace import expose, keys, naming
from signet.domain.marketplace.expose import Recent
from signet.domain.marketplace.models import (
    Config,
    Context,
    Policy,
    Routed,
    Server,
)
from signet.domain.marketplace.pool import Look, Pool
from signet.domain.marketplace.reviews import ReviewsFile
from signet.domain.marketplace.rpc import Message
from signet.domain.marketplace.servers_file import Installed, ServersFile
from signet.domain.secrets.vault import Vault
from signet.errors import NotFound, SignetError
from signet.mcp.tools import TOOLS
from signet.paths import Workspace
from signet.process.settings_reload import LiveSettings

#: How long a request that starts servers waits for their tools; those that take longer are there the next time.
WAIT_SECONDS = 2.5
#: How often is looked for servers that nobody asks any more.
LOOK_SECONDS = 20.0

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What one context is offered: the tools of its servers, how these stand, and the policy that holds."""

    tools: list[Routed]
    looks: Mapping[str, Look]
    servers: list[Server]
    policy: Policy


class RoutedServers:
    """The servers of one workspace."""

    def __init__(self, workspace: Workspace, live: LiveSettings) -> None:
        self.file = ServersFile(workspace.marketplace_dir / "servers.json")
        self.reviews = ReviewsFile(workspace.marketplace_dir / "reviews.json")
        self.recent = Recent()
        #: How often something was changed that decides which tools are listed.
        self.changes = 0
        self._vault = Vault(workspace.vault)
        self._live = live
        self.pool = Pool(self._keys)

    async def offer(self, context: Context, *, fresh: bool = False) -> Offer:
        """Return what a context is offered; servers whose tools are not known are started, others asked when due.

        A name belongs to the same tool in every context. Raises FileUnreadable.
        """
        installed = self.file.read()
        enabled = [server for server in installed.servers.values() if server.enabled]
        servers = [server for server in enabled if server.scope.admits(context)]
        await self.discover(*(one for one in servers if self.pool.is_due(one, is_asked=fresh)))
        looks = {server.id: self.pool.look(server) for server in enabled}
        tools = naming.routed(enabled, {id_: look.tools for id_, look in looks.items()}, TOOLS)
        return Offer(
            tools=[one for one in tools if one.server.scope.admits(context)],
            looks={server.id: looks[server.id] for server in servers},
            servers=servers,
            policy=installed.policy,
        )

    def exposed(self, offer: Offer, context: Context) -> list[Routed]:
        """Return the tools that appear as tools of their own."""
        recent = self.recent.of(context, now=clock.now())
        return expose.exposed(offer.tools, offer.policy, recent)

    async def discover(self, *servers: Server) -> None:
        """Read the tools of servers, and wait a little for that."""
        if servers:
            begun = [apart(partial(self.pool.discover, server)) for server in servers]
            await asyncio.wait(begun, timeout=WAIT_SECONDS)

    async def call(self, server: Server, tool: str, args: Mapping[str, object]) -> Message:
        """Return what a tool gave; raises NoSuchTool, Busy, ServerFailed."""
        return await apart(partial(self.pool.call, server, tool, args))

    def server_for(self, id_: str, context: Context) -> Server:
        """Return a server that a context may call; raises NotFound."""
        server = self.file.read().servers.get(id_)
        if server is None or not server.enabled or not server.scope.admits(context):
            raise NotFound(
                f"Tool server '{id_}' is not installed, not enabled or out of scope",
                "tool_server_not_found",
            )
        return server

    async def change(self, how: Callable[[Installed], Installed]) -> Installed:
        """Change what is installed, and stop what may not run any more."""
        changed = await asyncio.to_thread(self.file.change, how)
        self.pool.keep(changed.servers)
        self.changes += 1
        return changed

    async def watch(self) -> None:
        """Stop servers that nobody asks any more, or that somebody took out of the file, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            with suppress(SignetError, OSError):  # a file that cannot be read now stops nothing
                self.pool.keep(self.file.read().servers)
            self.pool.stop_idle()

    def _keys(self, config: Config) -> Mapping[str, str]:
        return keys.values(self._vault, config, self._live.settings.secrets.exec_allow)


def apart(work: Callable[[], Result]) -> "asyncio.Future[Result]":
    """Do something in a thread of its own, which nobody waits for at the end of the process."""
    done: Future[Result] = Future()

    def run() -> None:
        done.set_running_or_notify_cancel()
        try:
            done.set_result(work())
        except BaseException as error:  # whoever awaits it decides
            done.set_exception(error)

    threading.Thread(target=run, name="tool-server-call", daemon=True).start()
    return asyncio.wrap_future(done)
