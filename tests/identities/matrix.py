"""Every operation and tool, asked by an identity for rows of others, in one mode."""

from collections.abc import Iterator

from identities.asked import Asked, Request, tools
from identities.conftest import Stores
from identities.identities import Identity
from identities.walk import Walk
from identities.world import GROUPS
from signet.wire import operations
from signet.wire.operation import Operation


def check_known(
    stores: Stores, asked: Asked, identity: Identity, mode: str, *, every: bool
) -> None:
    """Let a known caller ask for rows of others: it is refused, or sees and changes nothing of theirs."""
    with stores.copy(mode) as api:
        walk = Walk(api, identity, stores.world)
        faults = list(walk.faults(_requests(stores, asked, identity, every=every)))
        walk.store.close()
        in_log = walk.texts_in_log()
    assert faults == [], f"{len(faults)} faults"
    assert in_log == []


def check_stranger(stores: Stores, asked: Asked, identity: Identity, mode: str) -> None:
    """Let a stranger ask: every operation but the open ones gives the reason for the refusal."""
    with stores.copy(mode) as api:
        walk = Walk(api, identity, stores.world)
        group = GROUPS[0]
        for id, operation in operations.BY_ID.items():
            [request] = asked.of(id, group, stores.world[group], every=False)
            answer = walk.send(request)
            is_page = "sec-fetch-site" in identity.headers
            if operation.rule.is_open and not (
                identity.role or is_page or "Bearer" in identity.token.title()
            ):
                assert answer.status < 500, request
                continue
            assert identity.error in answer.error, (request, answer.body)
            assert answer.status == (403 if is_page else 401), request
            if not is_page:
                assert answer.headers["www-authenticate"] == "Bearer"
        for request in tools(group, stores.world[group]):
            answer = walk.send(request)
            assert "zx" not in str(answer.body), request
            assert identity.error in str(answer.body), (request, answer.body)
        assert list(walk.store.changes()) == []
        walk.store.close()


def order(item: tuple[str, Operation[object]]) -> tuple[bool, bool, bool, bool]:
    """Return the place of an operation: lists before IDs are sent, reads before changes, deletions last."""
    id, one = item
    is_list = "{" not in one.path
    ends = one.method == "DELETE" or id in ("end_session", "end_turn")
    return one.method != "GET", ends, not is_list, id != "sessions"


def _requests(
    stores: Stores, asked: Asked, identity: Identity, *, every: bool
) -> Iterator[Request]:
    groups = identity.groups()
    for id, operation in sorted(operations.BY_ID.items(), key=order):
        is_refused = bool(identity.refusal(operation.rule))
        for group in groups[: 1 if is_refused else None]:
            yield from asked.of(id, group, stores.world[group], every=every and not is_refused)
    for group in groups:
        yield from tools(group, stores.world[group])
