"""The dashboard's files, served in every mode; the page's own requests need a token."""

from typing import Annotated

from fastapi import Header
from fastapi.responses import Response

from signet.errors import NotFound
from signet.wire import home as wire
from signet_api import dashboard
from signet_api.serving import serves

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
