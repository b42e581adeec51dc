"""A thousand questions that nobody sane would ask, to the real process: an answer or a clear refusal, never 500."""

import json
import random
from collections.abc import Iterator

from support.http import Served

#: One process for the whole file.
RECALL = "/api/memory/recall"

#: Words of many scripts, of query languages and of none; questions are drawn from them.
PIECES = [
    *(
        "AND",
        "OR",
        "NOT",
        "NEAR(a b, 5)",
        "NEAR",
        '"',
        '""',
        "'",
        "*",
        "^",
        "a*",
        "-a",
        "+a",
        "(",
        ")",
    ),
    *(
        "{a}:",
        "content:",
        "rowid:",
        "a:b",
        "memories_fts",
        "col : x",
        "{",
        "}",
        "\\",
        "/",
        "%",
        "_",
        ";",
    ),
    *(
        "'; DROP TABLE memories; --",
        "1 OR 1=1",
        "UNION SELECT * FROM sqlite_master",
        "x' AND '1'='1",
    ),
    *(
        "\0",
        "\x01",
        "\x7f",
        "\u200b",
        "\u202e",
        "\ufeff",
        "\uffff",
        "\U0010ffff",
        "\r\n",
        "\t",
        "\u2028",
    ),
    *(
        "\ud800",
        "\udfff",
        "\ud83d",
        "\U0001f600",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "e\u0301",
    ),
    *(
        "привет",
        "你好",
        "こんにちは",
        "안녕하세요",
        "مرحبا",
        "שלום",
        "नमस्ते",
        "สวัสดี",
        "γειά",
        "ბარი",
    ),
    *(
        "İstanbul",
        "straße",
        "ﬁn",
        "Ǆ",
        "٣",
        "½",
        "Ⅷ",
        "𝔉𝔯𝔞𝔨",
        "who am I",
        "the",
        "I",
        "a",
        "0",
        "-1",
    ),
    *(
        "null",
        "undefined",
        "NaN",
        "1e999",
        "../../etc/passwd",
        "${jndi:x}",
        "{{7*7}}",
        "<script>",
        "%00",
    ),
]
FIELDS = ("type", "who", "project", "scope", "keywordQuery", "agentId", "sessionKey", "tags")
SWITCHES = ("expand", "entities", "cards", "explain", "pinned")


def hostile(count: int) -> Iterator[bytes]:
    """Yield bodies, the same ones every time."""
    chance = random.Random(20261)
    for number in range(count):
        body: dict[str, object] = {"query": _text(chance)}
        if number % 3 == 0:
            body[chance.choice(FIELDS)] = _text(chance)
        if number % 5 == 0:
            body[chance.choice(SWITCHES)] = True
        if number % 7 == 0:
            body["limit"] = chance.choice([-1, 0, 10**30, -(10**30), 100, True])
        if number % 11 == 0:
            body["min_score"] = chance.choice([-1, 2, 1e308, -1e308, 5e-324])
        yield json.dumps(body, ensure_ascii=bool(number % 2) or _has_half(body)).encode()


def _text(chance: random.Random) -> str:
    pieces = chance.choices(PIECES, k=chance.choice([1, 1, 2, 3, 5, 8, 60]))
    return chance.choice(["", " ", " ", '"']).join(pieces)


def _has_half(body: dict[str, object]) -> bool:
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def test_a_thousand_hostile_questions_are_answered_or_refused(server: Served) -> None:
    for word in ("bees fly home", "привет мир", "你好", "who am I"):
        assert server.post("/api/memory/remember", {"content": word}).status == 200
    statuses: list[int] = []
    for body in hostile(1_000):
        answer = server.post(RECALL, body)
        statuses.append(answer.status)
        assert answer.status in (200, 400), body
        if answer.status == 400:
            assert answer.error == "query is required", (body, answer.error)
        else:
            assert "degraded" not in answer.body, body
    assert statuses.count(200) > 900
    assert server.get("/api/memories").body["stats"]["total"] == 4
    assert not [line for line in server.printed if '"level":"error"' in line]


def test_questions_of_a_megabyte_are_answered(server: Served) -> None:
    for text in ("bees " * 200_000, "x" * 1_000_000, "\U0001f600" * 250_000, '"' * 1_000_000):
        assert server.post(RECALL, {"query": text}).status == 200
    many = " ".join(f"word{number}" for number in range(100_000))
    assert server.post(RECALL, {"query": many, "keywordQuery": many}).status == 200


def test_the_same_pieces_in_an_address_are_answered_or_refused(server: Served) -> None:
    for piece in PIECES:
        text = piece.encode("utf-8", "surrogatepass").hex()
        quoted = "".join(f"%{text[at : at + 2]}" for at in range(0, len(text), 2))
        for path in (
            f"/api/memory/search?q={quoted}&who={quoted}&limit={quoted}",
            f"/api/memories?limit={quoted}&type={quoted}&agent_id={quoted}",
            f"/api/memory/{quoted}",
            f"/api/memory/jobs/{quoted}",
            f"/api/documents/{quoted}",
            f"/api/documents?status={quoted}",
        ):
            answer = server.get(path)
            assert answer.status in (200, 307, 400, 404), (path, answer)
            if answer.status >= 400:
                assert answer.error
