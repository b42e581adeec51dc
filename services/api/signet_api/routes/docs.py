"""The description of this interface, as a page that works offline."""

from signet import resources
from signet.wire import home as wire
from signet_api.serving import serves


@serves(wire.DOCS)
async def get_docs() -> str:
    """Return the page that shows /openapi.json."""
    return resources.template("docs.html").read_text("utf-8")
