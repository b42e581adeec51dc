"""Feature flags of agent.yaml."""

from fastapi import APIRouter

from signet_api.deps import Shared

router = APIRouter(tags=["status"])


@router.get("/api/features")
async def get_features(state: Shared) -> dict[str, bool]:
    """Return each flag of the `features` section; others of its values are left out."""
    return dict(state.settings.features)
