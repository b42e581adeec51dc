"""The rules of summaries: what is worth reading, how it is cut, and what a model's answer is worth."""

import json
from datetime import UTC, datetime
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.config.pipeline import Significance
from signet.domain.extraction.grounding import Grounds
from signet.domain.summaries import files, prompt, summarize
from signet.domain.summaries.models import Said, SummaryJob
from signet.domain.transcripts import transcript
from signet.domain.transcripts.models import Session

LIMITS = Significance()
DAY = "2026-05-01"
SESSION = Grounds(
    "We moved Heron to SQLite, where it runs well. Nora keeps it. It listens on 4410. One fact too many."
)


def turns(count: int) -> str:
    pair = f"User: {'why ' * 6}?\nAssistant: {'because ' * 8}."
    return "\n".join([pair] * count)


@pytest.mark.parametrize(
    ("text", "names", "before", "expected"),
    [
        (turns(5), [], [turns(5)], True),
        (turns(4), [], [turns(4)], False),
        (turns(4), ["heron"], [turns(4)], False),
        (turns(4) + " Heron", ["wren", "heron"], [turns(5)], True),
        (turns(4), [], [], True),
        (turns(4) + " one two three four", [], [turns(4)], True),
    ],
)
def test_a_session_is_read_unless_all_three_signs_fail(
    text: str, names: list[str], before: list[str], expected: bool
) -> None:
    said = transcript.parse(text)
    assert summarize.is_significant(said, text, names, before, LIMITS) is expected
    off = Significance(enabled=False)
    assert summarize.is_significant(said, text, names, before, off)


@pytest.mark.parametrize(
    ("unknown", "expected"), [(0, 0.0), (1, 0.0), (2, 0.5), (3, 1.0), (10, 1.0)]
)
def test_novelty_grows_with_the_share_of_new_words(unknown: int, expected: float) -> None:
    known = [f"known{number}" for number in range(10)]
    text = " ".join(known[unknown:] + [f"fresh{number}" for number in range(unknown)])
    assert summarize.novelty(text, [" ".join(known)]) == pytest.approx(expected)


@given(st.lists(st.integers(1, 30_000), max_size=12), st.integers(0, 90_000))
def test_parts_are_the_whole_text_and_none_is_too_long(sizes: list[int], head: int) -> None:
    text = "x" * head + "".join(f"\nUser: {'y' * size}" for size in sizes)
    found = prompt.parts(text)
    assert "".join(found).strip() == text.strip()
    assert all(len(part) <= prompt.LONGEST * prompt.PART_CHARS for part in found)
    if len(text) > prompt.PART_CHARS:
        assert all(part.startswith(("User: ", "x", "\nUser", "y")) for part in found)


def test_a_part_ends_where_somebody_begins_to_speak() -> None:
    text = "\n".join(f"User: {'a' * 9_000}" for _ in range(6))
    assert [len(part) for part in prompt.parts(text)] == [27_021, 27_020]


def test_notes_are_cleaned_and_capped() -> None:
    listed = [
        {
            "content": "  Heron  runs on SQLite. ",
            "importance": 7,
            "type": "DECISION",
            "tags": "a, B,a",
        },
        {"content": "HERON runs on SQLite", "importance": 0.1},
        {
            "content": "Heron is kept by Nora.",
            "importance": -1,
            "type": "rumour",
            "tags": [1, "x,y"],
        },
        {"content": "too short"},
        {"content": "!!!!!!!!!!!!"},
        "no object",
        {"content": "Heron listens on 4410.", "importance": True},
        {"content": "One fact too many for this."},
    ]
    raw = json.dumps({"summary": f"# {DAY} Session Notes\n\nHeron moved.\0", "facts": listed})
    found = prompt.read_notes(f"<think>x</think>{raw}", day=DAY, most=3, grounds=SESSION)
    assert found is not None and found.summary == f"# {DAY} Session Notes\n\nHeron moved."
    assert [(f.content, f.type, f.importance, f.tags) for f in found.facts] == [
        ("Heron  runs on SQLite.", "decision", 0.5, ("a", "b")),
        ("Heron is kept by Nora.", "fact", 0.0, ()),
        ("Heron listens on 4410.", "fact", 0.3, ()),
    ]


@pytest.mark.parametrize(
    "raw", ["", "no", "{}", '{"summary": " "}', '{"facts": []}', '{"summary": 1}']
)
def test_an_answer_without_a_summary_is_no_notes(raw: str) -> None:
    assert prompt.read_notes(raw, day=DAY, most=3, grounds=SESSION) is None


def test_a_summary_gets_the_heading_it_lacks() -> None:
    assert prompt.headed("## Heron\n\nDone.", DAY) == f"# {DAY} Session Notes\n\n## Heron\n\nDone."


@given(st.text(max_size=200))
def test_no_answer_raises(raw: str) -> None:
    prompt.read_notes(raw, day=DAY, most=3, grounds=SESSION)
    prompt.score(raw, ["a"])
    prompt.read_condensed(raw, SESSION)


