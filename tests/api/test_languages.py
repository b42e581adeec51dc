"""Questions in other languages than English find their answers by words alone."""

import json

import pytest

from signet.db import fts
from signet.domain.repair import indexes
from support.http import Api

SAVED = {
    "de": "Die Miete der Werkstatt beträgt 640 Euro.",
    "fr": "Les factures partent chaque vendredi par courrier.",
    "es": "Los despliegues se hacen los jueves por la tarde.",
    "ru": "Пароль от офисной сети меняют каждый месяц.",
    "zh": "部署之前必须通过PostgreSQL的全部测试。",
    "ja": "倉庫の鍵は青い引き出しに入っています。",
    "ko": "배포 회의는 매주 화요일 오전에 있습니다.",
}


def found(api: Api, question: str) -> list[str]:
    results = api.post("/api/memory/recall", {"query": question, "limit": 3}).body["results"]
    return [result["content"] for result in results]


def test_other_forms_of_a_word_and_words_inside_a_sentence_are_found(api: Api) -> None:
    for text in SAVED.values():
        assert api.post("/api/memory/remember", {"content": text}).status == 200
    asked = {
        "de": "Wie hoch sind die Mieten?",
        "fr": "Quel jour envoie-t-on une facture ?",
        "es": "¿Qué día hacemos el despliegue?",
        "ru": "Как часто меняются пароли сетей?",
        "zh": "上线部署要先通过什么测试？",
        "ja": "鍵はどの引き出し？",
        "ko": "회의가 언제 있나요?",
    }
    assert {name: found(api, text)[:1] for name, text in asked.items()} == {
        name: [text] for name, text in SAVED.items()
    }
    assert found(api, "postgresql") == [SAVED["zh"]]


def test_the_index_follows_every_change_of_a_text(api: Api) -> None:
    saved = api.post("/api/memory/remember", {"content": "缓存放在服务器的内存里"}).body
    address = f"/api/memory/{saved['id']}"
    assert found(api, "缓存在哪里？")
    changed = json.dumps({"content": "会议改到星期五", "reason": "it changed"}).encode()
    assert api.send("PATCH", address, changed).status == 200
    assert (found(api, "缓存"), found(api, "会议")) == ([], ["会议改到星期五"])
    api.delete(f"{address}?reason=test")
    assert found(api, "会议") == []
    api.post(f"{address}/recover", {"reason": "test"})
    assert found(api, "会议") == ["会议改到星期五"]
    assert not any(seen.is_off for seen in api.state.db.read(indexes.check_text_indexes))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Wann feiert Oma ihren Geburtstag?", ["feier*feiert", "oma*oma", "geburtstag*geburtstag"]),
        (
            "Quelle boisson Camille préfère-t-elle ?",
            ["boisson*boisson", "camill*camille", "prefer*préfère"],
        ),
        ("¿Cuánto se paga de alquiler?", ["paga*paga", "alquil*alquiler"]),
        ("В какой день выходит релиз?", ["ден*день", "выход*выходит", "релиз*релиз"]),
        ("what did Anna say about the die?", ["anna", "say", "die"]),
        ("postgres son config", ["postgres", "son", "config"]),
        ("服务器在哪里", ["服务", "务器", "器在"]),
    ],
)
def test_words_that_say_nothing_are_left_out_and_endings_taken_off(
    question: str, words: list[str]
) -> None:
    assert fts.content_words(question) == words


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("L'assurance de la maison expire en mars.", "Quand expire l'assurance de la maison ?"),
        ("Die Direction hat zugestimmt.", "Was hat die Direction gesagt?"),
        ("Our car insurance renews in May.", "car insurance"),
        ("We chose the MIT license for the parser.", "MIT license"),
        ("The comment threads are archived on Fridays.", "comment threads"),
    ],
)
def test_what_the_index_stems_as_english_is_found_and_english_stays_english(
    api: Api, said: str, question: str
) -> None:
    api.post("/api/memory/remember", {"content": said})
    assert found(api, question) == [said]


def test_a_word_in_letters_that_only_look_alike_is_saved_and_asked_for(api: Api) -> None:
    said = "am DİENSTAG vor dem Haus"
    assert api.post("/api/memory/remember", {"content": said}).status == 200
    assert found(api, "Was war am DİENSTAG vor dem Haus?") == [said]
