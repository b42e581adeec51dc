"""The description of this interface, as a page that works offline."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from signet import resources

router = APIRouter()


@router.get("/docs", include_in_schema=False)
async def get_docs() -> HTMLResponse:
    """Return the page that shows /openapi.json."""
    return HTMLResponse(resources.template("docs.html").read_text("utf-8"))
