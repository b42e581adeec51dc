"""The built-in extractor, sentence by sentence: what is kept, in which words, and what is left out."""

import os
import re
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.extraction import rules
from signet.domain.extraction.models import Extraction

GATE = 0.7


def kept(text: str) -> list[str]:
    return [fact.content for fact in rules.extract(text).facts if fact.confidence >= GATE]


def types(text: str) -> dict[str, str]:
    return {fact.content: fact.type for fact in rules.extract(text).facts}


def relations(text: str) -> list[tuple[str, str, str]]:
    found = rules.extract(text).triples
    return [(triple.source, triple.relationship, triple.target) for triple in found]


KEPT_FROM_USER = [
    ("I prefer tabs over spaces.", "The user prefers tabs over spaces."),
    ("i prefer short commit messages", "The user prefers short commit messages."),
    ("Well, I really like Rust!", "The user really likes Rust."),
    ("ok so btw I hate long meetings", "The user hates long meetings."),
    ("I always use uv for Python projects.", "The user always uses uv for Python projects."),
    ("I never commit on Fridays.", "The user never commits on Fridays."),
    ("I don't like ORMs.", "The user doesn't like ORMs."),
    ("I avoid global state in services.", "The user avoids global state in services."),
    ("My name is Dana.", "The user's name is Dana."),
    ("I'm Dana, a data engineer from Lyon.", "The user is Dana, a data engineer from Lyon."),
    ("I work at Acme Corp.", "The user works at Acme Corp."),
    ("I live in Lisbon with my partner.", "The user lives in Lisbon with the user's partner."),
    ("I'm allergic to peanuts.", "The user is allergic to peanuts."),
    ("My wife works at a hospital.", "The user's wife works at a hospital."),
    ("My dog is called Biscuit.", "The user's dog is called Biscuit."),
    ("I have two kids.", "The user has two kids."),
    ("I've been learning Japanese.", "The user has been learning Japanese."),
    ("I grew up in Ghana.", "The user grew up in Ghana."),
    ("My favorite editor is Helix.", "The user's favorite editor is Helix."),
    ("I maintain the billing service.", "The user maintains the billing service."),
    ("We decided to use Postgres.", "The team decided to use Postgres."),
    ("We switched from npm to Bun.", "The team switched from npm to Bun."),
    ("Let's go with Redis for the queue.", "The team decided to go with Redis for the queue."),
    ("we'll use trunk-based development", "The team will use trunk-based development."),
    ("We agreed on two reviewers per change.", "The team agreed on two reviewers per change."),
    ("We chose FastAPI over Flask.", "The team chose FastAPI over Flask."),
    ("I'm building a recipe app in Kotlin.", "The user is building a recipe app in Kotlin."),
    ("We store sessions in Redis.", "The team stores sessions in Redis."),
    ("Our API runs on Fly.io.", "The team's API runs on Fly.io."),
    ("The API listens on port 8080.", "The API listens on port 8080."),
    ("Never force-push to main.", "Never force-push to main."),
    ("Always run the linter before committing.", "Always run the linter before committing."),
    ("The release is due on March 3.", "The release is due on March 3."),
    ("My deadline is June 12.", "The user's deadline is June 12."),
    ("I use Neovim and write mostly Go.", "The user uses Neovim and writes mostly Go."),
    ("Remember that I'm vegetarian.", "The user is vegetarian."),
    ("Actually, my team uses GitLab.", "The user's team uses GitLab."),
    ("I do enjoy hiking, and I love maps.", "The user does enjoy hiking, and the user loves maps."),
    ("I'll go with Hetzner for cost reasons.",
     "The user will go with Hetzner for cost reasons."),
    ("My birthday is on 14 May.", "The user's birthday is on 14 May."),
    ("I'm moving to Antwerp in August.", "The user is moving to Antwerp in August."),
    ("I take 20 mg of zinc every morning.", "The user takes 20 mg of zinc every morning."),
    ("I have type 1 diabetes.", "The user has type 1 diabetes."),
    ("I've been vegan since 2020.", "The user has been vegan since 2020."),
    ("I've worked at Orbit Labs for six years.",
     "The user has worked at Orbit Labs for six years."),
    ("I need to hand in my thesis by 15 June.",
     "The user needs to hand in the user's thesis by 15 June."),
    ("Ines is our designer.", "Ines is the team's designer."),
    ("I sign releases myself until May.", "The user signs releases themselves until May."),
    ("Nadia is my sister.", "Nadia is the user's sister."),
    ("We upgraded from Node 18 to Node 22.", "The team upgraded from Node 18 to Node 22."),
    ("We release every second Tuesday.", "The team releases every second Tuesday."),
    ("The project targets Python 3.12.", "The project targets Python 3.12."),
    ("The staging database runs Postgres 16.", "The staging database runs Postgres 16."),
    ("The meeting with the bank is on 12 March.", "The meeting with the bank is on 12 March."),
    ("Please always answer in British English.", "Always answer in British English."),
    ("From now on, use pnpm instead of npm.", "From now on, use pnpm instead of npm."),
    ("Don't ever use floats for money.", "Don't ever use floats for money."),
    ("Tomas maintains the billing code.", "Tomas maintains the billing code."),
    ("Please always run `just lint` before you commit.",
     "Always run `just lint` before you commit."),
    ("I prefer commits with the ticket number in the scope.",
     "The user prefers commits with the ticket number in the scope."),
    ("Our on-call rotation changes every Monday at 9.",
     "The team's on-call rotation changes every Monday at 9."),
    ("The ledger API allows only 10 requests a second.",
     "The ledger API allows only 10 requests a second."),
    ("The integration tests need Postgres 15.", "The integration tests need Postgres 15."),
    ("The checkout flag is called `till_v2`.", "The checkout flag is called `till_v2`."),
    ("I'm on Fedora 41.", "The user is on Fedora 41."),
    ("Always name the sources when I ask about recommendations.",
     "Always name the sources when I ask about recommendations."),
]  # fmt: skip

