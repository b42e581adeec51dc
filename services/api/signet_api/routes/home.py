"""The page at the daemon's address, the description of this interface, and the product's own texts.

All of it works without a network or a script. Whoever may not see the status gets the page without it.
"""

import asyncio
from datetime import timedelta
from html import escape
from string import Template

from fastapi.responses import HTMLResponse

from signet import clock, resources
from signet.domain.auth import caller
from signet.domain.identity import texts
from signet.domain.identity.greeting import greeting
from signet.domain.identity.texts import ProductText
from signet.wire import home as wire
from signet.wire.home import Greeting, ProductPage
from signet.wire.status import EmbeddingState, Status
from signet_api.deps import Shared
from signet_api.routes.status import status
from signet_api.serving import serves


@serves(wire.GREETING)
async def get_greeting() -> Greeting:
    """Return the greeting of this hour, in the daemon's time zone."""
    now = clock.now()
    return {"greeting": greeting(now.astimezone()), "cachedAt": clock.to_text(now)}


@serves(wire.CHANGELOG)
async def get_changelog() -> ProductPage:
    """Return what has changed: the text that came with this version, as Markdown and as HTML."""
    return await _text(ProductText.CHANGELOG)


@serves(wire.ROADMAP)
async def get_roadmap() -> ProductPage:
    """Return what is planned, and a sentence where this version came without a plan."""
    return await _text(ProductText.ROADMAP)


@serves(wire.README)
async def get_readme() -> ProductPage:
    """Return what the product is, as Markdown and as HTML."""
    return await _text(ProductText.README)


async def _text(name: ProductText) -> ProductPage:
    """Return a text in the shape that dashboards read; nothing is fetched, so that `source` is always `local`."""
    content, html = await asyncio.to_thread(texts.rendered, name)
    now_ms = int(clock.now().timestamp() * 1000)
    return {"content": content, "html": html, "source": "local", "cachedAt": now_ms}


@serves(wire.DOCS)
async def get_docs() -> str:
    """Return the page that shows /openapi.json."""
    return resources.template("docs.html").read_text("utf-8")


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
