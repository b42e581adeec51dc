"""What is corrected steps back, without a model, in the same commit as the fact; through a real worker."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from signet import clock
from signet.config import settings_from
from signet.domain.agents import registry as agents
from signet.domain.memory import modify, remember, review
from signet.domain.memory.models import Actor, NewMemory, Patch, Rules
from signet.queue import NewJob, enqueue
from signet.wire.origin import Origin
from worker.home import USER, Home, a_home, manifest

RULES = manifest("rules")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        made.configure(RULES)
        with made.worker():
            yield made


def told(home: Home, text: str, agent: str) -> str:
    saved = home.remember(text, agent)
    home.ended(saved)
    return saved


def successor(home: Home, memory_id: str) -> object:
    return home.memory(memory_id)["superseded_by"]


def test_a_correction_supersedes_with_history(home: Home) -> None:
    old = told(home, "The port is 3850.", "ports")
    new = told(home, "Actually the port is 8080, not 3850.", "ports")
    assert successor(home, old) == new
    assert home.memory(old)["valid_to"] == home.memory(new)["valid_from"] is not None
    (row,) = home.rows(
        "SELECT * FROM memory_history WHERE memory_id = ? AND event = 'updated'", old
    )
    assert row["changed_by"] == "pipeline:supersession"
    assert successor(home, new) is None


def test_what_is_said_of_oneself_counts(home: Home) -> None:
    old = told(home, "We are based in Paris.", "movers")
    new = told(home, "We moved from Paris to Berlin.", "movers")
    assert successor(home, old) == new


def test_a_permission_supersedes_the_rule_that_it_names(home: Home) -> None:
    rules = ["Never deploy billing on Fridays.", "We deploy billing with Ansible."]
    old, other = (told(home, text, "bans") for text in rules)
    new = told(home, "You may deploy billing on Fridays again.", "bans")
    assert [successor(home, one) for one in (old, other, new)] == [new, None, None]


def test_ten_tools_stay_ten(home: Home) -> None:
    tools = "Vim Git Fish Tmux Make Rust Zig Nix Bun Jq".split()
    saved = [told(home, f"Nora uses {tool} every day.", "tools") for tool in tools]
    assert [successor(home, one) for one in saved] == [None] * 10


def test_who_does_what_to_whom_makes_two_facts(home: Home) -> None:
    first = told(home, "Alice Kern reports to Bob Lind. The new office has a roof.", "reports")
    second = told(home, "Bob Lind reports to Alice Kern. The old office has a yard.", "reports")
    facts = [row["content"] for one in (first, second) for row in home.facts(one)]
    assert "Alice Kern reports to Bob Lind." in facts
    assert "Bob Lind reports to Alice Kern." in facts


def test_an_attribute_steps_back_with_its_memory(home: Home) -> None:
    old = told(home, "The engineer Alice Kern lives in Paris.", "people")
    new = told(home, "The engineer Alice Kern moved to Berlin.", "people")
    assert successor(home, old) == new
    rows = home.rows(
        "SELECT status FROM entity_attributes WHERE source_memory_id IN (?, ?) ORDER BY rowid",
        old,
        new,
    )
    assert [row["status"] for row in rows] == ["superseded", "active"]
    assert home.rows(
        "SELECT 1 FROM memory_history WHERE memory_id = ? AND event = 'attribute_superseded'", old
    )


def test_what_is_pinned_or_another_owner_s_stays(home: Home) -> None:
    pinned = told(home, "The host is a.internal.", "pins")
    home.run("UPDATE memories SET pinned = 1 WHERE id = ?", pinned)
    foreign = told(home, "The host is a.internal.", "strangers")
    told(home, "The host is b.internal.", "pins")
    assert successor(home, pinned) is None
    assert successor(home, foreign) is None


def test_an_old_session_that_is_read_late_does_not_win(home: Home) -> None:
    new = told(home, "The branch is main.", "late")
    late = NewMemory(
        content="The branch is trunk.",
        agent_id="late",
        project="/p",
        created_at=datetime(2020, 1, 1, tzinfo=UTC),
    )
    rules = Rules.from_settings(settings_from(RULES)[0])
    saved = home.db.write(remember.remember, late, actor=USER, rules=rules, now=clock.now())
    home.ended(saved.id)
    assert successor(home, new) is None
    assert successor(home, saved.id) == new


def test_what_another_project_decided_stays(home: Home) -> None:
    old = told(home, "The branch is main.", "two")
    other = NewMemory(content="The branch is trunk.", agent_id="two", project="/p/other")
    rules = Rules.from_settings(settings_from(RULES)[0])
    saved = home.db.write(remember.remember, other, actor=USER, rules=rules, now=clock.now())
    home.ended(saved.id)
    assert successor(home, old) is None and successor(home, saved.id) is None


def test_another_text_of_the_correction_decides_again(home: Home) -> None:
    old = told(home, "The relay port is 3850.", "again")
    new = told(home, "Actually the relay port is 8080, not 3850.", "again")
    assert successor(home, old) == new
    rules = Rules.from_settings(settings_from(RULES)[0])
    for text, expected in (
        ("The relay room is painted white.", None),
        ("Actually the relay port is 8081, not 3850.", new),
    ):
        patch = Patch(memory_id=new, reason="typo", agent_id="again", content=text)
        home.db.write(modify.modify, patch, actor=USER, rules=rules, now=clock.now())
        home.drained("extract")
        assert successor(home, old) == expected, text
        assert (home.memory(old)["valid_to"] is None) is (expected is None)


def test_running_twice_changes_nothing_more(home: Home) -> None:
    old = told(home, "The timezone is Europe/Paris.", "twice")
    new = told(home, "The timezone is Europe/Berlin.", "twice")
    assert successor(home, old) == new
    changes = "SELECT count(*) FROM memory_history WHERE memory_id = ?"
    before = home.value(changes, old)
    again = NewJob(kind="extract", memory_id=new, agent_id="twice")
    home.db.write(enqueue, again, now=clock.now())
    home.ended(new)
    assert successor(home, old) == new
    assert home.value(changes, old) == before


@pytest.mark.parametrize(
    "setting", [{"supersessionEnabled": False}, {"supersessionMinConfidence": 0.8}]
)
def test_it_can_be_switched_off_and_made_stricter(
    tmp_path_factory: pytest.TempPathFactory, setting: dict[str, object]
) -> None:
    with a_home(tmp_path_factory.mktemp("s")) as home:
        home.configure(manifest("rules", structural=setting))
        with home.worker():
            old = told(home, "The engineer Alice Kern lives in Paris.", "default")
            told(home, "The engineer Alice Kern moved to Berlin.", "default")
            assert successor(home, old) is None
            assert not home.rows("SELECT 1 FROM entity_attributes WHERE status = 'superseded'")


def test_in_shadow_it_is_only_proposed(tmp_path_factory: pytest.TempPathFactory) -> None:
    with a_home(tmp_path_factory.mktemp("s")) as home:
        home.configure(manifest("rules", shadowMode=True))
        with home.worker():
            old = told(home, "The port is 3850.", "default")
            new = told(home, "The port is 8080.", "default")
            assert successor(home, old) is None
            proposed = [one for one in home.proposals(new) if one["proposedAction"] == "supersede"]
            assert [one["targetMemoryId"] for one in proposed] == [old]


def test_a_correction_of_the_users_words_by_an_agent_waits_for_a_person(home: Home) -> None:
    old = told(home, "The sluice port is 3850.", "sluice")
    home.db.write(lambda tx: tx.run("UPDATE memories SET origin = 'user' WHERE id = ?", (old,)))
    new = told(home, "Actually the sluice port is 8080, not 3850.", "sluice")
    assert successor(home, old) is None
    assert home.memory(new)["review"] == "replaces"
    (row,) = home.rows(
        "SELECT metadata ->> 'targetMemoryId' AS target FROM memory_history"
        " WHERE memory_id = ? AND reason LIKE 'replacement refused%'",
        new,
    )
    assert row["target"] == old
    person = Actor(name="cli", origin=Origin.USER, may_claim=Origin.USER)
    agent, now = "sluice", clock.now()
    waiting = home.db.read(lambda tx: review.waiting(tx, agents.reader(tx, agent), limit=9))
    assert [one.id for one in waiting.memories] == [new]
    home.db.write(review.approve, new, agent_id=agent, actor=person, rules=Rules(), now=now)
    assert successor(home, old) == new
    assert home.memory(new)["review"] == "approved"
