"""The first page, the agent's identity, product texts, and the offline API description."""

import asyncio
import base64
import hashlib
from collections.abc import Awaitable
from datetime import datetime, time, tzinfo
from typing import Annotated, Any, cast

from fastapi import Header
from fastapi.responses import Response

from signet import clock, resources
from signet.db import ReadTx
from signet.domain.activity import usage
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.identity import files
from signet.domain.identity.files import ProductText, greeting
from signet.domain.memory import history, lookup
from signet.domain.memory.models import Rules
from signet.domain.sessions import every
from signet.domain.sessions.every import Wanted
from signet.domain.transcripts import stored
from signet.errors import NotFound
from signet.wire import config
from signet.wire import home as wire
from signet.wire import status as wire_status
from signet.wire.access import RECOVER
from signet.wire.memory import MemoryPage
from signet.wire.requests.browse import ListParams, PageParams
from signet.wire.requests.model import Flag, Text
from signet_api import dashboard
from signet_api.deps import Agent, Mine, Shared, Since, State, bound
from signet_api.routes import config as settings
from signet_api.routes import documents, embeddings, memories, pipeline, reviews, status
from signet_api.routes import predictor as learning
from signet_api.routes.sessions import Only
from signet_api.serving import serves

_WAITING = ListParams(limit=5)
_FORGOTTEN = PageParams(q="", state="forgotten", limit=1, stats=False, total=True)


@serves(wire.HOME)
async def get_home(
    agent: Agent, only: Only, state: Shared, since: Since, tz: Text = None, project: Text = None
) -> wire.Home:
    """Return pending reviews, and what was decided and changed since an instant, by default today in a time zone.

    `project` limits what changed.
    """
    zone = usage.zone(tz)
    wanted = Wanted(agent_id=only, project=bound(project))
    return await state.db.aread(_home, state, agent, wanted, since, zone)


def _home(
    tx: ReadTx, state: State, agent: str, wanted: Wanted, since: str | None, zone: tzinfo
) -> wire.Home:
    asked, now = caller.current(), clock.now()
    since = since or clock.to_text(datetime.combine(now.astimezone(zone), time.min, tzinfo=zone))
    reader = agents.reader(tx, agent)
    home: wire.Home = {
        "reviews": reviews.page(tx, agent, _WAITING),
        "projects": every.projects(tx, only=wanted.agent_id, reader=reader, now=now),
        "digest": every.digest(tx, wanted, reader=reader, since=since, now=now),
        "imported": history.imported(tx, since, reader=reader, project=wanted.project),
    }
    if asked.scope.project is None:
        home["kept"] = stored.count(tx, wanted.agent_id)
    if asked.may(RECOVER):
        # Only the count; the texts are in the list of forgotten memories.
        home["forgotten"] = {**_page(tx, state, agent, _FORGOTTEN), "memories": []}
    return home


def _page(tx: ReadTx, state: State, agent: str, asked: PageParams) -> MemoryPage:
    return memories.page(
        tx, agent, asked, memories.filter_of(asked), Rules.from_settings(state.settings)
    )


@serves(wire_status.OVERVIEW)
async def get_overview(state: Shared, mine: Mine) -> wire_status.FullStatus:
    """Return all that `signet status` shows, in one answer."""
    parts: dict[str, Awaitable[Any]] = {
        "memories": mine.read(lookup.stats),
        "pipeline": pipeline.stored(state, mine.agent),
        "vectors": embeddings.get_embedding_status(state),
        "backfill": documents.get_backfill(state.db),
        "predictor": learning.get_status(mine),
        "known": settings.get_harnesses(state),
    }
    first, *found = await asyncio.gather(status.status(state, status.ALL), *parts.values())
    return cast(wire_status.FullStatus, {**first, **dict(zip(parts, found, strict=True))})


@serves(config.IDENTITY)
async def get_identity(state: Shared) -> config.AgentIdentity:
    """Return name, creature and vibe from IDENTITY.md."""
    return await _identity(state)


async def _identity(state: State) -> config.AgentIdentity:
    raw = await asyncio.to_thread(files.read, state.workspace, "IDENTITY.md")
    return files.parse((raw or b"").decode("utf-8", "replace"))


@serves(wire.GREETING)
async def get_greeting() -> wire.Greeting:
    """Return the greeting of this hour, in the daemon's time zone."""
    now = clock.now()
    return {"greeting": greeting(now.astimezone()), "cachedAt": clock.to_text(now)}


@serves(wire.CHANGELOG)
async def get_changelog(html: Flag = True) -> wire.ProductPage:
    """Return this version's changelog as Markdown and HTML.

    `html=false` omits the HTML, which is slow to make.
    """
    return await _text(ProductText.CHANGELOG, html)


@serves(wire.ROADMAP)
async def get_roadmap(html: Flag = True) -> wire.ProductPage:
    """Return the roadmap, or a sentence if this version has none."""
    return await _text(ProductText.ROADMAP, html)


@serves(wire.README)
async def get_readme(html: Flag = True) -> wire.ProductPage:
    """Return the README as Markdown and HTML."""
    return await _text(ProductText.README, html)


async def _text(name: ProductText, has_html: bool) -> wire.ProductPage:
    """Return a text in the format of dashboards; nothing is fetched, so `source` is always `local`."""
    content = await asyncio.to_thread(files.content, name)
    now_ms = int(clock.now().timestamp() * 1000)
    page: wire.ProductPage = {"content": content, "source": "local", "cachedAt": now_ms}
    if has_html:
        page["html"] = await asyncio.to_thread(files.html, name)
    return page


@serves(wire.DOCS)
async def get_docs() -> Response:
    """Return the page that shows /openapi.json; only its own script runs."""
    page = resources.template("docs.html").read_bytes()
    script = hashlib.sha256(page.partition(b"<script>")[2].partition(b"</script>")[0]).digest()
    policy = dashboard.POLICY.replace(
        "script-src 'self'", f"script-src 'sha256-{base64.b64encode(script).decode()}'"
    ).replace("style-src 'self'", "style-src 'unsafe-inline'")
    return Response(page, headers={"content-security-policy": policy}, media_type="text/html")


Known = Annotated[str | None, Header(alias="if-none-match")]


@serves(wire.PAGE)
@serves(wire.CAPTURE)
async def get_page(known: Known = None) -> Response:
    """Return the page."""
    return dashboard.answer(dashboard.INDEX, known)


@serves(wire.ASSET)
async def get_asset(name: str, known: Known = None) -> Response:
    """Return a script, a style or an icon of the page."""
    try:
        return dashboard.answer(name, known)
    except KeyError:
        raise NotFound("Not found") from None
