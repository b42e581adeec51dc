"""What is well and what is not, scored, with reasons."""

from fastapi import APIRouter

from signet.domain.diagnostics import report
from signet_api.deps import Shared

router = APIRouter(tags=["diagnostics"])


@router.get("/api/diagnostics")
async def get_diagnostics(state: Shared) -> dict[str, object]:
    """Return every domain with its score, and the weighted sum with reasons and the commands that help."""
    return (await state.reports.get(state.settings)).as_dict()


@router.get("/api/diagnostics/{domain}")
async def get_diagnostics_domain(domain: str, state: Shared) -> dict[str, object]:
    """Return one domain, or `composite`."""
    return report.part(await state.reports.get(state.settings), domain)
