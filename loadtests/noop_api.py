"""The API process with an additional route `/noop`: the floor for remember.

The route reads the same body with the same model, checks the same headers and returns as many fields, but does no
work. The product does not contain it.
"""

import sys

from fastapi import FastAPI, Response
from fastapi.routing import APIRoute
from starlette.types import ASGIApp

from signet.domain.memory.models import Remembered
from signet.wire.memory import REMEMBER
from signet.wire.requests.memory import RememberBody
from signet_api import app, main
from signet_api.access import Access
from signet_api.deps import State, Who
from signet_api.guard import Guard
from signet_api.routes import remember
from signet_api.serving import respond


async def post_noop(state: remember.Admitted, actor: Who, body: RememberBody) -> Response:
    """Answer like remember, without doing anything."""
    done = remember.answer(
        Remembered(
            id="00000000-0000-0000-0000-000000000000",
            type="fact",
            tags=(),
            pinned=False,
            importance=0.8,
            content=body.content,
            deduped=False,
        )
    )
    return respond(done, REMEMBER)


def create(state: State) -> ASGIApp:
    """Return the product's application with the additional route."""
    guard = _product(state)
    assert isinstance(guard, Guard) and isinstance(guard._app, Access)
    routes = guard._app._app
    assert isinstance(routes, FastAPI)
    routes.router.routes.insert(0, APIRoute("/noop", post_noop, methods=["POST"]))
    return guard


_product = app.create_app

if __name__ == "__main__":
    app.create_app = create
    sys.exit(main.main())