KEPT_FROM_NOTES = [
    ("Alice prefers Postgres over MySQL", "Alice prefers Postgres over MySQL."),
    ("User prefers dark mode", "User prefers dark mode."),
    ("Signet stores its data in SQLite.", "Signet stores its data in SQLite."),
    ("The worker depends on Redis.", "The worker depends on Redis."),
    ("- Run the migrations before the deploy", "Run the migrations before the deploy."),
    ("1. To deploy, run `make ship`.", "To deploy, run `make ship`."),
    ("* Do not edit generated files", "Do not edit generated files."),
    ("Before releasing a version, tag the commit.", "Before releasing a version, tag the commit."),
    ("Secrets must never be logged.", "Secrets must never be logged."),
    ("All services must use TLS.", "All services must use TLS."),
    ("Feature branches are squashed on merge.", "Feature branches are squashed on merge."),
    ("BM25 is a ranking function.", "BM25 is a ranking function."),
    ("WAL stands for write-ahead log.", "WAL stands for write-ahead log."),
    ("**Backups** are stored in `s3://vault`.", "Backups are stored in `s3://vault`."),
    ("The config lives in `app.yaml`.", "The config lives in `app.yaml`."),
    ("Decision: use Postgres for billing", "Decision: use Postgres for billing."),
    ("Rule: never deploy on Fridays", "Never deploy on Fridays."),
    ("Bob moved to Berlin.", "Bob moved to Berlin."),
    ("Dr. Reyes leads the platform group.", "Dr. Reyes leads the platform group."),
    ("Grafana runs on port 3000.", "Grafana runs on port 3000."),
    ("The cron job runs every 15 minutes.", "The cron job runs every 15 minutes."),
    ("My manager is Priya.", "The user's manager is Priya."),
    ("- [x] Tests are run with pytest.", "Tests are run with pytest."),
    ("Kafka replaced RabbitMQ.", "Kafka replaced RabbitMQ."),
    ("Ana: I bake sourdough every weekend and I love it!", ""),
    ("Ana: I adopted a rescue dog!", "Ana adopted a rescue dog."),
]  # fmt: skip

