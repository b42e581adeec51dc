"""The first page: a greeting, and the product's own texts."""

import asyncio

from fastapi import APIRouter

from signet import clock
from signet.domain.identity import texts
from signet.domain.identity.greeting import greeting
from signet.domain.identity.texts import ProductText

router = APIRouter(tags=["home"])


@router.get("/api/home/greeting")
async def get_greeting() -> dict[str, object]:
    """Return the greeting of this hour, in the daemon's time zone."""
    now = clock.now()
    return {"greeting": greeting(now.astimezone()), "cachedAt": clock.to_text(now)}


@router.get("/api/changelog")
async def get_changelog() -> dict[str, object]:
    """Return what has changed: the text that came with this version, as Markdown and as HTML."""
    return await _text(ProductText.CHANGELOG)


@router.get("/api/roadmap")
async def get_roadmap() -> dict[str, object]:
    """Return what is planned, and a sentence where this version came without a plan."""
    return await _text(ProductText.ROADMAP)


@router.get("/api/readme")
async def get_readme() -> dict[str, object]:
    """Return what the product is, as Markdown and as HTML."""
    return await _text(ProductText.README)


async def _text(name: ProductText) -> dict[str, object]:
    """Return a text in the shape that dashboards read; nothing is fetched, so that `source` is always `local`."""
    content, html = await asyncio.to_thread(texts.rendered, name)
    now_ms = int(clock.now().timestamp() * 1000)
    return {"content": content, "html": html, "source": "local", "cachedAt": now_ms}
