"""Settings from agent.yaml and the environment, read once and passed down; the tree is `sections.Settings`.

Names are imported on first use, so that a hook or `signet-mcp`, which needs only the daemon's address, does not load
the whole tree.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from signet.config.bind import check_start
    from signet.config.env import Environment, ListenAddress, read_environment
    from signet.config.loading import (
        Loaded,
        as_public_dict,
        check,
        fingerprint,
        load,
        restart_required,
        settings_from,
        with_secrets,
    )
    from signet.config.manifest import ManifestError, set_value
    from signet.config.place import has_memory
    from signet.config.sections import Settings

__all__ = [
    "Environment",
    "ListenAddress",
    "Loaded",
    "ManifestError",
    "Settings",
    "as_public_dict",
    "check",
    "check_start",
    "fingerprint",
    "has_memory",
    "load",
    "read_environment",
    "restart_required",
    "set_value",
    "settings_from",
    "with_secrets",
]

_HOMES = {
    "ListenAddress": "env",
    "Environment": "env",
    "read_environment": "env",
    "check_start": "bind",
    "has_memory": "place",
    "ManifestError": "manifest",
    "set_value": "manifest",
    "Settings": "sections",
}


def __getattr__(name: str) -> object:
    """Import the module of a name; unlisted names are in `loading`."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'loading')}"), name)