REFUSED_FROM_USER = [
    "Which port does it use?",
    "can you add a test for the parser",
    "Could you explain that again?",
    "Please use tabs here.",
    "Add a retry to the client.",
    "Use Redis for this.",
    "Thanks, that works great!",
    "Hello there, how are you?",
    "ok",
    "yes please do that",
    "Maybe we should use Kafka.",
    "I think Postgres is faster.",
    "It might be the cache.",
    "We could move to Rust.",
    "I would like a table.",
    "If the build fails, I use Docker.",
    "I like it.",
    "I love this!",
    "I like the second option.",
    "I like your idea.",
    "I love how clean it looks.",
    "I'm a bit confused.",
    "I'm not sure about the schema.",
    "I'm looking for a good book.",
    "It runs on port 8080.",
    "They moved to Berlin.",
    "I hosted a class for them in Oslo.",
    "This uses Redis.",
    "That was caused by the cache.",
    "He works at Acme.",
    "The code above uses Redis.",
    "The following example uses Redis.",
    "I went there and it was great.",
    "I want one too.",
    "I need help with my code.",
    "My question is about Postgres.",
    "I have a question about joins.",
    "I have an error in my code:",
    "What I use is Redis?",
    "Let's see what happens.",
    "Let me know when it is done.",
    "I told you that we use Redis.",
    "You always use tabs.",
    "Never mind.",
    "Always happy to help!",
    "I met them both yesterday.",
    "We got married in May.",
    "My wife and I went camping.",
    "I'll check the logs tomorrow.",
    "Today the API runs on port 8080.",
    "I wish I had a dog.",
    "I used to",
    "STOP USING REDIS NOW PLEASE",
    "Don't worry about the tests.",
    "The day was long.",
    "Hopefully the API uses TLS.",
    "I guess my team uses Java.",
    "I have three triangles.",
    "From now on, use that instead.",
    "Tennis is my passion.",
    "We always meet at Café Nord with my college friends.",
    "I built a page where the user can log in.",
    "Me and my neighbour ran a class in Ghent.",
    "I asked Ana about Redis and we agreed on two reviewers.",
    "My accuracy is 90%.",
    "I moved.",
    "I'll keep ya posted.",
    "I want to help make that happen.",
]

REFUSED_FROM_NOTES = [
    "# Postgres is the database",
    "```\nThe API uses Redis.\n```",
    "    the_api = uses(redis)",
    "| API | uses | Redis |",
    '{"api": "uses Redis"}',
    "2026-01-02 10:00:00 INFO the API uses Redis",
    "Traceback (most recent call last):",
    '  File "/app/main.py", line 3, in run',
    "ValueError: the API uses Redis",
    "+++ b/app.py",
    "port = 8080",
    "import redis",
    "> The API uses Redis.",
    "https://example.com/the-api-uses-redis",
    "TODO",
    "TODO: fix the parser",
    "Meeting notes",
    "Keep it up!",
    "Nothing here.",
    "See app.py for more.",
    "v1.2.3",
    "Lorem ipsum dolor sit amet.",
]

