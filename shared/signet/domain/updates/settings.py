"""Changing how updates are looked for: checked, then written to agent.yaml."""

from collections.abc import Mapping

from signet import config
from signet.config import manifest
from signet.config.manifest import Value
from signet.config.sections import Updates
from signet.errors import Invalid
from signet.paths import Workspace

LEAST_SECONDS, MOST_SECONDS = 300, 604_800
_TRUTH = {"true": True, "false": False}


def change(workspace: Workspace, wished: Mapping[str, object]) -> Updates:
    """Write what is wished and return the settings as they then are; raises Invalid, with nothing written."""
    checked = {key: _checked(key, value) for key, value in wished.items()}
    manifest.set_values(workspace, {f"updates.{key}": value for key, value in checked.items()})
    return config.load(workspace).settings.updates


def _checked(key: str, value: object) -> Value:
    if key == "check_interval":
        return _seconds(value)
    said = _TRUTH.get(value.strip().lower()) if isinstance(value, str) else value
    if not isinstance(said, bool):
        name = {"auto_install": "autoInstall", "auto_check": "autoCheck"}[key]
        raise Invalid(f"{name} must be true or false", success=False)
    return said


def _seconds(value: object) -> int:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value.strip()[:12])
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or not LEAST_SECONDS <= int(str(value)) <= MOST_SECONDS:
        raise Invalid(
            f"checkInterval must be between {LEAST_SECONDS} and {MOST_SECONDS} seconds",
            success=False,
        )
    return int(str(value))
