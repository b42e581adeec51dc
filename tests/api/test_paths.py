"""Paths that are found directly: a request comes to the route that the framework itself would have found."""

import asyncio
from collections.abc import Iterable
from functools import cache

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.datastructures import MutableHeaders
from starlette.routing import Router
from starlette.types import Message, Receive, Scope, Send

from signet_api import segments
from signet_api.routes import ROUTER
from signet_api.serving import Direct

METHODS = ("GET", "HEAD", "POST", "PATCH", "OPTIONS")
FIXED = sorted(
    {route.path for route in ROUTER.routes if isinstance(route, APIRoute) and "{" not in route.path}
)

#: Status, headers, the function that is reached and its parameters.
Fate = tuple[int, dict[str, str], object, object]


async def fate(router: Router, method: str, path: str) -> Fate:
    """Return what becomes of a request with this path as it is sent."""
    scope: Scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"here")],
    }
    segments.keep(scope)
    told: list[Message] = []

    async def send(message: Message) -> None:
        told.append(message)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    await router(scope, receive, send)
    headers = dict(MutableHeaders(raw=told[0]["headers"]))
    return told[0]["status"], headers, scope.get("endpoint"), scope.get("path_params")


@cache
def routers() -> tuple[Router, Router]:
    """Return the framework's own router and the one that finds fixed paths directly."""
    segments.install()
    app = FastAPI(openapi_url=None)
    app.include_router(ROUTER)
    known = app.router.routes
    return Router(routes=known), Router(routes=[Direct(ROUTER.routes), *known])


def fates(requests: Iterable[tuple[str, str]], *, directly: bool) -> dict[tuple[str, str], Fate]:
    """Return what becomes of requests, by method and path."""
    whole = routers()[directly]

    async def all_of_them() -> dict[tuple[str, str], Fate]:
        return {one: await fate(whole, *one) for one in requests}

    return asyncio.run(all_of_them())


@pytest.fixture(autouse=True)
def _routes_that_only_say_who_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    async def say(self: APIRoute, scope: Scope, receive: Receive, send: Send) -> None:
        methods = self.methods or set()
        status = 200 if scope["method"] in methods else 405
        headers = [(b"route", self.path.encode()), (b"allow", " ".join(methods).encode())]
        assert scope["route"] is self
        await send({"type": "http.response.start", "status": status, "headers": headers})

    monkeypatch.setattr(APIRoute, "handle", say)


@pytest.mark.parametrize(
    "form",
    ["{}", "{}/", "{}%2F", "/{}"],
    ids=["as it is", "slash at the end", "encoded slash", "two slashes"],
)
def test_every_fixed_path_leads_where_the_framework_leads(form: str) -> None:
    # Of another path, a method that many of them have and one that few have.
    methods = METHODS if form == "{}" else ("GET", "PATCH")
    requests = [(method, form.format(path)) for path in FIXED for method in methods]
    assert fates(requests, directly=True) == fates(requests, directly=False)


def test_an_encoded_slash_is_not_the_one_between_two_parts() -> None:
    requests = [("GET", "%2F".join(path.rsplit("/", 1))) for path in FIXED if path.count("/") > 1]
    assert fates(requests, directly=True) == fates(requests, directly=False)


def test_every_fixed_path_is_reached() -> None:
    own = {
        (method, route.path)
        for route in ROUTER.routes
        if isinstance(route, APIRoute) and route.path in FIXED
        for method in route.methods or ()
    }
    for (_, path), (status, headers, *_) in fates(sorted(own), directly=True).items():
        assert (status, headers["route"]) == (200, path)