REFUSED_FROM_ASSISTANT = [
    "The crash was caused by a race in `pool.py`.",
    "Celery uses RabbitMQ as its broker.",
    "The `orders` table is partitioned by month.",
    "Decision: use Postgres.",
    "I'll now run the tests.",
    "I prefer tabs.",
    "Let me check the file.",
    "We decided to use Redis.",
    "You should use Postgres.",
    "Sure! Here is the code.",
    "Great question.",
    "Run `make test` before you commit.",
    "The function returns a list.",
    "It is stored in `app.db`.",
    "A server uses port 80.",
    "Would you like me to continue?",
    "Now the API uses Redis.",
    "Redis is a fast store.",
]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "I live in Bergen, Norway and work at Larder.",
            ["The user lives in Bergen, Norway.", "The user works at Larder."],
        ),
        ("I live and work in Bergen.", ["The user lives and works in Bergen."]),
        (
            "My wife works at Larder and lives in Oslo.",
            ["The user's wife works at Larder.", "The user's wife lives in Oslo."],
        ),
        (
            "I live in Oslo, work at Larder and have two cats.",
            ["The user lives in Oslo.", "The user works at Larder.", "The user has two cats."],
        ),
        ("I speak German, French and Dutch.", ["The user speaks German, French and Dutch."]),
        (
            "I lead the team and then play chess.",
            ["The user leads the team and then plays chess."],
        ),
    ],
)
def test_each_predicate_of_a_person_is_a_fact_if_all_are(text: str, facts: list[str]) -> None:
    assert kept(text) == facts


@pytest.mark.parametrize(("text", "fact"), KEPT_FROM_USER)
def test_a_users_statement_is_kept_in_the_third_person(text: str, fact: str) -> None:
    assert fact in kept(f"User: {text}")


@pytest.mark.parametrize(("text", "fact"), [row for row in KEPT_FROM_NOTES if row[1]])
def test_a_note_is_kept(text: str, fact: str) -> None:
    assert kept(text) == [fact]


@pytest.mark.parametrize("text", REFUSED_FROM_USER)
def test_what_a_user_says_in_passing_is_refused(text: str) -> None:
    assert kept(f"User: {text}") == []


@pytest.mark.parametrize("text", REFUSED_FROM_NOTES)
def test_what_is_no_statement_in_notes_is_refused(text: str) -> None:
    assert kept(text) == []


@pytest.mark.parametrize("text", REFUSED_FROM_ASSISTANT)
def test_what_an_assistant_says_of_itself_or_in_general_is_refused(text: str) -> None:
    assert kept(f"Assistant: {text}") == []


def test_a_decision_keeps_its_reason() -> None:
    assert types("User: We chose SQLite because it needs no server.") == {
        "The team chose SQLite because it needs no server.": "decision"
    }


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Alice prefers tea.", "preference"),
        ("We switched to Bun.", "decision"),
        ("Keys must be rotated every year.", "procedural"),
        ("Grafana runs on port 3000.", "fact"),
    ],
)
def test_the_type_follows_from_the_family_of_the_verb(text: str, kind: str) -> None:
    assert list(types(text).values()) == [kind]


def test_what_is_open_stays_in_the_session() -> None:
    assert kept("User: Still open: who signs the macOS build of Larder?") == []
    assert kept("User: We still need to migrate the old users of Larder.") == []


def test_what_the_user_takes_back_at_once_is_not_kept() -> None:
    text = "User: Never deploy on a Friday.\nAssistant: Noted.\nUser: {}"
    assert kept(text.format("no, forget that")) == []
    assert kept(text.format("thanks")) == ["Never deploy on a Friday."]


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("super. Bitte ab jetzt keine Mocks mehr für die Datenbank.",
         "Ab jetzt keine Mocks mehr für die Datenbank."),
        ("Wir nehmen Drizzle statt Prisma.", "Wir nehmen Drizzle statt Prisma."),
        ("Bis zum 15. Januar darf am Checkout nichts geändert werden.",
         "Bis zum 15. Januar darf am Checkout nichts geändert werden."),
        ("Die API läuft auf Port 8080.", "Die API läuft auf Port 8080."),
        ("au fait on n'utilise plus Yarn", "On n'utilise plus Yarn."),
        ("pas de commit direct sur main", "Pas de commit direct sur main."),
        ("Le responsable de la sécurité est Karim Belkacem.",
         "Le responsable de la sécurité est Karim Belkacem."),
    ],
)  # fmt: skip
def test_german_and_french_statements_keep_their_words(said: str, fact: str) -> None:
    assert kept(f"User: {said}") == [fact]


