"""The session that ships with the product: worth distilling, and it answers its own questions."""

import json
from pathlib import Path

import signet
from signet.domain.extraction import rules
from signet.domain.transcripts import transcript

TEMPLATES = Path(signet.__file__).parent / "templates"
SESSION = (TEMPLATES / "quickstart-session.jsonl").read_text(encoding="utf-8")
QUESTIONS = json.loads((TEMPLATES / "quickstart-questions.json").read_text(encoding="utf-8"))


def test_the_rules_find_between_twelve_and_twenty_five_facts() -> None:
    facts = [fact for fact in rules.extract(SESSION).facts if fact.confidence >= 0.7]
    assert 12 <= len(facts) <= 25
    assert {"decision", "preference", "procedural", "fact"} == {f.type for f in facts}


def test_the_normalized_transcript_gives_the_same_facts_as_the_log() -> None:
    spoken = rules.extract(transcript.normalize(SESSION)).facts
    logged = rules.extract(SESSION).facts
    assert [fact.content for fact in logged] == [fact.content for fact in spoken]


def test_questions_are_answered_by_one_fact_and_causes_by_the_session() -> None:
    assert len(QUESTIONS) == 3
    facts = [fact.content for fact in rules.extract(SESSION).facts]
    *asked, cause = QUESTIONS
    for question in asked:
        assert any(all(word in fact for word in question["answer_contains"]) for fact in facts)
    assert all(word in SESSION for word in cause["answer_contains"])


def test_what_was_only_considered_or_corrected_is_not_kept() -> None:
    facts = " ".join(fact.content for fact in rules.extract(SESSION).facts)
    assert "Postgres" not in facts
    assert "Larder listens on port 8080" not in facts