def test_a_judgement_names_memories_without_doubt_or_not_at_all() -> None:
    listed = [{"id": "aa1", "relevance": 2}, {"id": "b", "relevance": 0.5}, {"id": "c"}, 7]
    raw = json.dumps({"score": 0.4, "memories_used": -3, "per_memory": listed})
    found = prompt.score(raw, ["aa1-x", "b-1", "b-2", "c-1"])
    assert found is not None
    assert (found.score, found.confidence, found.used) == (0.4, 0.0, 0)
    assert found.relevance == (("aa1-x", 1.0),)
    assert prompt.score('{"score": "high"}', []) is None


@pytest.mark.parametrize(
    ("summary", "project", "expected"),
    [
        ("# Day\n\n## The Heron's nest!\n", "/p/x", "the-heron-s-nest"),
        ("# Day\n\n## Grüße für Ünal\n", None, "grue-fur-unal"),
        ("# Day\n\n## 日本\n", "/work/Heron App/", "heron-app"),
        ("no heading", "C:\\work\\wren", "wren"),
        ("no heading", None, "session"),
        ("## " + "long " * 40, None, "long-" * 9 + "long"),
        ("## ../../etc/passwd", None, "etc-passwd"),
    ],
)
def test_notes_are_called_after_their_topic(
    summary: str, project: str | None, expected: str
) -> None:
    assert files.slug(summary, project) == expected


def test_a_name_that_is_taken_gets_a_number_and_then_its_time() -> None:
    session = Session(agent_id="a", key="k", harness="h", project=None, text="")
    asked = SummaryJob(
        job_id="j1",
        session=session,
        ended_at=datetime(2026, 5, 1, 9, 8, 7, tzinfo=UTC),
        started_at="",
        asked_at=datetime(2026, 5, 1, 9, 8, 7, tzinfo=UTC),
        chars=0,
        is_part=False,
    )
    names = list(islice(files.names(asked, "## Heron"), 30))
    assert names[0] == "memory/2026-05-01-heron.md"
    assert names[1:20] == [f"memory/2026-05-01-heron-{n}.md" for n in range(2, 21)]
    assert names[20:] == ["memory/2026-05-01-heron-090807.md", "memory/2026-05-01-heron-j1.md"]


@pytest.mark.parametrize(
    ("memory", "fact", "expected"),
    [
        ("Heron runs on SQLite since May.", "Heron runs on SQLite.", True),
        ("Heron runs on MySQL since May.", "Wren deploys on Thursdays.", False),
        ("Heron listens on port 4410.", "Heron listens on port 4411.", False),
        ("Heron never deploys on Fridays.", "Heron deploys on Fridays.", False),
        ("anything", "!!", False),
        ("Nora now lives in Bergen.", "Nora now lives in Bergen", True),
        ("Nora lives in Bergen with her two cats.", "Nora lives in Bergen with two cats.", True),
        ("The user lives in Tromso.", "The user lives in Bergen.", False),
        ("The user now lives in Tromsø.", "The user now lives in Bodø.", False),
        ("Nora's boat lies at the north pier.", "Ana's boat lies at the north pier.", False),
        ("The heron service deploys on Tuesdays.", "The heron service deploys on Fridays.", False),
        ("Nora has two cats in the house.", "Nora has three cats in the house.", False),
        ("Each call waits 5.3 seconds.", "Each call waits 3.5 seconds.", False),
        ("Nora hadn't seen the harbour before.", "Nora had seen the harbour before.", False),
        ("Nora's boat is moored at a pier in Bergen.", "Nora's boat is moored in Bergen.", True),
    ],
)
def test_a_memory_says_a_fact_with_most_of_its_words_all_numbers_and_no_denial(
    memory: str, fact: str, expected: bool
) -> None:
    assert summarize.says(memory, fact) is expected


def test_a_fact_of_a_model_is_of_the_turn_that_says_most_of_it() -> None:
    text = (
        "User (2025-04-07T09:00:00Z): Shall Heron run on Postgres or on MySQL?\n"
        "Assistant (2025-04-07T09:01:00Z): Postgres.\n"
        "User (2025-04-09T10:00:00Z): Then Heron runs on Postgres 16 from May on."
    )
    told = [Said(content="Heron runs on Postgres 16."), Said(content="Nobody said anything.")]
    assert [one.said_at for one in summarize.placed(told, text)] == ["2025-04-09T10:00:00Z", None]
    assert summarize.placed(told, "User: Heron runs on Postgres 16.") == told


def test_a_note_in_an_answer_begins_no_part() -> None:
    answer = "".join(f"Note: use habit number {number} to write.\n" for number in range(1_000))
    session = f"User: How do I write?\nAssistant: Thus.\n{answer}User: I live in Bergen.\n"
    whole = session + f"Assistant: Fine.\n{answer}"
    found = prompt.parts(whole)
    assert len(found) > 1 and "".join(found) == whole
    assert all(part.startswith(("User:", "Assistant:")) for part in found)
