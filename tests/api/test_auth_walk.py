"""Every route of the table, asked by everybody from everywhere, answers as the table and the roles say."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from signet.domain.auth.tokens import TokenScope
from signet.wire.access import Rule
from signet_api.permissions import TABLE
from support.http import Answer, Api, an_api
from support.tokens import a_token, bearer

#: What each role may do: written out once more, apart from the code.
READONLY = {"none", "recall"}
AGENT = READONLY | {"remember", "modify", "forget", "recover", "documents"}
OPERATOR = AGENT | {"connectors", "diagnostics", "analytics", "operator", "local", "speak"}
ROLES = {
    "readonly": READONLY,
    "agent": AGENT,
    "operator": OPERATOR,
    "admin": OPERATOR | {"admin", "programs"},
}
#: The limits are tested elsewhere; here they must not be met.
NO_LIMITS = "".join(
    f"    {name}: {{max: 100000}}\n"
    for name in ("forget", "modify", "batchForget", "forceDelete", "admin")
)


@dataclass(frozen=True, slots=True)
class Place:
    """A mode of the daemon and where the caller is."""

    mode: str
    peer: str = "127.0.0.1"
    host: str = "127.0.0.1:3850"
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def trusts(self) -> bool:
        """Return whether a caller without a token is let in here."""
        return self.mode == "hybrid" and self is PLACES["hybrid-here"]


PLACES = {
    "team": Place("team"),
    "hybrid-here": Place("hybrid"),
    "hybrid-remote": Place("hybrid", "192.0.2.7"),
    "hybrid-other-host": Place("hybrid", host="signet.example"),
    "hybrid-handed-on": Place("hybrid", headers=(("x-forwarded-for", "192.0.2.7"),)),
}
#: The other places differ from these only for callers without a token.
MODES = ("team", "hybrid-here", "hybrid-remote")


@pytest.fixture(params=PLACES, scope="module")
def placed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Place, Api]]:
    place = PLACES[request.param]
    settings = f"auth:\n  mode: {place.mode}\n  rateLimits:\n{NO_LIMITS}"
    folder = tmp_path_factory.mktemp("placed") / "agents"
    with an_api(folder, settings, bind="0.0.0.0", peer=place.peer) as api:
        # What would tell for ever ends at once.
        api.state.is_stopping = True
        yield place, api


def _ask(api: Api, route: tuple[str, str], place: Place, authorization: str | None) -> Answer:
    method, path = route
    filled = path.replace("{", "").replace("}", "")
    said = {"authorization": authorization} if authorization is not None else {}
    # Some decide as the user, which no program does that acts for an agent.
    own = {"host": place.host, "x-signet-actor-type": "operator"}
    return api.send(method, filled, headers={**own, **dict(place.headers), **said})


def _passed(answer: Answer) -> bool:
    is_limited = answer.status == 429 and answer.error == "rate limit exceeded"
    return answer.status not in (401, 403, 500) and not is_limited


def test_without_a_token_only_what_is_open_answers(placed: tuple[Place, Api]) -> None:
    place, api = placed
    for route, rule in TABLE.items():
        answer = _ask(api, route, place, None)
        if place.trusts and rule.permission in ("programs", "speak"):
            assert (answer.status, answer.body["code"]) == (403, "not_proven"), route
            continue
        if rule.is_open or place.trusts:
            assert _passed(answer), (route, answer.body)
            continue
        assert (answer.status, answer.body["code"]) == (401, "unauthenticated"), route
        assert answer.headers["www-authenticate"] == "Bearer"
    for said in ("Basic YTpi", "Bearer", "Bearer a b", "token", ""):
        answer = _ask(api, ("GET", "/api/status"), place, said)
        assert answer.status == (200 if place.trusts else 401), said


@pytest.mark.parametrize("placed", MODES, indirect=True)
def test_a_token_that_does_not_hold_is_refused_everywhere(placed: tuple[Place, Api]) -> None:
    place, api = placed
    good = a_token(api, "admin")
    payload, _, signature = good.partition(".")
    taken_back = a_token(api, "admin", jti="gone")
    api.run("INSERT INTO tokens (jti, revoked_at) VALUES ('gone', '2026-01-01T00:00:00.000Z')")
    bad = {
        "nonsense": "malformed token",
        f"{payload[:-1]}.{signature}": "invalid signature",
        a_token(api, "admin", secret=b"x" * 32): "invalid signature",
        a_token(api, "admin", age=timedelta(hours=2)): "token expired",
        taken_back: "token revoked",
    }
    routes = [*TABLE, ("GET", "/api/nothing"), ("PUT", "/api/status"), ("GET", "/nothing")]
    for token, error in bad.items():
        for route in routes:
            answer = _ask(api, route, place, f"bearer {token}")
            assert (answer.status, answer.error) == (401, error), route


@pytest.mark.parametrize("placed", MODES, indirect=True)
@pytest.mark.parametrize("role", ROLES)
def test_a_role_opens_the_routes_of_its_permissions(placed: tuple[Place, Api], role: str) -> None:
    place, api = placed
    token = f"Bearer {a_token(api, role)}"
    for route, rule in TABLE.items():
        answer = _ask(api, route, place, token)
        if rule.permission in ROLES[role]:
            # The value of a secret is shown to no role, whose holder may sit elsewhere.
            is_hidden = route == ("GET", "/api/secrets/{name}")
            assert _passed(answer) is not is_hidden, (route, answer.body)
            continue
        named = "operator" if rule.permission == "local" else rule.permission
        assert (answer.status, answer.error) == (
            403,
            f"role '{role}' lacks '{named}' permission",
        ), route


def _reaches(rule: Rule, dimension: str) -> bool:
    return ("agent" if dimension == "user" else dimension) in rule.within


@pytest.mark.parametrize("dimension", ["project", "agent", "user"])
@pytest.mark.parametrize("placed", ["hybrid-here"], indirect=True)
def test_a_scope_closes_routes_that_cannot_keep_to_it(
    placed: tuple[Place, Api], dimension: str
) -> None:
    place, api = placed
    scope = TokenScope(**{dimension: "elsewhere"})
    token = f"Bearer {a_token(api, 'operator', scope=scope)}"
    admin = f"Bearer {a_token(api, 'admin', scope=scope)}"
    for route, rule in TABLE.items():
        if route != ("GET", "/api/secrets/{name}"):
            assert _passed(_ask(api, route, place, admin)), route
        answer = _ask(api, route, place, token)
        if rule.permission in ("admin", "programs"):
            assert answer.error == f"role 'operator' lacks '{rule.permission}' permission"
        elif _reaches(rule, dimension):
            assert _passed(answer), (route, answer.body)
        else:
            said = f"scope restricted to {dimension} 'elsewhere'"
            assert (answer.status, answer.error) == (403, said), route


def test_in_local_mode_nobody_is_asked(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents") as api:
        api.state.is_stopping = True
        for said in (
            None,
            "Bearer nonsense",
            f"Bearer {a_token(api, 'readonly', secret=b'x' * 32)}",
        ):
            for route in TABLE:
                assert _passed(_ask(api, route, Place("local"), said)), route
        me = api.get("/api/auth/whoami", **bearer("nonsense")).body
        assert (me["authenticated"], me["claims"], me["mode"]) == (False, None, "local")
        assert not (api.state.workspace.daemon_dir / "auth-secret").exists()


def test_a_route_without_a_row_stops_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = {key: rule for key, rule in TABLE.items() if key != ("GET", "/api/status")}
    monkeypatch.setattr("signet_api.permissions.TABLE", left)
    with pytest.raises(LookupError, match="/api/status"), an_api(tmp_path / "agents"):
        pass
