"""What tests of the graph share with those of other folders."""

from api.conftest import api
from recall.conftest import db
from store.conftest import tx
from worker.conftest import home, script, server

__all__ = ["api", "db", "home", "script", "server", "tx"]
