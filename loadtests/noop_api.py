"""The API process with one more route, `/noop`: the floor that remember is compared with.

It is the same sort of route, reads the same body with the same model, looks at the same headers and answers as many
fields; only the work between is left out. The product knows nothing of it.
"""

import sys

from fastapi import FastAPI, Request
from starlette.types import ASGIApp

from signet.domain.memory.models import Remembered
from signet.wire.requests.memory import RememberBody
from signet_api import app, main
from signet_api.bodies import body_of
from signet_api.deps import State, actor_of, state_of
from signet_api.guard import Guard
from signet_api.routes import remember


async def post_noop(request: Request) -> dict[str, object]:
    """Answer like remember, having done nothing."""
    state = await state_of(request)
    await actor_of(request)
    await state.admission.save()
    body = await body_of(request, RememberBody)
    return remember.answer(
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


def create(state: State) -> ASGIApp:
    """Return the product's application with the route beside its own."""
    guard = _product(state)
    assert isinstance(guard, Guard) and isinstance(guard._app, FastAPI)
    guard._app.router.routes.insert(0, remember.SaveRoute("/noop", post_noop, methods=["POST"]))
    return guard


_product = app.create_app

if __name__ == "__main__":
    app.create_app = create
    sys.exit(main.main())
