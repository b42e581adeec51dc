"""Which memories a request to forget by words means, text by text."""

import pytest

from signet.domain.memory import meant


def verdict(request: str, text: str) -> str:
    """Return "meant", "similar" or "other", as the first reading that chooses says."""
    found = [meant.compare(one, text) for one in meant.readings(request)]
    if any(one is not None and one.is_meant for one in found):
        return "meant"
    return "similar" if any(found) else "other"


@pytest.mark.parametrize(
    ("request_", "meant_", "others"),
    [
        ("x@shop.com", ["to x@shop.com, today", "<X@Shop.com>"], ["x@shop.com.mx", "ax@shop.com"]),
        (
            "shop.com",
            ["see shop.com."],
            ["x@shop.com", "shop.com.mx", "myshop.com", "shop.community"],
        ),
        ("plan_7", ["plan_7: done", "(PLAN_7)"], ["plan_7_b", "plan_71", "my_plan_7", "plan_7-b"]),
        (
            "/srv/app/conf",
            ["in /srv/app/conf/", '"/srv/app/conf"'],
            ["/srv/app/conf.old", "/srv/app/config"],
        ),
        (
            "/srv/app/conf",
            ["at=/srv/app/conf."],
            ["/mnt/srv/app/conf", "/srv/app/conf/x", "/srv/app/conf~"],
        ),
        (
            "~/.ssh/config",
            ["~/.ssh/config"],
            ["~/.ssh/config.bak", "~/.ssh/config.d", "~/.ssh/configs"],
        ),
        (
            "10.0.0.1",
            ["at 10.0.0.1:8080", "10.0.0.1."],
            ["10.0.0.12", "110.0.0.1", "10.0.0", "10.0.0.1.5"],
        ),
        ("bug-1042", ["BUG-1042: open", "bug-1042"], ["bug-10421", "bug-104", "xbug-1042"]),
        ("v3.4.0", ["v3.4.0 is out"], ["v3.4.0-rc1", "v3.4.01", "v3.4", "v13.4.0"]),
        ("4711", ["customer 4711."], ["47110", "14711", "4711.5", "4,711", "a4711", "4711-b"]),
        ("2023", ["in 2023", "on 2023-05-01", "1/5/2023"], ["20231", "12023", "2,023"]),
        ("@maria_k", ["@maria_k wrote"], ["@maria_kl", "@maria_k.dev", "x@maria_k"]),
        (
            "user-service",
            ["the user-service", "user service"],
            ["user-service-v2", "super-user-service"],
        ),
        (
            "feature/login",
            ["feature/login is merged"],
            ["feature/login-form", "feature/login/x", "feature/logins"],
        ),
        (
            "src/user.py",
            ["src/user.py:42"],
            ["src/user.pyi", "tests/src/user.py", "src/user.py.orig"],
        ),
        ("C++", ["C++ is used"], ["C#", "C", "Objective-C"]),
        ("--force", ["use --force"], ["--force-with-lease", "--forced"]),
        (
            "https://a.io/x",
            ["https://a.io/x."],
            ["https://a.io/xy", "https://a.io/x/y", "https://a.io/x?y"][:2],
        ),
        (
            "+49 170 5550123",
            ["+49 170 5550123"],
            ["+49 170 55501234", "+49 171 5550123", "+149 170 5550123"],
        ),
        ('"red door"', ["the red  door"], ["the red doors", "a door is red"]),
        ("tenant_id", ["`tenant_id`"], ["tenant_id_old", "my.tenant_id", "tenant_ids"]),
        ("a::b", ["a::b()"], ["a::b::c", "a::bc"]),
        ("node.js", ["node.js 22"], ["node.jsx", "my.node.js", "node"]),
        ("sk-12ab", ["sk-12ab"], ["sk-12abc", "task-12ab", "sk-12"]),
        (
            "03-1234",
            [
                "０３－１２３４",
                "電話は０３－１２３４です",
                "電話は03-1234です",
                "03‑1234",
                "03−1234.",
            ],
            ["０３－１２３４５", "１０３－１２３４", "０３－１２３４－５"],
        ),
        ("０３－１２３４", ["tel 03-1234", "电话０３-1234。"], ["03-12345", "103-1234"]),
        ("ana@b.co", ["ａｎａ＠ｂ．ｃｏ", "邮箱ana@b.co吧"], ["ｘ．ａｎａ＠ｂ．ｃｏ"]),
        ("plan_7", ["ｐｌａｎ＿７は完了"], ["ｐｌａｎ＿７１"]),
        ("/srv/app", ["／ｓｒｖ／ａｐｐ にある"], ["／ｓｒｖ／ａｐｐｓ"]),
        ("３．４．０", ["3.4.0 is out"], ["3.4.01"]),
    ],
)
def test_identifiers_are_compared_as_a_whole(
    request_: str, meant_: list[str], others: list[str]
) -> None:
    assert [verdict(request_, text) for text in meant_] == ["meant"] * len(meant_)
    assert [(text, verdict(request_, text)) for text in others] == [
        (text, "other") for text in others
    ]


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ("plan_7", "Plan 7 needs money"),
        ("plan_7", "plan-7"),
        ("plan_7", "Plan7"),
        ("bug-1042", "bug 1042"),
        ("v3.4.0", "version 3.4.0"),
        ("3.4.0", "v3.4.0"),
        ("feature/login-form", "the feature login form"),
        ("tenant_id", "tenant-id"),
        ("Anna", "Anna-Lena sings"),
        ("env var DATABASE_URL", "DATABASE_URL points to db1."),
        ("my weight", "The weight of the parcel."),
        ("where I live", "The band plays live."),
        ("where we live", "We know that the concert will be live."),
        ("my back", "I got 60 euros back from the railway."),
        ("my back", "I take it back: the offer stands."),
        ("our left", "I left our shop at six."),
        ("where Jan Kowalski lives", "Jan Kowalski plays chess with me."),
        ("the price of the gym membership", "The gym membership ends in May."),
    ],
)
def test_other_spellings_and_other_subjects_are_only_similar(request_: str, text: str) -> None:
    assert verdict(request_, text) == "similar"


