"""Finds files that ship with the product: migrations, deploy files, templates.

The installed package is looked at first, then the checkout (an editable install keeps the real folders there).
"""

from pathlib import Path

import signet

_PACKAGE = Path(signet.__file__).parent


def _find(packaged: str, checkout: str) -> Path:
    inside = _PACKAGE / packaged
    return inside if inside.is_dir() else _PACKAGE.parent.parent / checkout


def alembic_dir() -> Path:
    """Return the folder that holds `env.py` and `versions/`."""
    return _find("_alembic", "alembic")


def deploy_dir() -> Path:
    """Return the folder that holds the supervisor configuration and service units."""
    return _find("_deploy", "deploy")


def product_text(name: str) -> Path:
    """Return a text about the product, such as CHANGELOG.md; it need not have come with it."""
    inside = _PACKAGE / "_texts" / name
    return inside if inside.exists() else _PACKAGE.parent.parent / name


def template(name: str) -> Path:
    """Return a file of `signet/templates`."""
    return _PACKAGE / "templates" / name
