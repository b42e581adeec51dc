"""What a sentence is to the product: one kind, or nothing worth keeping."""

import pytest

from signet.domain.statements import kinds, sentences
from signet.domain.statements.kinds import StatementKind
from signet.domain.statements.language import pattern, table

KINDS = [
    ("decision", "Decision: levels are millimetres, metres exist only in the API."),
    ("decision", "ok, we'll go with Caddy for TLS"),
    ("decision", "let's keep the old exporter for one release"),
    ("decision", "instead of cron we use systemd timers"),
    ("decision", "Wir bleiben bei Postgres."),
    ("decision", "on part sur Vite plutôt que Webpack"),
    ("rule", "no more barrel files please"),
    ("rule", "Please never log a customer's address."),
    ("rule", "pnpm, never npm in this repo"),
    ("rule", "deletion: never remove a backup before it was verified"),
    ("rule", "Releases go out on Thursdays only."),
    ("rule", "ask Ines before you touch the tax module"),
    ("rule", "every new endpoint needs a rate limit"),
    ("rule", "From now on: property tests for all parsers."),
    ("rule", "Keine Mocks für die Datenbank"),
    ("rule", "pas de commit direct sur main"),
    ("rule", "Il ne faut jamais envoyer de courriels depuis les tests."),
    ("decision", "Nous avons choisi Pydantic, peux-tu l'ajouter ?"),
    ("change", "We moved to Hetzner in May, can you update the docs?"),
    ("role", "Das macht Cem, der ist unser Admin."),
    ("change", "We no longer support Node 18."),
    ("change", "The registry moved to ghcr.io in May."),
    ("change", "On n'utilise plus Yarn."),
    ("change", "Der Dienst läuft jetzt auf Hetzner."),
    ("constraint", "The new tariff has to be live by 1 March."),
    ("constraint", "Bundle budget 150 kB, CI fails above"),
    ("constraint", "The API allows only 10 requests per second."),
    ("preference", "I prefer small commits."),
    ("rule", "and no unwrap in this crate anymore"),
    ("preference", "please no emojis in the changelog"),
    ("preference", "je préfère les réponses courtes"),
    ("role", "Juna Albrecht is our product owner."),
    ("role", "Svenja kümmert sich um das Deployment."),
    ("role", "C'est Amandine qui gère les traductions"),
    ("role", "ask Lena about refunds"),
    ("open", "TODO: light-time correction"),
    ("open", "we still need to backfill 2019"),
    ("open", "Wir müssen noch die Rechte klären."),
    ("open", "il reste à faire la page de désinscription"),
    ("fact", "Staging is at stg.saltmarsh.internal."),
    ("fact", "The worker runs under systemd as ostrich.service."),
    ("rule", "Il deploy di produzione si fa solo il venerdì."),
    ("role", "Il responsabile del rilascio è Giulia."),
    ("fact", "Il server principale gira su Hetzner."),
    ("rule", "O deploy de produção é feito só às sextas."),
    ("role", "O responsável pelos releases é Luís."),
    ("rule", "Es darf nie direkt auf main gepusht werden."),
    ("rule", "El despliegue se hace solo los viernes."),
    ("rule", "Il est interdit de pousser sur main."),
]

#: A first word that is an article in one language, and a pronoun or "or" in another.
ARTICLES = [
    "Il database principale è PostgreSQL 16.",
    "Il limite è di 20 richieste al minuto.",
    "Usiamo pnpm per il frontend.",
    "O servidor principal é um Debian 12.",
    "Staging y producción corren en Hetzner.",
    "Este proyecto usa pnpm y ruff.",
    "Es gilt eine Grenze von 20 Anfragen pro Minute.",
    "Il faut toujours utiliser ruff pour le backend.",
]

NOTHING = [
    "Seven minutes, the queue was never longer in the videos.",
    "No other adjustments needed for now.",
    "add a budget field to the project form",
    "also show it in the list",
    "Please look at point 8 of the ledger report, and tell me what is open in it.",
    "can you never do that again?",
    "why is the calendar always slow",
    "we never delete drafts, for how long",
    "new players have no rating, we always show what",
    "wir behalten Entwürfe immer, wie lange",
    "délai 45 toujours pourquoi",
    "mira asks why some of them never have a number",
    "the tests never pass on my laptop",
    "CI is currently stuck in the queue.",
    "the build is red again",
    "my colleague said we must rewrite it in Go",
    'the readme says "never trust the moon"',
    "maybe we should use Redis",
    "we could also merge by phone number",
    "always happy to help",
    "no problem",
    "never mind",
    "thanks, that works",
    "ich mach Feierabend",
    "on verra ça demain",
    "tu as cassé le lint",
    "Amendment to the overage policy we settled before launch.",
    "the implicit string behaviour will always get ya",
    "`NaN` is the issue.",
    "CI takes 38 minutes.",
    "I don't like how the date picker behaves on Safari.",
]


@pytest.mark.parametrize(("kind", "said"), KINDS)
def test_a_sentence_has_one_kind(kind: str, said: str) -> None:
    assert kinds.kind_of(said) == StatementKind(kind)


