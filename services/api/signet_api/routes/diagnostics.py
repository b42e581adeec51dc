"""Health scores with reasons."""

from signet.domain.diagnostics import report
from signet.wire import diagnostics as wire
from signet_api.deps import Shared
from signet_api.serving import serves


@serves(wire.DIAGNOSTICS)
async def get_diagnostics(state: Shared) -> wire.Diagnoses:
    """Return every domain's score, and the weighted total with reasons and commands."""
    return (await state.reports.get(state.settings)).as_dict()


@serves(wire.DIAGNOSIS)
async def get_diagnostics_domain(domain: str, state: Shared) -> wire.Diagnosis:
    """Return one domain, or `composite`."""
    return report.part(await state.reports.get(state.settings), domain)
