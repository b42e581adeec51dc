"""The rules of quickstart: what it makes memories of, what it asks, what it says about jobs."""

from signet.cli.quickstart.command import QuickstartOutcome, outcome_text
from signet.cli.quickstart.learn import (
    PIECE_CHARS,
    LearnedFact,
    pieces,
    questions_about,
    sample_questions,
)
from signet.domain.transcripts import transcript


def memories(text: str) -> list[str]:
    """Return the memories made of a transcript."""
    return list(pieces(transcript.parse(text)))


def test_each_memory_says_who_spoke() -> None:
    assert memories("User: We use Go.\nAssistant: Noted.\nUser: Good.") == [
        "User: We use Go.",
        "Assistant: Noted.",
        "User: Good.",
    ]


def test_each_item_of_a_list_is_a_memory_and_code_is_none() -> None:
    notes = (
        "# Rules\n\n- Never push on Fridays.\n- Always tag releases.\n\n```sh\nrm -rf build\n```\n"
    )
    assert memories(notes) == ["Never push on Fridays.", "Always tag releases."]


def test_a_long_paragraph_is_split_where_sentences_end_and_keeps_its_speaker() -> None:
    sentence = "The harbour crane lifts forty tonnes on a calm day. "
    found = memories("User: " + sentence * 40)
    assert len(found) > 2
    assert all(piece.startswith("User: The harbour crane") for piece in found)
    assert all(len(piece) <= PIECE_CHARS + len("User: ") for piece in found)


def a_fact(content: str, type: str = "fact") -> LearnedFact:
    """Return a fact with this text."""
    return LearnedFact(id="f", content=content, type=type, confidence=0.9, source_id="m")


def test_questions_are_about_the_names_mentioned_most() -> None:
    learned = [
        a_fact("Tidewater uses Redis."),
        a_fact("Tidewater listens on port 4000."),
        a_fact("Ingrid maintains Tidewater with Redis."),
    ]
    asked = [question.text for question in questions_about(learned)]
    assert asked == [
        "What is known about Tidewater?",
        "What is known about Redis?",
        "What is known about Ingrid?",
    ]


def test_too_few_names_are_made_up_for_by_kinds_of_facts() -> None:
    learned = [a_fact("The user prefers small commits.", "preference")]
    asked = questions_about(learned)
    assert [(one.text, one.type) for one in asked] == [("What does the user prefer?", "preference")]
    assert questions_about([]) == []


def test_the_sample_has_three_questions() -> None:
    assert len(sample_questions()) == 3


def test_a_dead_or_open_job_is_told_with_its_reason_and_is_no_success() -> None:
    dead = QuickstartOutcome(
        completed=3, open=0, waiting=0, reasons=(), dead=("extract: no such memory",)
    )
    assert outcome_text(dead, is_paused=False) == "3 done, dead: extract: no such memory"
    stuck = QuickstartOutcome(completed=0, open=2, waiting=0, reasons=(), dead=())
    assert outcome_text(stuck, is_paused=False) == "nothing new to do, 2 still open"
    assert "the queue is paused" in outcome_text(stuck, is_paused=True)
    assert not dead.is_whole
    assert not stuck.is_whole


def test_a_job_that_waits_for_a_model_is_told_and_no_failure() -> None:
    waiting = QuickstartOutcome(completed=3, open=0, waiting=4, reasons=("no model",), dead=())
    assert outcome_text(waiting, is_paused=False) == "3 done, 4 wait: no model"
    assert waiting.is_whole
