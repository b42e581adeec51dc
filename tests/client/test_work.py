"""Calls about sessions, knowledge, the daemon's work and its machine, against the real API."""

import os
from collections.abc import Iterator
from uuid import uuid4

import pytest

from client.speaking import Speaker
from client.test_calls import at, fits, ids, saved
from signet.client import Invalid, NotFound, answers
from support.http import Served, a_workspace, served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Give a server whose machine has a harness: a program of that name that does nothing."""
    folder = tmp_path_factory.mktemp("served")
    program = folder / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder / "home"))
        patch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
        with served(a_workspace(folder / "agents")) as running:
            yield running


def test_a_session_is_begun_prompted_shortened_and_ended(
    server: Served, speaker: type[Speaker]
) -> None:
    client = at(server, speaker)
    word, key = uuid4().hex, uuid4().hex
    saved(client, f"The {word} is painted green.", pinned=True, importance=1.0)
    session = {"session_key": key, "project": f"/{word}"}
    begun = client.do("start_session", "codex", context=word, **session)
    assert fits(answers.StartedSession, begun) and fits(answers.ToldMemory, begun["memories"][0])
    assert word in begun["inject"]
    prompted = client.do("submit_prompt", "codex", f"What colour is the {word}?", **session)
    assert fits(answers.Prompted, prompted)
    one = client.do("session", key)
    assert fits(answers.RunningSession, one) and one["key"] == key
    assert key in [running["key"] for running in client.do("sessions")]
    assert client.do("bypass_session", key) == {"key": key, "bypassed": True}
    assert client.do("submit_prompt", "codex", "Hello?", **session)["bypassed"] is True
    assert fits(answers.Bypassed, client.do("bypass_session", key, enabled=False))
    assert fits(answers.RenewedSession, client.do("renew_session", key))
    assert fits(answers.Precompaction, client.do("before_compaction", "codex", **session))
    summary = f"They spoke of the {word} and its colour."
    assert fits(answers.Compacted, client.do("after_compaction", "codex", summary, **session))
    for found in (client.do("checkpoints", f"/{word}"), client.do("session_checkpoints", key)):
        assert fits(answers.SessionCheckpoint, found[0]) and found[0]["session_key"] == key
    talk = f"User: what colour is the {word}?\nAssistant: It is painted green."
    ended = client.do("end_session", "codex", transcript=talk, **session)
    assert fits(answers.EndedSession, ended)
    told = client.do("transcript", key)
    assert fits(answers.SessionTranscript, told) and word in told["content"]
    shown = client.do("session_context", key)
    assert fits(answers.SessionContext, shown) and fits(answers.ContextTotals, shown["totals"])
    start, prompt = shown["injections"][:2]
    assert fits(answers.ContextInjection, start) and fits(answers.ContextItem, start["given"][0])
    assert (start["phase"], prompt["prompt"]) == ("start", 1) and word in start["given"][0]["text"]
    assert client.do("session_context", project=f"/{word}/src")["sessionKey"] == key
    [excerpt] = client.do("search_transcripts", word)
    assert fits(answers.TranscriptExcerpt, excerpt) and excerpt["sessionKey"] == key
    assert fits(answers.SummaryPage, client.do("session_summaries", project=f"/{word}", depth=0))
    for call in ("session", "renew_session", "session_context"):
        with pytest.raises(NotFound):
            client.do(call, "none")


def test_what_is_known_of_a_thing_is_told(server: Served, speaker: type[Speaker]) -> None:
    client = at(server, speaker)
    name = f"Marla {uuid4().hex[:6].title()}"
    statement = {"entity": name, "aspect": "home", "content": "lives in Oban"}
    saved(client, f"We met {name}, who lives in Oban.", aspects=[statement])
    page = client.do("entities", query=name)
    assert fits(answers.EntityPage, page)
    [found] = [one for one in page["items"] if one["entity"]["name"] == name]
    assert fits(answers.CountedEntity, found) and fits(answers.StoredEntity, found["entity"])
    id_ = found["entity"]["id"]
    assert fits(answers.WholeEntity, client.do("entity", id_))
    told = client.do("expand", name, question="where does she live")
    assert fits(answers.Expanded, told) and "Oban" in str(told["aspects"])
    assert fits(answers.Impact, client.do("impact", id_))
    assert fits(answers.KnowledgeStats, client.do("knowledge_stats"))
    assert client.do("pin_entity", id_)["pinned"] is True
    assert client.do("unpin_entity", id_) == {"pinned": False}
    with pytest.raises(NotFound):
        client.do("entity", "none")


def test_the_daemon_tells_how_its_work_goes(server: Served, speaker: type[Speaker]) -> None:
    client = at(server, speaker)
    every = client.do("diagnostics")
    assert fits(answers.Diagnoses, every) and fits(answers.Diagnosis, every["queue"])
    assert fits(answers.Diagnosis, client.do("diagnosis", "index"))
    repaired = client.do("repair", "check-fts")
    assert fits(answers.Repaired, repaired) and repaired["success"]
    with pytest.raises(NotFound):
        client.do("repair", "nothing")
    memory_id = saved(client, f"The {uuid4().hex} is repaired.")
    told = client.do("timeline", memory_id)
    assert fits(answers.Timeline, told) and fits(answers.TimelineEvent, told["events"][0])
    assert fits(answers.TelemetryPage, client.do("telemetry_events", limit=1))
    assert fits(answers.TelemetryStats, client.do("telemetry_stats"))
    assert "endpoints" in client.do("usage")
    assert client.do("latency")["recall"].keys() >= {"p50", "p95", "mean"}
    assert "errors" in client.do("errors", limit=1)
    assert len(client.do("logs", level="info", limit=1)) <= 1


def test_the_machine_keeps_secrets_tasks_and_files(server: Served, speaker: type[Speaker]) -> None:
    client = at(server, speaker)
    name = f"KEY_{uuid4().hex[:8].upper()}"
    assert fits(answers.KeptSecret, client.do("put_secret", name, "tarred-rope-42"))
    assert name in client.do("secrets")
    ran = client.do("exec_with_secrets", 'echo "$KEY"; exit 3', {"KEY": name})
    assert fits(answers.Ran, ran) and ran["code"] == 3
    assert "tarred" not in ran["stdout"]
    assert fits(answers.KeptSecret, client.do("remove_secret", name))
    made = client.do("add_task", "look", "Look out.", "0 9 * * *", harness="claude-code")
    assert fits(answers.AddedTask, made)
    assert fits(answers.Done, client.do("enable_task", made["id"], enabled=False))
    one = client.do("task", made["id"])
    assert fits(answers.WholeTask, one) and one["task"]["name"] == "look"
    page = client.do("tasks")
    assert fits(answers.TaskPage, page) and made["id"] in ids(page["tasks"])
    assert fits(answers.Done, client.do("remove_task", made["id"]))
    with pytest.raises(NotFound):
        client.do("run_task", made["id"])
    with pytest.raises(Invalid):
        client.do("add_task", "look", "Look out.", "at nine", harness="claude-code")
    assert fits(answers.Done, client.do("write_config", "IDENTITY.md", "- name: Juno\n"))
    assert "IDENTITY.md" in [file["name"] for file in client.do("config_files")]
    who = client.do("identity")
    assert fits(answers.AgentIdentity, who) and who["name"] == "Juno"


def test_a_turn_ends_and_its_session_goes_on(server: Served, speaker: type[Speaker]) -> None:
    client, key = at(server, speaker), f"a/{uuid4()}"
    client.do("start_session", "codex", session_key=key)
    said = "User: The mast is made of spruce, and it was painted white in May. " * 20
    done = client.do("end_turn", "codex", key, transcript=said)
    assert fits(answers.EndedTurn, done) and done["queued"]
    assert client.do("end_turn", "codex", key, transcript=said) == {"skipped": True}
    assert client.do("session", key)["key"] == key
    assert client.do("transcript", key)["content"] == said.strip()
    assert client.do("end_session", "codex", session_key=key)["queued"]


def test_what_surrounds_the_daemon_is_looked_at_and_set(
    server: Served, speaker: type[Speaker]
) -> None:
    client = at(server, speaker)
    assert all(fits(answers.KnownHarness, one) for one in client.do("harnesses"))
    assert fits(answers.Regenerated, client.do("regenerate_harnesses"))
    assert fits(answers.GitStatus, client.do("git_status"))
    for asked in ("git_pull", "git_push", "git_sync"):
        done = client.do(asked)
        assert fits(answers.GitDone, done) and done["success"] is False
    changed = client.do("change_git_settings", auto_sync=False, sync_interval_seconds=600)
    assert fits(answers.ChangedGitSettings, changed)
    assert fits(answers.GitSettings, changed["config"]) and changed["config"]["syncInterval"] == 600
    assert fits(answers.GitSettings, client.do("git_settings"))
    with pytest.raises(Invalid):
        client.do("change_git_settings", branch="--force")
    assert fits(answers.UpdateCheck, client.do("check_update"))
    set_to = client.do("change_update_settings", auto_check=False, check_interval_seconds=900)
    assert fits(answers.ChangedUpdateSettings, set_to) and set_to["checkInterval"] == 900
    assert fits(answers.UpdateSettings, client.do("update_settings"))
    with pytest.raises(Invalid):
        client.do("install_update", "the newest")
