"""Try the text model that the settings name, with the key from the vault."""

from signet import config
from signet.config import Environment, Settings
from signet.domain.secrets.vault import Vault
from signet.paths import Workspace
from signet.providers import registry
from signet.providers.registry import Resolution
from signet.providers.trial import Trial, tried


def trial_of(
    workspace: Workspace, settings: Settings, environment: Environment
) -> tuple[Resolution, Trial | None]:
    """Return the text provider in use, and for a server the outcome of one request."""
    keyed, _ = config.with_secrets(settings, Vault(workspace.vault).find)
    wanted = registry.text_settings(keyed, environment)
    found = registry.resolve(wanted, lambda model: model.available())
    if found.model is None or found.effective not in registry.SERVERS:
        return found, None
    return found, tried(found.model)
