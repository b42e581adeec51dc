"""Sessions that fall silent end, though nobody says so."""

from datetime import UTC, datetime, timedelta

import pytest

from signet.config import Settings
from signet.domain.sessions import lifecycle, session_end
from signet.domain.sessions.calls import SessionCall
from signet.domain.sessions.session_end import EndRules
from signet.domain.transcripts.models import Session
from signet_scheduler import beats
from worker.home import Home

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
SETTINGS = Settings()
CALL = SessionCall(agent_id="default", harness="codex", key="s1", project="/work/heron")
SAID = "\n".join(f"User: Step {step} of the heron migration moves one table." for step in range(40))
LONG = SETTINGS.hooks.session_end.idle_minutes


def play(home: Home, minutes: int = 0, text: str = SAID) -> None:
    """Let a session be asked something and end a turn."""
    now = NOON + timedelta(minutes=minutes)
    asked = ("How is it done?", "done", ["m1"], SETTINGS)
    home.db.write(lifecycle.prompted, CALL, *asked, warned=False, now=now)
    home.db.write(lifecycle.turned, CALL, now=now)
    session = Session(
        agent_id="default", key="s1", harness="codex", project=None, text=text, is_turn=True
    )
    home.db.write(session_end.store_turn, session, rules=EndRules(), now=now)


def look(home: Home, minutes: int) -> None:
    """Let the scheduler look, as it does once a minute."""
    [beat] = [one for one in beats.BEATS if one.name == "silent_sessions"]
    beats.run(home.db, beat, SETTINGS, NOON + timedelta(minutes=minutes))


def summaries(home: Home) -> int:
    return len(home.rows("SELECT 1 FROM summary_jobs WHERE transcript = ''"))


def test_a_silent_session_ends_once_and_its_summary_is_asked_for(home: Home) -> None:
    play(home)
    home.run("UPDATE session_states SET is_started = 1")
    look(home, LONG)
    assert summaries(home) == 0
    for minutes in (LONG + 1, LONG + 2, LONG + 600):
        look(home, minutes)
    assert summaries(home) == 1
    [state] = home.rows("SELECT * FROM session_states")
    assert (state["runtime_path"], state["continuity"], state["is_started"]) == (None, None, 0)
    assert state["expires_at"] == state["updated_at"] and "m1" in state["injected"]
    [checkpoint] = home.rows("SELECT * FROM session_checkpoints")
    assert (checkpoint["trigger"], checkpoint["prompt_count"]) == ("session_end", 1)


def test_one_that_goes_on_runs_again_and_is_read_again_only_for_what_is_new(home: Home) -> None:
    play(home)
    look(home, LONG + 1)
    home.run("UPDATE memory_jobs SET status = 'completed', completed_at = '2026-05-01'")
    play(home, LONG + 5)
    look(home, 2 * LONG + 6)
    assert summaries(home) == 1
    play(home, 2 * LONG + 7, text=f"{SAID}\nUser: And what is left to do now?")
    look(home, 3 * LONG + 8)
    assert summaries(home) == 2


def test_the_harness_that_ends_it_later_asks_for_nothing_more(home: Home) -> None:
    play(home)
    look(home, LONG + 1)
    session = Session(agent_id="default", key="s1", harness="codex", project=None, text=SAID)
    home.db.write(session_end.store, session, rules=EndRules(), now=NOON)
    assert summaries(home) == 1


@pytest.mark.parametrize("minutes", [LONG + 1, 239])
def test_a_bypassed_session_stays_bypassed(home: Home, minutes: int) -> None:
    play(home)
    home.run("UPDATE session_states SET is_bypassed = 1")
    look(home, minutes)
    assert home.rows("SELECT is_bypassed FROM session_states")[0][0] == 1
    assert summaries(home) == 0


def test_a_session_that_slept_with_the_machine_ends_too(home: Home) -> None:
    play(home)
    look(home, 3 * 24 * 60)
    assert summaries(home) == 1
