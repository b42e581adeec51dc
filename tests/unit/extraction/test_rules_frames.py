"""What stands in a play, in a pasted text or beside proposed code is nobody's statement; what stands before it is."""

import pytest

from signet.domain.extraction import rules


def facts(text: str) -> list[str]:
    return [fact.content for fact in rules.extract(text).facts if fact.confidence >= 0.7]


@pytest.mark.parametrize(
    "frame",
    [
        "Let's role-play: I am a captain.",
        "Act as a pirate and answer me.",
        "I want you to act as my interviewer.",
        "Pretend that we are on Mars.",
        "You are the dungeon master.",
        "Here is my character sheet.",
    ],
)
def test_from_where_a_play_begins_nobody_speaks_as_himself(frame: str) -> None:
    told = "User: I live in Oslo.\nAssistant: Fine.\n"
    played = f"User: {frame}\nAssistant: Go on.\nUser: I live in Castle Dunmore."
    assert facts(told + played) == ["The user lives in Oslo."]


@pytest.mark.parametrize(
    "request_",
    ["Write a letter for Ida.", "Can you rewrite this paragraph?", "Please proofread my essay."],
)
def test_what_follows_a_wish_for_a_text_is_its_matter(request_: str) -> None:
    told = f"User: I'm Ana, a baker from Porto. {request_} I live in Rome. My dog is called Fig."
    assert facts(told) == ["The user is Ana, a baker from Porto."]


def test_a_wish_for_code_ends_nothing() -> None:
    assert facts("User: Rewrite the loader in Go. I live in Rome.") == ["The user lives in Rome."]


@pytest.mark.parametrize(
    "said",
    [
        "Nginx should act as a reverse proxy.",
        "Act as an expert reviewer.",
        "I can't pretend to like Java.",
        "Make the text bigger.",
        "I have to finish the essay first.",
        "You are an expert in Rust.",
    ],
)
def test_what_only_sounds_like_a_frame_ends_nothing(said: str) -> None:
    assert "The user lives in Rome." in facts(f"User: {said} I live in Rome.")


def test_of_a_pasted_text_only_what_the_user_says_of_himself_is_kept() -> None:
    pasted = "The treaty was signed in Utrecht by nine states. " * 40
    text = f"User: I live in Oslo. {pasted}Kafka uses ZooKeeper."
    assert facts(text) == ["The user lives in Oslo."]
    assert facts("User: Kafka uses ZooKeeper.") == ["Kafka uses ZooKeeper."]


def test_a_document_may_be_as_long_as_it_likes() -> None:
    text = "There is much to tell of older days. " * 60 + "Kafka uses ZooKeeper."
    assert facts(text) == ["Kafka uses ZooKeeper."]
