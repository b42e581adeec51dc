"""The product's own texts: a greeting, what has changed, and the description of this interface that works offline."""

import asyncio

from signet import clock, resources
from signet.domain.identity import texts
from signet.domain.identity.greeting import greeting
from signet.domain.identity.texts import ProductText
from signet.wire import home as wire
from signet_api.serving import serves


@serves(wire.GREETING)
async def get_greeting() -> wire.Greeting:
    """Return the greeting of this hour, in the daemon's time zone."""
    now = clock.now()
    return {"greeting": greeting(now.astimezone()), "cachedAt": clock.to_text(now)}


@serves(wire.CHANGELOG)
async def get_changelog() -> wire.ProductPage:
    """Return what has changed: the text that came with this version, as Markdown and as HTML."""
    return await _text(ProductText.CHANGELOG)


@serves(wire.ROADMAP)
async def get_roadmap() -> wire.ProductPage:
    """Return what is planned, and a sentence where this version came without a plan."""
    return await _text(ProductText.ROADMAP)


@serves(wire.README)
async def get_readme() -> wire.ProductPage:
    """Return what the product is, as Markdown and as HTML."""
    return await _text(ProductText.README)


async def _text(name: ProductText) -> wire.ProductPage:
    """Return a text in the shape that dashboards read; nothing is fetched, so that `source` is always `local`."""
    content, html = await asyncio.to_thread(texts.rendered, name)
    now_ms = int(clock.now().timestamp() * 1000)
    return {"content": content, "html": html, "source": "local", "cachedAt": now_ms}


@serves(wire.DOCS)
async def get_docs() -> str:
    """Return the page that shows /openapi.json."""
    return resources.template("docs.html").read_text("utf-8")