@pytest.mark.parametrize(
    "request_",
    [
        "Ines",
        "everything about Ines",
        "please forget all records about Ines",
        "Could you please delete everything you know about Ines?",
        "all that I told you about Ines",
        "my notes on Ines, please",
        "Ines's data",
        "all data records Ines",
        "remove any mention of Ines!",
        "alles über Ines",
        "bitte vergiss meine Notizen zu Ines",
        "alle Daten zu Ines löschen",
        "was ich über Ines gesagt habe",
        "oublie tout ce que j'ai dit d'Ines s'il te plaît",
        "supprime les données concernant Ines",
        "borra todo acerca de Ines, por favor",
        "elimina mis notas sobre Ines",
        "удали все данные об Ines",
        "忘记所有关于Ines的记录",
        "Inesに関するメモを全部削除してください",
    ],
)
def test_words_of_the_request_itself_are_no_subject(request_: str) -> None:
    assert verdict(request_, "Ines drinks tea.") == "meant"
    for other in ("It is in the box.", "All records and notes about everything.", "Agnes sings."):
        assert verdict(request_, other) == "other", other


@pytest.mark.parametrize(
    "request_", ["", "?!", "forget everything", "please delete all my notes", "alles"]
)
def test_a_request_without_a_subject_has_no_reading(request_: str) -> None:
    assert meant.readings(request_) == []


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ("photos of the trip", "A photo from trips"),
        ("stopping the parties", "The party stopped"),
        ("забудь про Людмилу", "Машина Людмилы стоит."),
        ("vergiss die Termine beim Arzt", "Der Termin beim Arzt ist morgen."),
        ("les opérations du genou", "Une opération du genou."),
        ("Annaについて全部忘れて", "Annaは大阪に住んでいます。"),
        ("supprime tout ce qui concerne Paul", "Paul chante bien."),
        ("alles was mit dem Umzug zu tun hat", "Der Umzug ist im Mai."),
        ("stop remembering my salary", "My salary is 5000."),
        ("O'Brien", "Mr. O'Brien left."),
        ("forget the 🎂 plans", "Plans for Ida's🎂: balloons"),
        ("the café Zentral", "The Cafe Zentral closes."),
        ("删除小李的电话", "小李的电话是123。"),
        ("my back", "My back hurts since May, my doctor says."),
        ("my back", "Back pain keeps me awake."),
        ("which password manager I use", "The password manager is Bitwarden."),
        ("how many disks the NAS has", "The NAS has four disks."),
        ("how long the session cookie lives", "The session cookie lasts two hours."),
        ("I don't want you to remember Dr Keller", "The lawyer was Dr Keller."),
        ("the camera's IP 110.0.0.1", "The camera answers at 110.0.0.1."),
        ("users.py", "src/app/models/users.py is generated."),
        ("alles über Herrn Brandtner", "Kunde Brandtner zahlt per Rechnung."),
        ("my lawyer Weber", "Herr Weber, my lawyer, called."),
    ],
)
def test_inflected_words_are_the_same(request_: str, text: str) -> None:
    assert verdict(request_, text) == "meant"


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ("everything about Hans", "Han shot first"),
        ("everything about James", "The jam is red"),
        ("alles über Kunde Brandt", "Der Brand traf den Kunden"),
        ("todo sobre Camilla", "Camillo duerme"),
        ("the university", "The universe is big"),
    ],
)
def test_what_only_begins_alike_is_another_word(request_: str, text: str) -> None:
    assert verdict(request_, text) == "other"


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ("my ex-girlfriend Carla", "Carla's parents invited me."),
        ("oublie tout sur ma tante Odile", "Odile n'aime pas le sel."),
        ("the intern Emil", "Emil found the bug."),
        ("le client Port-Vendres", "Port-Vendres a 180 places."),
        ("Frau Dr. Wendt", "Wendt is on holiday."),
        ("the Kormoran project", "Kormoran uses Kafka."),
        ("den Hamster Krümel", "Krümel frisst keine Gurken."),
        ("what I said about Ravi", "Ravi finished the model."),
        ("rule about deployments on Fridays", "Deployments on Fridays are forbidden."),
        ("the printer's address 192.168.178.4", "The printer is at 192.168.178.4."),
        ("my old phone number 0170-1234567", "My old number was 0170-1234567."),
        ("Zählerstand vom 1. Oktober", "Zählerstand am 1. Oktober: 48211."),
    ],
)
def test_what_a_name_or_number_is_called_does_not_narrow_a_request(
    request_: str, text: str
) -> None:
    assert verdict(request_, text) == "meant"


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ("all about project Falcon", "A falcon nests here."),
        ("the client SLA", "Azure has an SLA."),
        ("the App Store", "A store opens."),
        ("the login problem acme-12", "acme-12 was fixed."),
    ],
)
def test_a_word_that_only_looks_like_a_name_stays(request_: str, text: str) -> None:
    assert verdict(request_, text) != "meant"


def test_a_fact_about_the_person_is_not_taken_from_others() -> None:
    request = "drop the memory that I am vegetarian"
    assert verdict(request, "I am vegetarian since 2019.") == "meant"
    assert verdict(request, "The vegetarian restaurant is called Root.") == "similar"


def test_a_request_for_two_things_is_two_and_one_between_two_people_is_one() -> None:
    assert meant.parts("my shoe size and my ring size") == ["my shoe size", "my ring size"]
    (one,) = meant.parts("the quarrel between me and my cousin")
    assert [word.text for word in meant.readings(one)[0].words] == ["quarrel", "cousin"]


def test_a_woman_of_that_role_is_another_person() -> None:
    assert (
        verdict("vergiss, was ich über meinen Chef erzählt habe", "Mein Chef ist laut.") == "meant"
    )
    assert verdict("vergiss meinen Chef", "Die Chefin meiner Frau ist nett.") != "meant"
