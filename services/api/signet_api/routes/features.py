"""Feature flags of agent.yaml."""

from signet.wire import status as wire
from signet_api.deps import Shared
from signet_api.serving import serves


@serves(wire.FEATURES)
async def get_features(state: Shared) -> dict[str, bool]:
    """Return each flag of the `features` section; others of its values are left out."""
    return dict(state.settings.features)
