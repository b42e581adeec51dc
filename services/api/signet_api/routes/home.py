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
    """Return what has changed, as Markdown."""
    return await _text(ProductText.CHANGELOG)


@router.get("/api/roadmap")
async def get_roadmap() -> dict[str, object]:
    """Return what is planned, as Markdown; 404 for a version that came without."""
    return await _text(ProductText.ROADMAP)


@router.get("/api/readme")
async def get_readme() -> dict[str, object]:
    """Return what the product is, as Markdown."""
    return await _text(ProductText.README)


async def _text(name: ProductText) -> dict[str, object]:
    return {"content": await asyncio.to_thread(texts.content, name)}
