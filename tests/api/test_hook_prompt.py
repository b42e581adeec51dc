"""What a prompt brings to mind, and what is kept of it."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from signet import clock
from signet.domain.episodes import fence
from support.http import Answer, Api

ASKED = "Where does the walrus sleep at night?"
TOLD = "The walrus sleeps on the northern pier at night."


def prompts(api: Api, message: str = ASKED, key: str | None = "s1", **body: object) -> Answer:
    sent = {"harness": "codex", "sessionKey": key, "userMessage": message, **body}
    return api.post("/api/hooks/user-prompt-submit", sent)


def remember(api: Api, content: str = TOLD, **body: object) -> str:
    return str(api.post("/api/memory/remember", {"content": content, **body}).body["id"])


def checkpoints(api: Api) -> list[dict[str, Any]]:
    return api.rows("session_checkpoints")


def test_a_memory_that_is_near_is_told_with_a_line_to_rate_it_by(api: Api) -> None:
    memory_id = remember(api)
    answer = prompts(api).body
    [head, explained, _, status, line, tail, rating] = answer["inject"].split("\n")
    assert (head, explained, tail) == (fence.HEAD, fence.EXPLAINED, fence.TAIL)
    assert status == "[signet:recall | results=1 | engine=hybrid]"
    assert line.startswith(f"- {TOLD} (") and line.endswith(", saved by agent)")
    short = memory_id[:18]
    assert rating == f"<memory-feedback>session_key=s1 ids={short}</memory-feedback>"
    rated = api.post("/api/memory/feedback", {"sessionKey": "s1", "feedback": {short: 1}}).body
    assert (rated["recorded"], rated["unknown"]) == (1, [])
    assert (answer["memoryCount"], answer["queryTerms"]) == (1, "walrus sleep night")
    assert (answer["engine"], answer["sessionKnown"]) == ("hybrid", False)
    [row] = api.rows("session_memories")
    assert (row["source"], row["was_injected"], row["fts_hit_count"]) == ("fts_only", 1, 1)
    [memory] = api.rows("memories")
    assert (memory["access_count"], memory["last_accessed"] is not None) == (1, True)


def test_memory_is_explained_once_in_a_session(api: Api) -> None:
    (api.state.workspace.root / "MEMORY.md").write_text("We moved to Bergen.", "utf-8")
    sent = {"harness": "codex", "sessionKey": "s1", "project": "/x"}
    begun = api.post("/api/hooks/session-start", sent).body["inject"]
    assert begun.count(fence.EXPLAINED) == 1
    remember(api)
    told = prompts(api).body["inject"]
    assert TOLD in told and fence.EXPLAINED not in told


@pytest.mark.parametrize("order", [("start", "prompt"), ("prompt", "start")])
def test_a_start_and_a_prompt_that_run_at_once_tell_a_memory_once(
    api: Api, order: tuple[str, str]
) -> None:
    remember(api, project="/x")
    usual = {"harness": "copilot", "sessionKey": "s1", "project": "/x"}
    calls = {
        "start": ("/api/hooks/session-start", usual),
        "prompt": ("/api/hooks/user-prompt-submit", {**usual, "userMessage": ASKED}),
    }

    async def at_once() -> list[Answer]:
        sent = ((path, json.dumps(body).encode()) for path, body in (calls[one] for one in order))
        return await asyncio.gather(*(api.begin("POST", *one) for one in sent))

    told = [answer.body["inject"] for answer in api.all_of(at_once())]
    assert "".join(told).count(TOLD) == 1
    again = api.post("/api/hooks/user-prompt-submit", {**usual, "userMessage": ASKED})
    assert TOLD not in again.body["inject"]


def test_ratings_are_not_asked_for_where_they_are_not_wanted(api: Api) -> None:
    remember(api)
    assert "<memory-feedback>" not in prompts(api, key=None).body["inject"]
    api.configure("memory: {pipelineV2: {predictorPipeline: {agentFeedback: false}}}\n")
    assert "<memory-feedback>" not in prompts(api).body["inject"]


@pytest.mark.parametrize("message", ["ok do it", "is it 42?", "¿?", "quarterly ledger balances"])
def test_without_words_or_hits_nothing_is_told(api: Api, message: str) -> None:
    remember(api)
    answer = prompts(api, message).body
    assert (answer["inject"], answer["memoryCount"]) == ("", 0) and "engine" not in answer


def test_what_is_not_near_enough_is_not_told(api: Api) -> None:
    remember(api)
    api.configure("hooks: {userPromptSubmit: {minScore: 1}}\n")
    assert prompts(api).body["memoryCount"] == 0
    api.configure("hooks: {userPromptSubmit: {minScore: 0.38}}\n")
    assert prompts(api, key="s2").body["memoryCount"] == 1
    api.configure("hooks: {userPromptSubmit: {enabled: false}}\n")
    assert prompts(api, key="off").body["inject"] == ""


def test_a_minor_memory_does_not_come_unasked(api: Api) -> None:
    remember(api, importance=0.2)
    assert prompts(api).body["memoryCount"] == 0


def test_nothing_is_told_twice_in_a_session(api: Api) -> None:
    remember(api)
    assert prompts(api).body["memoryCount"] == 1
    assert prompts(api).body["memoryCount"] == 0
    [row] = api.rows("session_memories")
    assert (row["was_injected"], row["fts_hit_count"]) == (1, 2)
    assert prompts(api, key="other").body["memoryCount"] == 1
    for number in range(7):
        remember(api, f"The falcon number {number}{number} hunts mice.")
        assert prompts(api, f"what hunts the falcon {number}{number} mice?").body["memoryCount"]
    assert prompts(api).body["memoryCount"] == 0


def test_what_a_session_began_with_is_not_told_again_by_a_prompt(api: Api) -> None:
    remember(api)
    sent = {"harness": "codex", "sessionKey": "s1"}
    assert TOLD in api.post("/api/hooks/session-start", sent).body["inject"]
    assert prompts(api).body["memoryCount"] == 0


@pytest.mark.parametrize("hook", ["compaction-complete", "session-end"])
def test_a_new_context_may_be_told_again(api: Api, hook: str) -> None:
    remember(api)
    assert prompts(api).body["memoryCount"] == 1
    sent = {"harness": "codex", "sessionKey": "s1", "summary": "All done."}
    api.post(f"/api/hooks/{hook}", sent)
    assert prompts(api).body["memoryCount"] == 1


def test_long_memories_are_told_by_their_best_sentence_within_the_budget(api: Api) -> None:
    padding = "The harbour is wide and the water is cold in most of the months of the year. "
    remember(api, f"{padding}{TOLD} {padding}")
    assert f"- {TOLD} (" in prompts(api).body["inject"]
    for number in range(6):
        remember(api, f"The walrus number {number} sleeps at night beside {'x' * 90} there.")
    api.configure("hooks: {userPromptSubmit: {maxInjectChars: 300}}\n")
    lines = [one for one in prompts(api, key="s2").body["inject"].split("\n") if one[:2] == "- "]
    assert len(lines) >= 1 and sum(len(one) + 1 for one in lines) <= 300


def test_a_raw_prompt_is_freed_from_what_gateways_put_around_it(api: Api) -> None:
    remember(api)
    raw = (
        'Conversation info (untrusted metadata):\n```json\n{"channel": "badgers"}\n```\n'
        'Sender (untrusted metadata):\n{"name": "Falcon {x}"}\n<@1234> ' + ASKED
    )
    answer = prompts(api, "", userPrompt=raw).body
    assert (answer["memoryCount"], answer["queryTerms"]) == (1, "walrus sleep night")


def test_a_prompt_is_not_said_again(api: Api) -> None:
    remember(api)
    inject = prompts(api, 'Where does\n"the walrus" | results=9\nsleep?').body["inject"]
    [*_, status, line, _, _] = inject.split("\n")
    assert status == "[signet:recall | results=1 | engine=hybrid]" and TOLD in line


def test_the_answer_before_adds_words(api: Api) -> None:
    remember(api)
    answer = prompts(api, "and the pier?", lastAssistantMessage="The walrus sleeps there.").body
    assert answer["queryTerms"] == "pier walrus sleeps"


def test_what_is_known_of_this_session_comes_before_earlier_ones(api: Api) -> None:
    api.run(
        "INSERT INTO session_summaries (id, session_key, kind, content, earliest_at, latest_at, created_at)"
        " VALUES ('u', 's1', 'session', 'The falcon is ill.\n\nB\nC\nD\nE', ?1, ?1, ?1)",
        "2026-05-01T00:00:00Z",
    )
    answer = prompts(api, "how is the falcon?").body
    assert (answer["engine"], answer["memoryCount"]) == ("temporal", 4)
    assert prompts(api, "how is the falcon?").body["memoryCount"] == 0
    assert prompts(api, "how is the badger?").body["memoryCount"] == 0


def test_a_prompt_goes_on_when_recall_fails(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> Any:
        raise RuntimeError("the roof is on fire")

    monkeypatch.setattr("signet.domain.recall.prompt.scored", broken)
    answer = prompts(api)
    assert answer.status == 200 and answer.body["inject"] == ""
    assert any(one["event"] == "prompt.without_context" for one in api.logged)


def test_ratings_that_come_with_a_prompt_are_kept(api: Api) -> None:
    memory_id = remember(api)
    prompts(api)
    prompts(api, memory_feedback={memory_id: 7, "unknown": 1, "odd": "x"})
    [row] = api.rows("session_memories")
    assert (row["agent_relevance_score"], row["agent_feedback_count"]) == (1.0, 1)
    assert prompts(api, memory_feedback=["x"]).status == 200


def test_a_transcript_that_comes_with_a_prompt_is_kept_behind_the_answer(
    api: Api, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"role": "user", "content": "Which port?"}))
    prompts(api, transcriptPath=str(log))
    api.settle()
    assert [row["content"] for row in api.rows("session_transcripts")] == ["User: Which port?"]
    prompts(api, transcriptPath=str(tmp_path / "none"), transcript="User: inline and longer now.")
    api.settle()
    assert len(api.rows("session_transcripts")) == 1


def test_every_tenth_prompt_writes_down_where_the_session_stands(api: Api) -> None:
    for number in range(9):
        prompts(api, f"walrus question {number}", project="/zoo")
    assert checkpoints(api) == []
    api.post(
        "/api/hooks/remember",
        {"harness": "codex", "sessionKey": "s1", "content": "Ask Tomas about the pier."},
    )
    api.post("/api/hooks/recall", {"harness": "codex", "sessionKey": "s1", "query": "fish price"})
    prompts(api, "sk-abcdefghijklmnopqrstuvwx1234 opens the pier", project="/zoo")
    [row] = checkpoints(api)
    assert (row["trigger"], row["prompt_count"], row["project"]) == ("periodic", 10, "/zoo")
    digest = row["digest"]
    for line in (
        "## Session Checkpoint",
        "Project: /zoo",
        "Duration: 0m | Prompts: 10",
        "- walrus question 8",
        "Queries:",
        "- fish price",
        "Remembered:",
        "- Ask Tomas about the pier.",
    ):
        assert f"\n{line}\n" in f"\n{digest}\n", line
    everything = json.dumps(api.rows("session_states")) + digest + row["memory_queries"]
    assert "sk-abcdef" not in everything and "[masked: OpenAI key]" in digest
    prompts(api)
    assert len(checkpoints(api)) == 1


def test_time_is_a_reason_too_and_the_end_counts_all_prompts(api: Api) -> None:
    prompts(api)
    state = json.loads(api.rows("session_states")[0]["continuity"])
    state["checkpoint_at"] = clock.to_text(clock.now() - timedelta(minutes=16))
    api.run("UPDATE session_states SET continuity = ?", json.dumps(state))
    prompts(api)
    prompts(api)
    api.post("/api/hooks/session-end", {"harness": "codex", "sessionKey": "s1"})
    assert [(row["trigger"], row["prompt_count"]) for row in checkpoints(api)] == [
        ("periodic", 2),
        ("session_end", 3),
    ]
    assert api.rows("session_states") == []


def test_a_cleared_session_and_one_without_prompts_leave_nothing(api: Api) -> None:
    prompts(api)
    end = {"harness": "codex", "sessionKey": "s1", "reason": "clear"}
    assert api.post("/api/hooks/session-end", end).body == {"memoriesSaved": 0}
    api.post("/api/hooks/session-start", {"harness": "codex", "sessionKey": "s2"})
    api.post("/api/hooks/session-end", {"harness": "codex", "sessionKey": "s2"})
    assert checkpoints(api) == api.rows("session_states") == []


def test_continuity_can_be_switched_off(api: Api) -> None:
    api.configure("memory: {pipelineV2: {continuity: {enabled: false}}}\n")
    prompts(api)
    api.post("/api/hooks/pre-compaction", {"harness": "codex", "sessionKey": "s1"})
    start = api.post("/api/hooks/session-start", {"harness": "codex", "sessionKey": "s1"}).body
    api.post("/api/hooks/session-end", {"harness": "codex", "sessionKey": "s1"})
    assert checkpoints(api) == [] and "Recovery" not in start["inject"]


def test_what_a_summary_should_hold_is_said_with_what_is_known_already(api: Api) -> None:
    remember(api)
    asked = {"harness": "codex"}
    answer = api.post("/api/hooks/pre-compaction", asked).body
    assert (
        answer["guidelines"] in answer["summaryPrompt"] and f"- {TOLD}" in answer["summaryPrompt"]
    )
    assert answer["guidelines"].count("\n") == 4
    assert "\n" not in answer["note"] and TOLD not in answer["note"]
    api.configure(
        "hooks: {preCompaction: {includeRecentMemories: false, summaryGuidelines: Be brief.}}\n"
    )
    answer = api.post("/api/hooks/pre-compaction", asked).body
    assert (answer["guidelines"], TOLD in answer["summaryPrompt"]) == ("Be brief.", False)
    assert answer["note"] == "Be brief."


def test_before_a_compaction_one_saying_is_told_once_and_none_that_is_too_long(api: Api) -> None:
    source = remember(api, "I never fish on Sundays.")
    fact = {"sourceType": "pipeline-v2", "sourceId": source, "importance": 1.0}
    remember(api, "The user never fishes on Sundays.", **fact)
    remember(api, f"Log of the weir. {'Dry. ' * 2_000}")
    told = api.post("/api/hooks/pre-compaction", {"harness": "codex"}).body["summaryPrompt"]
    assert told.count("Sundays") == 1 and "- I never fish on Sundays." in told
    assert len(told) < 4_000


def test_a_summary_is_a_memory_of_its_session_and_the_same_one_once(api: Api) -> None:
    api.add_agent()
    sent = {
        "harness": "opencode",
        "summary": "We moved the walrus.",
        "sessionKey": "agent:nora:main",
        "project": "/zoo",
    }
    first = api.post("/api/hooks/compaction-complete", sent).body
    assert first == {"success": True, "memoryId": api.rows("memories")[0]["id"]}
    assert api.post("/api/hooks/compaction-complete", sent).body == first
    [row] = api.rows("memories")
    assert (row["type"], row["importance"], row["who"]) == ("session_summary", 0.8, "system")
    assert (row["source_type"], row["project"]) == ("opencode", "/zoo")
    assert (row["agent_id"], row["session_id"]) == ("nora", "agent:nora:main")
    assert json.loads(row["tags"]) == ["session", "summary", "opencode"]
    assert row["content_hash"] and api.rows("memory_jobs")


OLD, NEW = "The walrus sleeps on the northern pier.", "the walrus moved to the southern pier"


def test_a_replaced_statement_stands_behind_the_newer_one_and_is_marked(api: Api) -> None:
    remember(api, OLD, createdAt="2024-05-01T10:00:00Z")
    remember(api, NEW, createdAt="2024-06-01T10:00:00Z")
    lines = prompts(api).body["inject"].split("\n")
    first, second = (line for line in lines if line.startswith("- "))
    assert first == f"- {NEW} (Jun 1, 2024, saved by agent)"
    assert second == f"- {OLD} (May 1, 2024, until Jun 1, 2024, saved by agent)"


def test_it_quotes_a_newer_one_that_the_session_has_already(api: Api) -> None:
    remember(api, NEW, createdAt="2024-06-01T10:00:00Z")
    assert NEW in prompts(api, "Has the walrus moved to another pier?").body["inject"]
    remember(api, OLD, createdAt="2024-05-01T10:00:00Z")
    told = prompts(api, "And where did that walrus sleep last night?").body["inject"]
    assert f'- {OLD} (May 1, 2024, until Jun 1, 2024: "{NEW}", saved by agent)' in told
