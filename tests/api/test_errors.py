"""Odd bodies and unexpected failures: every refusal has the one form, and nothing odd is stored."""

import json

import pytest

from signet.errors import Kind
from signet_api import errors
from support.http import Api

REMEMBER = "/api/memory/remember"
#: Half of a surrogate pair, as JSON can say it.
HALF = "\\ud83d"


@pytest.mark.parametrize("path", [REMEMBER, "/api/memory/recall", "/api/documents"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"null",
        b"[]",
        b"5",
        b'"text"',
        b"{",
        b'{"content": "a",}',
        b"{'content': 'a'}",
        b'{"content": "a"} {}',
        b'{"content": "\xff"}',
        '{"content": "a"}'.encode("utf-16"),
        b'{"importance": NaN}',
        b'{"importance": -Infinity}',
        b'{"importance": 1e999}',
        b'{"ordinal": ' + b"9" * 5_000 + b"}",
        b"[" * 100_000,
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
        b"content=a&importance=1",
    ],
    ids=lambda body: repr(body[:24]),
)
def test_what_is_no_json_object_is_refused_in_the_documented_words(
    api: Api, path: str, body: bytes
) -> None:
    refused = api.post(path, body)
    assert (refused.status, refused.error) == (400, "Invalid JSON body")


@pytest.mark.parametrize(
    "field",
    [
        *("content", "type", "who", "project", "sourceType", "sourceId", "agentId", "sessionKey"),
        *("scope", "harness", "idempotencyKey", "tags", "transcript"),
    ],
)
def test_half_a_surrogate_pair_becomes_a_replacement_character(api: Api, field: str) -> None:
    api.add_agent()
    others = {"content": "Bees fly.", "sourceType": "mail", "sourceId": "1"}
    body = json.dumps(others | {field: "x"}).replace('"x"', f'"bees {HALF} \\ud83d\\ude00"')
    assert api.post(REMEMBER, body.encode()).status == 200
    stored = str([api.rows(table) for table in ("memories", "session_transcripts")])
    assert ("bees \ufffd \U0001f600" in stored) is (field != "harness")
    assert api.get("/api/memories").status == 200


def test_half_a_pair_is_replaced_in_names_and_lists_and_not_where_it_is_no_escape(api: Api) -> None:
    body = (
        '{"source_type": "text", "content": "A page.", "metadata":'
        f' {{"a{HALF}": ["{HALF}", "\\\\ud83d"]}}}}'
    )
    made = api.post("/api/documents", body.encode())
    shown = api.get(f"/api/documents/{made.body['id']}").body["metadata"]
    assert shown == {"a\ufffd": ["\ufffd", "\\ud83d"]}


@pytest.mark.parametrize("field", ["keywordQuery", "type", "tags", "who", "project", "scope"])
def test_recall_reads_half_a_surrogate_pair_in_any_field(api: Api, field: str) -> None:
    body = f'{{"query": "bees {HALF}", "{field}": "{HALF}", "agentId": "{HALF}"}}'
    answer = api.post("/api/memory/recall", body.encode())
    assert (answer.status, answer.body["query"]) == (200, "bees \ufffd")


def test_a_byte_order_mark_is_no_obstacle(api: Api) -> None:
    assert api.post(REMEMBER, b'\xef\xbb\xbf{"content": "Bees fly."}').status == 200


def test_a_failure_nobody_foresaw_is_answered_without_its_words_and_logged_once(api: Api) -> None:
    api.run("DROP TABLE memory_history")
    failed = api.post(REMEMBER, {"content": "Bees fly."})
    assert (failed.status, failed.error) == (500, "Internal server error")
    assert "memory_history" not in json.dumps(failed.body)
    assert failed.headers["x-content-type-options"] == "nosniff"
    (line,) = [line for line in api.logged if line["log_level"] == "error"]
    assert (line["event"], line["path"]) == ("request.failed", REMEMBER)
    assert "memory_history" in str(line["exc_info"])
    assert api.rows("memories") == api.rows("memory_jobs") == []


def test_a_damaged_number_leaves_the_answer_of_a_save_readable(api: Api) -> None:
    api.post(REMEMBER, {"content": "Bees fly."})
    api.run("UPDATE memories SET importance = 9e999")
    again = api.post(REMEMBER, {"content": "Bees fly."})
    assert (again.status, again.body["importance"]) == (200, None)


def test_each_kind_of_error_has_its_status() -> None:
    assert set(errors.STATUS) == set(Kind)


def test_every_answer_carries_an_id_that_the_caller_may_choose(api: Api) -> None:
    first, second = api.get("/health").headers, api.get("/api/nothing").headers
    assert first["x-signet-request-id"] != second["x-signet-request-id"]
    named = api.get("/health", x_signet_request_id="mine").headers
    assert named["x-signet-request-id"] == "mine"


def test_agents_and_actors_may_have_names_of_any_script(api: Api) -> None:
    api.add_agent()
    mine = {"X-Signet-Agent-Id": "Аня".encode(), "X-Signet-Actor": "Zoë 🚀".encode()}
    sent = api.send("POST", REMEMBER, b'{"content": "The gate is open."}', mine)  # type: ignore[arg-type]  # sent as it is
    assert [row["agent_id"] for row in api.rows("memories")] == ["Аня"]
    assert api.rows("memory_history")[0]["changed_by"] == "Zoë 🚀"
    assert api.get(f"/api/memory/{sent.body['id']}?agent_id=Аня").status == 200
    latin = {"X-Signet-Actor": "Zoë".encode("latin-1")}
    api.send("POST", REMEMBER, b'{"content": "The gate is shut."}', latin)  # type: ignore[arg-type]  # sent as it is
    assert api.rows("memory_history")[1]["changed_by"] == "Zoë"
