"""`signet-mcp` with a token in its environment acts with the rights of that token."""

import json

from identities.conftest import Stores
from identities.identities import KNOWN
from identities.world import GROUPS
from mcp_server.test_stdio import call, talk
from support.http import served


def test_tools_show_and_change_rows_of_the_token_only(stores: Stores) -> None:
    [bob] = [one for one in GROUPS if (one.owner, one.place) == ("bob", "garden")]
    foreign = stores.world[bob]["memory"]
    with served(stores.workspace("hybrid")) as server:
        before = server.get(f"/api/memory/{foreign}?agent_id=bob").body
        for name in ("alice", "ines"):
            [identity] = [one for one in KNOWN if one.name == name]
            scope = {"role": identity.role, "scope": identity.scope.body()}
            token = server.post("/api/auth/token", scope).body["token"]
            found, listed, *refused = talk(
                server.port,
                call(1, "memory_search", query="crane", limit=50),
                call(2, "memory_list"),
                call(3, "memory_get", id=foreign),
                call(4, "memory_modify", id=foreign, content="Mine.", reason="x"),
                call(5, "memory_forget", id=foreign, reason="x"),
                call(6, "session_bypass", session_key=bob.key, enabled=True),
                call(7, "secret_list"),
                call(8, "secret_exec", command="true", secrets={"A": "KEY"}),
                SIGNET_TOKEN=token,
            )
            for shown in (found, listed):
                assert f"zxp{name}garden" in json.dumps(shown), name
            assert all(one["result"]["isError"] for one in refused), refused
            text = json.dumps([found, listed, refused])
            assert [mark for mark in identity.hidden() if mark in text] == []
        assert server.get(f"/api/memory/{foreign}?agent_id=bob").body == before
        assert not [line for line in server.printed if bob.secret in line]
