"""Whatever is sent to the routes that write memories: an answer or a clear refusal, never 500."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.http import Api, an_api

#: One app for the whole file.
NAMES = (
    "content reason if_version type tags importance pinned who patches id ids query limit mode force confirm_token"
    " since until source_type scope agentId sessionKey changed_by supersedes entities aspects structured hints"
    " harness idempotencyKey visibility createdAt eventAt ordinal transcript sourceId project"
).split()
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(
        ["the id", "execute", "x", "critical:", "2026-01-01", "default", "\0", "[a]:"]
    )
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=8,
)
BODIES = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=8)
#: So that some of them get past the first check.
LIKELY = st.fixed_dictionaries(
    {"content": st.text(max_size=30) | st.just("A gate."), "reason": st.just("x")},
    optional={
        "harness": st.just("codex"),
        "query": st.text(max_size=20),
        "mode": st.just("execute"),
    },
)
ROUTES = st.sampled_from(
    [
        ("POST", "/api/memory/remember"),
        ("POST", "/api/hooks/remember"),
        ("PATCH", "/api/memory/{id}"),
        ("DELETE", "/api/memory/{id}"),
        ("POST", "/api/memory/{id}/recover"),
        ("POST", "/api/memory/modify"),
        ("POST", "/api/memory/forget"),
    ]
)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with an_api(tmp_path_factory.mktemp("hostile") / "agents") as api:
        yield api


@given(route=ROUTES, odd=BODIES, likely=LIKELY, alone=st.booleans())
@settings(max_examples=300, deadline=None)
def test_no_body_makes_a_route_fail(
    opened: Api,
    route: tuple[str, str],
    odd: dict[str, object],
    likely: dict[str, object],
    alone: bool,
) -> None:
    memory_id = opened.post("/api/memory/remember", {"content": "The gate."}).body["id"]
    method, path = route
    body = odd if alone else likely | odd
    sent = json.dumps(body).replace('"the id"', json.dumps(memory_id)).encode()
    answer = opened.send(method, path.format(id=memory_id), sent)
    assert answer.status in (200, 400, 403, 404, 409), answer.body
    assert answer.status == 200 or answer.error