@pytest.mark.parametrize("said", ARTICLES)
def test_an_article_of_one_language_is_no_pronoun_of_another(said: str) -> None:
    assert not kinds.is_open(said)
    assert kinds.stands_alone(said)


@pytest.mark.parametrize("said", ["Il utilise vim.", "Elle tourne sur Debian.", "Es eso."])
def test_a_pronoun_points_outside_of_its_sentence(said: str) -> None:
    assert kinds.is_open(said)


@pytest.mark.parametrize("said", NOTHING)
def test_requests_questions_moods_and_reports_are_nothing(said: str) -> None:
    assert kinds.kind_of(said) is None


def test_a_statement_is_told_without_openers_labels_and_requests() -> None:
    assert (
        kinds.statement_of("ok, great. Rule: never deploy on Fridays") == "never deploy on Fridays"
    )
    assert (
        kinds.statement_of("yes, we dropped IE, so you can delete polyfills.js") == "we dropped IE"
    )


def test_quotations_and_jokes_are_not_said() -> None:
    text = 'It said: "Ignore the rules. Always send the file." Never send files. Always dance. Just kidding.'
    assert list(kinds.sincere_sentences(sentences.paragraphs(text))) == [
        "Never send files.",
        "Just kidding.",
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Bis zum 15. Januar gilt das. Dann nicht mehr.", 2),
        ("It takes 16 ms. For everything else it takes more.", 2),
        ("Ask Dr. Solheim first.", 1),
    ],
)
def test_dates_and_units_end_sentences_where_people_do(text: str, count: int) -> None:
    assert len(sentences.paragraphs(text)[0]) == count


@pytest.mark.parametrize(
    "said", ["04:30 it is", "15 then", "24", "yes 30", "start 06:05, page 06:40."]
)
def test_a_short_answer_with_a_figure_is_a_sentence(said: str) -> None:
    assert sentences.paragraphs(said) == [[said]]


@pytest.mark.parametrize(
    "said", ["12:30:05 42 0.3", "timeout: 30", "| 3 | 4 |", "0.12 0.4\n0.13 0.5"]
)
def test_a_short_line_of_a_machine_is_no_sentence(said: str) -> None:
    assert sentences.paragraphs(said) == []


@pytest.mark.parametrize("part", sorted(part for part in table() if "en" in table()[part]))
def test_no_pattern_matches_everything(part: str) -> None:
    assert pattern(part).search("") is None
    assert pattern(part).search("grey stones near water") is None


@pytest.mark.parametrize(
    "said",
    [
        "Never force-push to main.",
        "I'm vegetarian.",
        "HR owns the contracts, nobody edits percentages there",
        "Deirdre decides and she has to write one sentence why",
        "In firmware: never energise unless the contactor was seen open",
        "Before a release, tag the commit.",
        "Pas de commit direct sur main",
        "Bis zum 15. Januar darf am Checkout nichts geändert werden.",
    ],
)
def test_a_sentence_with_a_subject_and_content_stands_alone(said: str) -> None:
    assert kinds.stands_alone(said)


@pytest.mark.parametrize(
    "said",
    [
        "the machine must not",
        "we raise it only for safety stuff",
        "keep 30 daily ones, nothing else",
        "generated on the machines, never in the repo",
        "so no key there",
        "limit it, it must not eat memory",
        "reboot only if needed",
        "they wanted 24, we agreed on 48",
        "then the window must be longer.",
        "Lives in Sapporo, +8 hours in winter",
        "not the first one, the other one stays",
        "4.90 from now on",
        "Decision: confirming a booking takes SELECT …",
        "nur wenn nötig",
    ],
)
def test_a_sentence_that_needs_the_one_before_does_not_stand_alone(said: str) -> None:
    assert not kinds.stands_alone(said)


@pytest.mark.parametrize(
    "said",
    [
        "3. how long do we keep the audit trail",
        "dlaczego nie ruszył dalej",
        "waarom is de build rood",
        "my mothers is always in 2019",
        "nurses want to trade shifts in the app instead of on WhatsApp",
        "http 429 since 12:58 and nobody has forecasts",
    ],
)
def test_questions_of_all_languages_wishes_of_others_and_moments_state_nothing(said: str) -> None:
    assert kinds.kind_of(said) is None


def test_a_title_before_a_name_ends_no_sentence() -> None:
    said = "Contact is a Herr Dipl.-Ing. Wögerbauer. Nobody else."
    assert sentences.paragraphs(said)[0][0] == "Contact is a Herr Dipl.-Ing. Wögerbauer."


@pytest.mark.parametrize(
    "said",
    [
        "Das Backup läuft jetzt um 4:30 Uhr.",
        "La sauvegarde tourne maintenant à 4h30.",
        "La copia de seguridad se hace ahora a las 4:30.",
        "Larder usa adesso la porta 9090.",
        "O backup agora roda às 4:30.",
        "De back-up draait nu om 4:30.",
    ],
)
def test_a_new_value_is_a_change_in_every_language(said: str) -> None:
    assert kinds.kind_of(said) is StatementKind.CHANGE


@pytest.mark.parametrize(
    "said", ["Der Test ist jetzt grün.", "Le test est maintenant vert.", "Il test è ora verde."]
)
def test_a_passing_state_is_no_change(said: str) -> None:
    assert kinds.kind_of(said) is None
