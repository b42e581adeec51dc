"""Which words of a text are names, and which of those are certain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.graph import names


def certain(text: str) -> list[str]:
    return [name.text for name in names.find(text) if name.is_certain]


def doubtful(text: str) -> list[str]:
    return [name.text for name in names.find(text) if not name.is_certain]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Alice prefers Postgres over MySQL", ["Alice", "Postgres", "MySQL"]),
        ("We store it in SQLite, not in DuckDB.", ["SQLite", "DuckDB"]),
        ("The office of Acme Corp is in New York.", ["Acme Corp", "New York"]),
        ("New York is loud.", ["New York"]),
        ("Use Redis for the queue.", ["Redis"]),
        ("Yesterday Łukasz met Élodie Dupont.", ["Łukasz", "Élodie Dupont"]),
        ("The plan of Åsa and Ünal.", ["Åsa", "Ünal"]),
        ("I asked O'Brien about Jean-Luc.", ["O'Brien", "Jean-Luc"]),
        ("We deploy with Node.js and Fly.io on iOS.", ["Node.js", "Fly.io", "iOS"]),
        ("My editor is VS Code on macOS.", ["VS Code", "macOS"]),
        ("I met Alice's brother.", ["Alice"]),
        ("She spoke to Dr. Smith today.", ["Smith"]),
        ("Their CI/CD runs on S3 and GPT-4.", ["CI/CD", "S3", "GPT-4"]),
        ("I saw Game of Thrones in Rio de Janeiro.", ["Game of Thrones", "Rio de Janeiro"]),
        ("We met Dana of all people.", ["Dana"]),
        ("GitHub is slow.", ["GitHub"]),
        ("It runs on Postgres, Kafka and Bun.", ["Postgres", "Kafka", "Bun"]),
    ],
)
def test_names_are_found_where_their_form_proves_them(text: str, expected: list[str]) -> None:
    assert certain(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Wow, that is great.",
        "Today we met. Then we left. However, it rained.",
        "Please run it on Monday, or in March.",
        "**Status**: done",
        "Note: the API and the URL are public.",
        "I think I'm late and I'll go. Don't wait.",
        "DO NOT PUSH TO MAIN",
        "Run CREATE TABLE IF NOT EXISTS first.",
        "See https://Example.com/Docs and src/App.tsx or README.md.",
        "Call getUserName() or MAX_SIZE = 3.",
        "The PRs and URLs are old.",
        "What The Long Title Of Seven Words",
        "...!?",
        "I am glad! Can't wait to see it. Won’t you?",
        "Long time no see! Tons has gone down since then.",
    ],
)
def test_ordinary_capitals_are_no_names(text: str) -> None:
    assert names.find(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. **Error Handling**: tell Mira.\n2. **Adjust Plans:** weekly.", ["Mira"]),
        ("### Example Activities\n- **AI Storytelling**: with Larder", ["Larder"]),
        ("- Camera Maintenance: $50\n- Tax Rate: 12%\nAsk Jonas Weber.", ["Jonas Weber"]),
        ("| Task | Final Owner |\n|---|---|\n| Medical Bills | $200 |", []),
        ("Send it to [Insert Location or Zoom Link], [Dev B].", []),
        ("```css\n/* Sidebar styles */ of Ada Winter\n```\nWe met Bo.", ["Bo"]),
        ("Tell candidates. Candidates should be told by Ada.", ["Ada"]),
        ("Consistency is key. Transparency can help.", []),
        ("Importance of Managing Finances", ["Managing Finances"]),
        ('Under "Research design trends" stands "Dune".', ["Dune"]),
        ("The class `IndexedSet`'s order and Union[bytes, str]", ["IndexedSet"]),
        ('- **"The Hunger Games" by Suzanne Collins**', ["Hunger Games", "Suzanne Collins"]),
    ],
)
def test_titles_labels_and_blanks_prove_no_name(text: str, expected: list[str]) -> None:
    assert certain(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Do this:\n\n1. **Error Handling**: tell Mira.\n2. **Adjust Plans:** weekly.", ["Mira"]),
        ("Begin.\n### 5. Templates\n\nCreate the pages for Ada Winter.", ["Ada Winter"]),
        ("Begin.\n#### Final Thoughts\nGiven that Jonas Weber is there, go.", ["Jonas Weber"]),
        ("We need:\n- Camera Maintenance: $50\n- Tax Rate: 12%", []),
        ("It is long.\n\n**Sample Announcement:**\nCome to Port Ellen.", ["Port Ellen"]),
        (
            "So:\n```css\n/* styles of Ada Winter */\n```\nThen we met Mira Lang.",
            ["Mira Lang"],
        ),
        ("We asked **Ada Winter** at\nAcme Corp: 3 came.", ["Ada Winter", "Acme Corp"]),
    ],
)
def test_lines_that_were_joined_prove_no_more_than_they_did(text: str, expected: list[str]) -> None:
    """A memory is kept in one line."""
    assert certain(" ".join(text.split())) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Postgres: port 5432", ["Postgres"]),
        ("Kafka, then the rest.", ["Kafka"]),
        ("# Orders Gateway", ["Orders Gateway"]),
        ("Deployment is slow.", []),
        ("Lunch was late.", []),
    ],
)
def test_one_capitalised_word_at_the_start_is_doubtful(text: str, expected: list[str]) -> None:
    assert doubtful(text) == expected
    assert certain(text) == []


def test_a_name_knows_where_it_stands() -> None:
    text = "We asked (Acme Corp), then “Bob”."
    assert [text[name.start : name.end] for name in names.find(text)] == ["Acme Corp", "Bob"]


def test_the_canonical_name_is_lower_case_with_single_spaces() -> None:
    assert names.canonical("  Acme \n Corp ") == "acme corp"


@given(st.text(max_size=200))
def test_every_name_is_a_piece_of_the_text_without_edges(text: str) -> None:
    for name in names.find(text):
        assert name.text.split() == text[name.start : name.end].split()
        assert name.text == name.text.strip()
        assert any(character.isalpha() for character in name.text)
