"""The page at the daemon's address: how it is and where to look further, readable without a network or a script.

Whoever may not see the status gets the page without it.
"""

from datetime import timedelta
from html import escape
from string import Template

from fastapi.responses import HTMLResponse

from signet import resources
from signet.domain.auth import caller
from signet.wire import home as wire
from signet.wire.status import EmbeddingState, Status
from signet_api.deps import Shared
from signet_api.routes.status import status
from signet_api.serving import serves

#: Nothing is loaded from anywhere; the page has no script, and its style stands in it.
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
}
_LEAD = (
    "Persistent memory for AI agents. The daemon runs on this machine and answers at this address."
)


@serves(wire.PAGE)
async def get_page(state: Shared) -> HTMLResponse:
    """Return the page, with the status for those who may see it."""
    is_stranger = caller.current() == caller.STRANGER
    shown = "" if is_stranger else _shown(await status(state))
    lead = f"{_LEAD} It wants a token: SIGNET_TOKEN." if is_stranger else _LEAD
    source = resources.template("home.html").read_text("utf-8")
    page = Template(source).substitute(lead=escape(lead), status=shown)
    return HTMLResponse(page, headers=_HEADERS)


def _shown(found: Status) -> str:
    queue, vectors = found["queue"], found["embedding"]
    well = found["health"]["status"]
    work = f"{queue['pending']} waiting, {queue['leased']} running, {queue['dead']} dead"
    rows = {
        "Version": found["version"],
        "Up": timedelta(seconds=int(found["uptime"])),
        "Memories": vectors["total"],
        "With vectors": _vectors(vectors),
        "Background work": work + (", paused" if queue["paused"] else ""),
        "Workspace": found["agentsDir"],
        "Missing": ", ".join(found["reasons"]),
        "Settings": found["configError"],
    }
    shown = "".join(
        f"<div><dt>{name}</dt><dd>{escape(str(value))}</dd></div>\n"
        for name, value in rows.items()
        if value not in (None, "")
    )
    state = f'<div><dt>State</dt><dd class="{escape(well)}">{escape(well)}</dd></div>\n'
    return f"<dl>\n{state}{shown}</dl>"


def _vectors(found: EmbeddingState) -> str:
    if found["model"] is None:
        return "none; recall goes by words"
    return f"{found['embedded']} of {found['total']}, {found['model']}"
