"""Local mode: the owner is refused nothing, whatever token a request carries; and no route lacks a rule."""

import pytest

from identities.asked import Asked
from identities.conftest import Stores
from identities.identities import Identity
from identities.walk import Walk
from identities.world import GROUPS
from signet.wire import operations
from signet_api.access import TABLE


def test_the_owner_is_refused_nothing(stores: Stores, asked: Asked) -> None:
    owner = Identity("owner", token="Bearer nonsense")
    with stores.copy("local") as api:
        walk = Walk(api, owner, stores.world)
        for id in operations.BY_ID:
            [request] = asked.of(id, GROUPS[0], stores.world[GROUPS[0]], every=False)
            answer = walk.send(request)
            assert answer.status not in (401, 403, 500) or id == "exchange", (request, answer.body)
        walk.store.close()
        me = api.get("/api/auth/whoami", authorization="Bearer nonsense").body
        assert (me["authenticated"], me["claims"], me["mode"]) == (False, None, "local")


def test_a_route_without_a_rule_stops_the_start(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = {key: rule for key, rule in TABLE.items() if key != ("GET", "/api/status")}
    monkeypatch.setattr("signet_api.access.TABLE", left)
    with pytest.raises(LookupError, match="/api/status"), stores.copy("local"):
        pass
