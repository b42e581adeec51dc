"""Find files shipped with the product: migrations, deploy files, templates.

Searches the installed package first, then the checkout of an editable install.
"""

from pathlib import Path
from typing import Any

import signet

_PACKAGE = Path(signet.__file__).parent


def _find(packaged: str, checkout: str) -> Path:
    inside = _PACKAGE / packaged
    return inside if inside.is_dir() else _PACKAGE.parent.parent / checkout


def alembic_dir() -> Path:
    """Return the folder of `env.py` and `versions/`."""
    return _find("_alembic", "alembic")


def deploy_dir() -> Path:
    """Return the folder of the supervisor configuration and service units."""
    return _find("_deploy", "deploy")


def product_text(name: str) -> Path:
    """Return the path of a text about the product, such as CHANGELOG.md, which may not exist."""
    inside = _PACKAGE / "_texts" / name
    return inside if inside.exists() else _PACKAGE.parent.parent / name


def table(module: str) -> dict[str, Any]:
    """Return the words and patterns in the TOML file next to a module's file."""
    import tomllib

    return tomllib.loads(Path(module).with_suffix(".toml").read_text("utf-8"))


def expressions(module: str) -> dict[str, Any]:
    """Return the table of a module with the lines of each text joined, and `{NAME}` replaced by the entry `name`.

    Lists in `words` are unchanged.
    """
    import re

    found: dict[str, Any] = {}

    def joined(value: Any) -> Any:
        if isinstance(value, str):
            whole = "".join(value.splitlines())
            return re.sub(r"\{([A-Z_]+)\}", lambda name: found[name[1].lower()], whole)
        if isinstance(value, dict):
            return {name: joined(one) for name, one in value.items()}
        return [joined(one) for one in value] if isinstance(value, list) else value

    for name, value in table(module).items():
        found[name] = value if name == "words" else joined(value)
    return found


def template(name: str) -> Path:
    return _PACKAGE / "templates" / name
