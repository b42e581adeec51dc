"""Route modules; importing this package imports all of them and completes `ROUTER`."""

import pkgutil
from importlib import import_module

from signet_api.serving import ROUTER, literal

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)

# The first match wins, so fixed paths come before parameters.
ROUTER.routes.sort(key=lambda route: literal(getattr(route, "path", "")), reverse=True)

__all__ = ["ROUTER"]
