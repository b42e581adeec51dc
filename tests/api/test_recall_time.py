"""Time over HTTP: `as_of`, `now`, `timezone`, what replaced what, and the day that a text tells of."""

import pytest

from support.http import Api

RECALL = "/api/memory/recall"
SEARCH = "/api/memory/search"


def remember(api: Api, text: str, **fields: object) -> str:
    memory_id: str = api.post("/api/memory/remember", {"content": text, **fields}).body["id"]
    return memory_id


def recalled(api: Api, **body: object) -> list[str]:
    return [row["id"] for row in api.post(RECALL, body).body["results"]]


def test_what_was_believed_then(api: Api) -> None:
    old = remember(api, "Bees live on the roof.", createdAt="2024-05-01T10:00:00Z")
    new = remember(
        api, "Bees live in the yard.", createdAt="2024-06-01T10:00:00Z", supersedes=[old]
    )
    asked = api.post(RECALL, {"query": "Where do bees live on the roof?"}).body["results"]
    assert [row["id"] for row in asked] == [new, old]
    assert asked[1]["superseded"] is True
    assert asked[1]["superseded_by"] == new
    assert asked[1]["valid_to"] == asked[0]["valid_from"]
    assert "superseded" not in asked[0]
    assert recalled(api, query="bees", as_of="2024-05-15") == [old]
    assert recalled(api, query="bees", asOf="2024-04-01") == []
    found = api.get(f"{SEARCH}?q=bees&as_of=2024-05-15T00:00:00Z").body["results"]
    assert [row["id"] for row in found] == [old]


@pytest.mark.parametrize("name", ["now", "asked_at", "askedAt"])
def test_yesterday_is_measured_from_when_it_was_asked(api: Api, name: str) -> None:
    for day in ("01", "08", "15"):
        remember(api, f"Bees swarmed on trip {day}.", createdAt=f"2024-05-{day}T10:00:00Z")
    body = {"query": "bees swarmed yesterday", name: "2024-05-09T09:00:00Z", "timezone": "UTC"}
    answer = api.post(RECALL, {**body, "explain": True}).body
    assert answer["results"][0]["created_at"].startswith("2024-05-08")
    assert answer["time"]["intervals"] == [
        {"from": "2024-05-08T00:00:00.000Z", "to": "2024-05-09T00:00:00.000Z"}
    ]
    assert len(answer["results"]) == 3


def test_yesterday_is_the_day_of_the_event_where_that_is_known(api: Api) -> None:
    told = {"createdAt": "2024-05-08T10:00:00Z"}
    remember(api, "Bees of the heath swarmed.", **told, eventAt="2024-04-30T10:00:00Z")
    remember(api, "Bees of the wood swarmed.", **told)
    remember(
        api,
        "Bees of the moor swarmed.",
        createdAt="2024-05-09T08:00:00Z",
        eventAt="2024-05-08T09:00:00Z",
    )

    def weights(question: str) -> dict[str, bool]:
        body = {
            "query": question,
            "now": "2024-05-09T09:00:00Z",
            "timezone": "UTC",
            "explain": True,
        }
        rows = api.post(RECALL, body).body["results"]
        return {
            row["content"].split()[3]: any(
                one["stage"] == "time" for one in row["explain"]["stages"]
            )
            for row in rows
        }

    assert weights("bees swarmed yesterday") == {"wood": True, "moor": True, "heath": False}
    assert weights("bees swarmed on 8 May 2024") == {"wood": True, "moor": True, "heath": True}


def test_the_day_a_text_tells_of_is_noted(api: Api) -> None:
    remember(api, "On 3 May 2024 the hive was moved.")
    remember(api, "On 4 May 2024 the hive was sold.", eventAt="2024-01-01T00:00:00Z")
    remember(api, "The hive is red.")
    found = api.post(RECALL, {"query": "hive"}).body["results"]
    days = {row["content"].split()[-1]: row.get("event_at") for row in found}
    assert days == {
        "moved.": "2024-05-03T12:00:00.000Z",
        "sold.": "2024-01-01T00:00:00.000Z",
        "red.": None,
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [("as_of", "then"), ("now", "soon"), ("timezone", "Mars/Olympus"), ("timezone", "../etc")],
)
def test_a_time_that_is_none_is_refused_by_name(api: Api, field: str, value: str) -> None:
    answer = api.post(RECALL, {"query": "bees", field: value})
    assert answer.status == 400
    assert field in answer.body["error"]
