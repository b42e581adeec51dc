"""The secrets that a server is given: read from the vault when it is started, and only then."""

from collections.abc import Mapping, Sequence

from signet.domain.marketplace import config as configs
from signet.domain.marketplace.models import Config
from signet.domain.secrets import use
from signet.domain.secrets.vault import Vault


def values(vault: Vault, config: Config, allowed: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the secrets that a config names.

    Raises NoSuchSecret, Forbidden (`secrets.execAllow`) and what reading the vault raises.
    """
    names = configs.references(config)
    use.check(configs.line_of(config), {name: name for name in names}, allowed)
    return {name: vault.value(name) for name in sorted(names)}
