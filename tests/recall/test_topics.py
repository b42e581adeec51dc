"""A later statement stands before the one it replaces, though no link says so, and the older is marked (REC-30)."""

import pytest

from recall.test_episodes import say
from recall.world import ask, found, remember
from signet.db import Database, WriteTx
from signet.db.visibility import Reader
from signet.domain.recall import answer
from signet.wire.recall import Newer

QUESTION = "Which port does the gateway listen on?"
OLD, NEW = "The gateway listens on port 9000.", "gateway port is 9443 now"


def fill(db: Database, *rows: tuple[str, str, dict[str, object]]) -> None:
    def write(tx: WriteTx) -> None:
        for number, (memory_id, text, columns) in enumerate(rows):
            remember(tx, memory_id, text, **{"days_ago": 50 - number, **columns})  # type: ignore[arg-type]  # passed on

    db.write(write)


def pair(db: Database, **columns: dict[str, object]) -> None:
    texts = {"old": OLD, "new": NEW, "other": "The gateway is blue."}
    fill(db, *((name, text, columns.get(name, {})) for name, text in texts.items()))


def test_the_newer_stands_first_and_the_older_is_marked(db: Database) -> None:
    pair(db)
    result = ask(db, QUESTION)
    assert found(result)[:2] == ["new", "old"]
    new, old = result.hits[:2]
    assert new.newer is None
    assert old.newer == Newer(
        id="new", since=new.created_at, says=NEW, replaces=OLD.rstrip("."), is_part=False
    )
    assert (old.superseded_by, old.valid_to) == (None, None)
    row = answer.body(result)["results"][1]
    assert row["newer"]["id"] == "new"
    assert "superseded" not in row


def test_a_question_about_the_past_has_the_older_first(db: Database) -> None:
    pair(db)
    result = ask(db, "Which port did the gateway listen on before?")
    assert found(result)[:2] == ["old", "new"]
    assert result.hits[0].newer is not None


def test_explain_names_the_rule(db: Database) -> None:
    pair(db)
    body = answer.body(ask(db, QUESTION, explain=True))
    says = {
        row["id"]: [one["says"] for one in row["explain"]["stages"]] for row in body["results"][:2]
    }
    assert "a later statement replaces it" in says["old"]
    assert "it replaces an earlier statement" in says["new"]


def test_why_not_names_what_replaces_it(db: Database) -> None:
    pair(db)
    result = ask(db, QUESTION, limit=1, why_not="old")
    assert found(result) == ["new"]
    assert result.why_not is not None
    assert result.why_not.left_out == f'a later statement replaces it: "{NEW}"'


def test_a_personal_fact_is_replaced_across_projects(db: Database) -> None:
    own = {"origin": "inferred", "type": "fact"}
    fill(
        db,
        ("old", "The user lives in Bergen.", {**own, "project": "/a"}),
        ("new", "The user moved from Bergen to Oslo.", {**own, "project": "/b"}),
    )
    result = ask(db, "Where does the user live, in Bergen?")
    assert found(result)[:2] == ["new", "old"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"project": "/a"}, {"project": "/b"}),
        ({"origin": "user"}, {"origin": "web"}),
        ({"origin": "agent"}, {"origin": "imported"}),
        ({"pinned": 1}, {}),
        ({}, {"review": "waiting"}),
        ({"days_ago": 10}, {"days_ago": 20}),
        ({}, {"visibility": "private", "agent_id": "somebody"}),
    ],
)
def test_what_replaces_nothing(
    db: Database, old: dict[str, object], new: dict[str, object]
) -> None:
    pair(db, old=old, new=new)
    assert [hit.newer for hit in ask(db, QUESTION).hits if hit.id == "old"] == [None]


def test_a_later_memory_is_found_by_a_name_of_the_older_one(db: Database) -> None:
    texts = {
        "old": "We lint with flake8.",
        **{f"m{number}": f"We cook rice with spice {number}." for number in range(60)},
        "new": "flake8 is gone, ruff does it",
    }
    fill(db, *((name, text, {}) for name, text in texts.items()))
    result = ask(db, "What do we lint with?")
    assert found(result)[:2] == ["new", "old"]
    explained = ask(db, "What do we lint with?", explain=True).hits[0].why
    assert explained is not None
    assert [step.stage for step in explained.steps] == ["topics"]
    fill(db, ("newest", "flake8 came back as a fork", {"days_ago": 0}))
    assert "newest" not in found(ask(db, "What do we lint with?", floor=0))


def test_a_later_memory_is_found_by_a_rare_word_of_a_memory_and_a_name_of_a_talk(
    db: Database,
) -> None:
    fill(db, ("old", "The profile cache keeps entries for 60 seconds.", {}))
    fill(db, *((f"m{number}", f"We cook rice with spice {number}.", {}) for number in range(60)))
    fill(db, ("new", "the profile cache keeps entries for five minutes", {"days_ago": 0}))
    assert found(ask(db, "expiry of the entries"))[:2] == ["new", "old"]
    talk = "User: Which broker?\nAssistant: None yet.\nUser: Kafka carries our order events."
    name = say(db, "s1", talk, at="2025-02-03T09:00:00Z")
    fill(db, ("swap", "we swapped Kafka for NATS last week", {"days_ago": 0}))
    result = ask(db, "Which broker carries the events?", reader=Reader())
    assert found(result)[:2] == ["swap", name]


def test_what_a_session_said_later_marks_a_memory_and_the_other_way_round(db: Database) -> None:
    fill(db, ("old", "The logs are shipped to Splunk.", {}), ("late", NEW, {}))
    talk = "User: where do logs go?\nAssistant: No idea.\nUser: Splunk is gone, logs go to Loki"
    name = say(db, "s1", talk, at="2026-02-20T09:00:00Z")
    asked = f"User: please write down: {OLD}\nAssistant: Done."
    other = say(db, "s2", asked, at="2025-02-03T09:00:00Z")
    hits = {hit.id: hit for hit in ask(db, "Where are the logs shipped to?", reader=Reader()).hits}
    assert hits["old"].newer is not None
    assert hits["old"].newer["id"] == name
    result = ask(db, QUESTION, reader=Reader())
    assert found(result)[:2] == ["late", other]
    assert "9000 [until 2026-01-" in result.hits[1].content


@pytest.mark.parametrize("columns", [{}, {"embedded": False}])
def test_a_page_by_meaning_alone_has_it_too(db: Database, columns: dict[str, object]) -> None:
    texts = {
        "old": "Our boat Kestrel has a berth.",
        **{f"m{number}": f"We cook rice with spice {number}." for number in range(60)},
    }
    fill(db, *((name, text, {}) for name, text in texts.items()))
    fill(db, ("new", "Kestrel was sold", {"days_ago": 0, **columns}))
    assert found(ask(db, "Which vessel?", by_meaning=True)) == ["new", "old"]