def test_the_state_that_a_task_begins_with_is_not_kept() -> None:
    state, rule = (
        "The cache of customs is at 70% with 12 users.",
        "Never restart the cache by hand.",
    )
    talk = f"User: {state}\nAssistant: I see.\nUser: {rule}"
    assert rules.extract(f"User: {state}").facts
    assert [one.content for one in rules.extract(talk).facts] == [rule]
    assert rules.extract(f"User: {rule}\nAssistant: Noted.").facts
    assert rules.extract("User: Decision: the heron waits 17 seconds.\nAssistant: Noted.").facts


def test_two_statements_in_one_sentence_become_two_facts() -> None:
    assert kept("User: I live in Oslo, and my team uses Rust; we deploy with Nomad.") == [
        "The user lives in Oslo.",
        "The user's team uses Rust.",
        "The team deploys with Nomad.",
    ]


def test_a_list_is_never_cut_at_its_and() -> None:
    fact = "Consent must be specific, freely given, and unambiguous in every case."
    assert kept(fact) == [fact]
    assert kept("User: We use Redis, Kafka, and Central Park Maps for the app.") == [
        "The team uses Redis, Kafka, and Central Park Maps for the app."
    ]


def test_one_statement_made_twice_is_one_fact() -> None:
    assert len(kept("User: I prefer tabs.\nAssistant: Noted.\nUser: i prefer tabs!")) == 1


def test_code_between_two_statements_does_not_hide_them() -> None:
    text = "We use Redis.\n```py\nx = We use Kafka\n```\nWe use Nomad."
    assert kept(text) == ["The team uses Redis.", "The team uses Nomad."]


def test_a_transcript_stored_as_one_line_is_still_a_transcript() -> None:
    text = "User: I prefer tabs. Can you fix it? Assistant: Sure. ```py x = 1 ``` Done. User: We use Bun."
    assert kept(text) == ["The user prefers tabs.", "The team uses Bun."]


def test_a_long_line_is_judged_sentence_by_sentence() -> None:
    text = (
        f"{'Nothing to see in this one here. ' * 7}total = 42 apples. The API listens on port 8080."
    )
    assert kept(text) == ["The API listens on port 8080."]


def test_code_in_a_sentence_is_kept_as_it_is() -> None:
    fact = "Backups of `*.db` are stored in `s3://vault[eu]/<day>`."
    assert kept(fact) == [fact]


def test_an_unclosed_fence_hides_the_rest() -> None:
    assert kept("We use Redis.\n```\nWe use Kafka.") == ["The team uses Redis."]


def test_a_wrapped_sentence_is_read_as_one() -> None:
    assert kept("The nightly backup of the orders\ndatabase is stored in `s3://vault`.") == [
        "The nightly backup of the orders database is stored in `s3://vault`."
    ]


def test_file_names_versions_and_abbreviations_do_not_end_a_sentence() -> None:
    assert kept("Signet 1.2.3 stores data, e.g. facts, in app.db on disk. Kafka uses Raft.") == [
        "Signet 1.2.3 stores data, e.g. facts, in app.db on disk.",
        "Kafka uses Raft.",
    ]


