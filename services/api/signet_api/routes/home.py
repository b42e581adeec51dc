"""The first page, the agent's identity, product texts, and the offline API description."""

import asyncio
from datetime import date, datetime, timedelta, tzinfo
from typing import Annotated

from fastapi import Header
from fastapi.responses import Response

from signet import clock, resources
from signet.db import ReadTx
from signet.domain.activity import usage
from signet.domain.auth import caller
from signet.domain.identity import files
from signet.domain.identity.files import ProductText, greeting
from signet.domain.memory.models import Rules
from signet.domain.sessions import running
from signet.domain.transcripts import stored
from signet.errors import NotFound
from signet.observe import latency
from signet.queue import Status, pauses, stats
from signet.wire import config
from signet.wire import home as wire
from signet.wire.access import ANALYTICS, DIAGNOSTICS, RECOVER
from signet.wire.memory import MemoryPage
from signet.wire.requests.browse import ForgottenParams, PageParams
from signet.wire.requests.model import Flag, Text
from signet_api import dashboard
from signet_api.deps import Agent, Shared, State
from signet_api.routes import memories, reviews
from signet_api.routes.sessions import Only
from signet_api.serving import serves

_WAITING = ForgottenParams(limit=5)
_FORGOTTEN = PageParams(q="", state="forgotten", limit=1, stats=False, total=True)
_YEAR_AGO = PageParams(q="", state="active", sort="importance", limit=3, stats=False, total=True)
#: Daily counts, and the number of days.
_COUNTED, _DAYS = ("added", "prompts", "told_tokens"), 35


@serves(wire.HOME)
async def get_home(agent: Agent, only: Only, state: Shared, tz: Text = None) -> wire.Home:
    """Return identity, active sessions, pending reviews, last forgotten memories, and background work.

    Days follow the time zone `tz`, else this machine's.
    """
    zone = usage.zone(tz)
    name = (await _identity(state))["name"]
    return await state.db.aread(_home, state, agent, only, name, zone)


def _home(
    tx: ReadTx,
    state: State,
    agent: str,
    only: str | None,
    name: str,
    zone: tzinfo,
) -> wire.Home:
    asked, now = caller.current(), clock.now()
    found = running.find(tx, agent_id=only, project=asked.scope.project, now=now)
    home: wire.Home = {
        "agent": name,
        "sessions": {"sessions": found, "count": len(found)},
        "reviews": reviews.page(tx, agent, _WAITING),
        "year_ago": _page(tx, state, agent, _year_ago(now, zone)),
    }
    if asked.scope.project is None:
        home["kept"] = stored.count(tx, only)
    if asked.may(RECOVER):
        # Only the count; the texts are in the list of forgotten memories.
        home["forgotten"] = {**_page(tx, state, agent, _FORGOTTEN), "memories": []}
    if asked.may(DIAGNOSTICS):
        # This process answers every question.
        jobs, recalls = stats.totals(tx), latency.of_process(latency.TimedOperation.RECALL)
        home["work"] = {
            "waiting": jobs[Status.PENDING],
            "running": jobs[Status.LEASED],
            "paused": pauses.is_paused(tx),
            "questions": int(recalls["count"]),
            "p95": recalls["p95"],
        }
    if asked.may(ANALYTICS):
        home["days"] = usage.series_of(tx, _COUNTED, step="day", count=_DAYS, tz=zone, now=now)
    return home


def _page(tx: ReadTx, state: State, agent: str, asked: PageParams) -> MemoryPage:
    return memories.page(tx, agent, asked, memories.filter_of(asked), Rules.of(state.settings))


def _year_ago(now: datetime, zone: tzinfo) -> PageParams:
    """Return the same date a year ago; 28 February on a leap day."""
    today = now.astimezone(zone).date()
    day = min(today.day, 28) if today.month == 2 else today.day
    first = date(today.year - 1, today.month, day)
    begins, ends = (
        datetime(one.year, one.month, one.day, tzinfo=zone).isoformat()
        for one in (first, first + timedelta(days=1))
    )
    return _YEAR_AGO.model_copy(update={"since": begins, "until": ends})


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
async def get_docs() -> str:
    """Return the page that shows /openapi.json."""
    return resources.template("docs.html").read_text("utf-8")


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
