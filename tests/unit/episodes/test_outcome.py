"""How people say that they change what was decided."""

import pytest

from signet.domain.episodes import outcome


@pytest.mark.parametrize(
    "text",
    [
        "we have to change that. the adviser may post into closed months",
        "change of plan: no broker, a table",
        "On second thought, keep the aliases.",
        "scrap that, ops refuse to run it",
        "We changed our minds about the labels.",
        "we don't round anymore",
        "ok then we go back to Postgres",
        "nee doch nicht, wir nehmen SQLite",
        "Das ändern wir: acht statt zehn Jahre.",
        "die Regel gilt nicht mehr",
        "Finalement, le total est arrondi par facture.",
        "Ya no redondeamos por línea.",
        "Мы больше не храним вложения в базе.",
        "缓存时间改成五分钟。",
        "有効期限を変更します。",
    ],
)
def test_a_change_of_mind_is_known_in_the_words_of_people(text: str) -> None:
    assert outcome.amends(text)


@pytest.mark.parametrize(
    "text",
    [
        "Use Postgres instead of SQLite for the tests.",
        "We decided on quadkeys.",
        "The change was merged yesterday.",
        "Wir runden den Preis auf ganze Cent.",
        "缓存用 Redis，过期时间十五分钟。",
    ],
)
def test_a_decision_alone_changes_nothing_earlier(text: str) -> None:
    assert not outcome.amends(text)


@pytest.mark.parametrize(
    "talk",
    [
        "User: which share do we trace?\nAssistant: I have no access to the collector.\nUser: ok",
        "User: how many retries do we do again\nAssistant: Probably three, as usual.\nUser: hm",
        "User: wo liegen die Bilder?\nAssistant: Das weiß ich nicht.\nUser: egal",
        "User: où sont les sauvegardes ?\nAssistant: Je ne sais pas.\nUser: tant pis",
        "User: ¿cuál es el puerto?\nAssistant: No lo sé.",
        "User: what's the limit?\nAssistant: Which limit do you mean?\nUser: never mind",
        "User: and the fee for Norway?",
    ],
)
def test_a_talk_that_only_asks(talk: str) -> None:
    assert outcome.only_asks(talk)


@pytest.mark.parametrize(
    "talk",
    [
        "User: which share do we trace?\nAssistant: 5 %, in collector.yaml.\nUser: ok",
        "User: which port?\nAssistant: I don't know.\nUser: 9443",
        "User: Our regatta is on the ninth of May. What belongs into its programme?",
        "User: which cache?\nAssistant: I am not sure.\nUser: from now on only Redis, never Memcached",
        "User: the export fails\nAssistant: I can't see why.",
        "User: which cache?\nAssistant: I am not sure, but the settings of the staging host name Redis, with a"
        " second one for sessions, and the deploy script starts both of them before the web server and the worker.",
        "A commit message",
        "",
    ],
)
def test_a_talk_that_says_something(talk: str) -> None:
    assert not outcome.only_asks(talk)