def test_named_speakers_are_called_by_their_names() -> None:
    text = "Ana: I moved to Rome!\nBo: My cat is called Fig.\nAna: I love my job!\nBo: Nice."
    assert kept(text) == ["Ana moved to Rome.", "Bo's cat is called Fig.", "Ana loves Ana's job."]


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Alice prefers Postgres over MySQL", ("Alice", "prefers", "Postgres")),
        ("Alice prefers Postgres over MySQL", ("Postgres", "preferred_over", "MySQL")),
        ("We switched from RabbitMQ to Kafka.", ("Kafka", "replaced", "RabbitMQ")),
        ("Signet uses SQLite, FastAPI and Typer.", ("Signet", "uses", "Typer")),
        ("Grafana depends on Loki.", ("Grafana", "depends_on", "Loki")),
        ("Bob works at Acme Corp.", ("Bob", "works_at", "Acme Corp")),
        ("Bob lives in Berlin.", ("Bob", "lives_in", "Berlin")),
        ("Kafka replaced RabbitMQ.", ("Kafka", "replaced", "RabbitMQ")),
        ("The Larder API runs on Fly.io.", ("Larder API", "runs_on", "Fly.io")),
    ],
)
def test_relations_are_read_between_names(text: str, relation: tuple[str, str, str]) -> None:
    assert relation in relations(text)


@pytest.mark.parametrize(
    "text", ["The worker uses Redis.", "Alice prefers long walks.", "Maybe Signet uses Kafka."]
)
def test_no_relation_without_two_names_in_a_kept_fact(text: str) -> None:
    assert relations(text) == []


def test_more_than_twenty_facts_in_one_text_keep_the_surest() -> None:
    listed = "\n".join(f"- The tool{n} listens on port 80{n}." for n in range(25))
    facts = rules.extract(f"User: {listed}\n- Never deploy on a Friday.").facts
    assert len(facts) == 20
    assert facts[-1].content == "Never deploy on a Friday."


def test_twelve_thousand_characters_are_soon_read() -> None:
    text = "User: I prefer tabs, and we decided to use Redis because it is fast, you know?\n" * 150
    started = time.process_time()
    rules.extract(text[:12_000])
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "unit", ["a, ", "so we ", "and I ", "(", "`", "the user's ", "- ", "it ", ", and x, like y ("]
)
def test_no_repetition_makes_a_text_slow(unit: str) -> None:
    started = time.process_time()
    rules.extract("We use " + unit * (12_000 // len(unit)))
    assert time.process_time() - started < 10


WORDS = st.lists(
    st.sampled_from(
        "I we my our it they he the a API Redis Alice prefer use decided because and but so that to "
        'is was run runs on in port 8080 never always must . , ; : ! ? - \n ``` ` ( ) " User: '
        "Assistant: Bob's don't I'm we've wife because, please maybe if".split(" ")
    ),
    max_size=60,
).map(" ".join)

#: What the third person adds to the words of a text.
ADDED = set(
    "the user user's team team's is has does will doesn't isn't hasn't was goes decided to".split()
)


def _stems(text: str) -> set[str]:
    return {re.sub(r"(?:ies|es|s|y|e)$", "", word) for word in re.findall(r"[\w']+", text.lower())}


@given(st.one_of(WORDS, st.text(max_size=300)))
def test_any_text_gives_the_same_facts_twice_made_of_its_own_words(text: str) -> None:
    found = rules.extract(text)
    assert rules.extract(text) == found
    own = _stems(text) | {stem for word in ADDED for stem in _stems(word)}
    for fact in found.facts:
        assert 10 <= len(fact.content) <= 2000
        assert 0 < fact.confidence <= 1
        assert _stems(fact.content) <= own


def test_neither_hashing_nor_the_time_zone_changes_what_is_found() -> None:
    program = (
        "from pathlib import Path; import signet; from signet.domain.extraction import rules\n"
        "log = Path(signet.__file__).parent / 'templates' / 'quickstart-session.jsonl'\n"
        "print(rules.extract(log.read_text(encoding='utf-8')))"
    )
    surroundings = [("0", "UTC"), ("1", "Pacific/Auckland")]
    told = [
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed, "TZ": zone},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, zone in surroundings
    ]
    assert told[0] == told[1]
    assert "make backup" in told[0]


def test_an_empty_text_gives_nothing() -> None:
    assert rules.extract(" \n ") == Extraction()
