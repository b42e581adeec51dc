"""Which later statement replaces an earlier one, on invented pairs that the rules were not fitted on."""

from pathlib import Path

import pytest

from signet.domain.graph import changes
from signet.domain.graph.changes import Dated, Replacement

FILE = Path(__file__).with_name("statements.txt")
EARLIER, LATER = "2026-01-10T09:00:00Z", "2026-03-10T09:00:00Z"


def change(old: str, new: str, **later: object) -> Replacement | None:
    is_talk = old.startswith("User: ")
    older = Dated(text=old, said_at=EARLIER, project="/p", is_talk=is_talk)
    fields = {"said_at": LATER, "project": "/p", "is_talk": new.startswith("User: "), **later}
    newer = Dated(text=new, **fields)  # type: ignore[arg-type]  # passed on
    return changes.find([older, newer]).get(0)


def pairs(part: str) -> list[tuple[str, str]]:
    text = FILE.read_text("utf-8").split(f"# {part}")[1].split("\n# ")[0]
    lines = [line.replace("\\n", "\n").split(" | ") for line in text.splitlines()[1:] if line]
    return [(old, new) for _, old, new in lines]


@pytest.mark.parametrize(("part", "least"), [("tuning", 0.95), ("judging", 0.85)])
def test_a_later_statement_replaces_an_earlier_one(part: str, least: float) -> None:
    given = pairs(f"replaced, {part}")
    missed = [pair for pair in given if change(*pair) is None]
    assert len(given) > 25
    assert len(missed) <= (1 - least) * len(given), missed


@pytest.mark.parametrize("part", ["tuning", "judging"])
def test_statements_that_both_hold_stay_apart(part: str) -> None:
    given = pairs(f"distinct, {part}")
    assert len(given) > 25
    assert [pair for pair in given if change(*pair)] == []


def test_an_answer_says_which_statement_is_replaced_and_why() -> None:
    found = change(
        "The bike is red. Its lock is a Trelock.",
        "User: what about the lock?\nAssistant: Which one?\nUser: Trelock is gone, bought an Abus\nAssistant: Noted.",
    )
    assert found is not None
    assert (found.why, found.by, found.is_part) == ("ended", 1, True)
    assert (found.old, found.new) == ("Its lock is a Trelock", "Trelock is gone, bought an Abus")
    shown = changes.marked("Red. Its lock is a Trelock.", found.old, LATER)
    assert shown == "Red. Its lock is a Trelock [until 2026-03-10]."


def test_what_an_assistant_says_replaces_nothing() -> None:
    old = "Logs are shipped to Splunk."
    talk = "User: where do logs go?\nAssistant: Splunk is gone, logs go to Loki."
    assert change(old, talk) is None
    assert change(old, "Splunk is gone, logs go to Loki.") is not None


@pytest.mark.parametrize(
    "later", [{"project": "/q"}, {"distance": 3}, {"said_at": EARLIER}, {"said_at": "2025-12-01"}]
)
def test_what_cannot_replace(later: dict[str, object]) -> None:
    old, new = "The gateway listens on port 9000.", "the gateway listens on 9443"
    assert change(old, new) is not None
    assert change(old, new, **later) is None


def test_the_newest_of_several_replaces() -> None:
    texts = [
        Dated(text=f"The gateway listens on port {port}.", said_at=f"2026-0{month}-01T00:00:00Z")
        for month, port in ((3, 9002), (1, 9000), (2, 9001))
    ]
    assert {old: one.by for old, one in changes.find(texts).items()} == {1: 0, 2: 0}
    assert changes.find(texts, older=1) == {}


def test_of_many_texts_about_one_name_only_the_nearest_are_replaced() -> None:
    about = [f"Rollbar has {number} alarms of sort {number}x." for number in range(15)]
    texts = [Dated(text=text, said_at=EARLIER) for text in ("We report errors to Rollbar.", *about)]
    texts.append(Dated(text="Rollbar was replaced by Honeybadger", said_at=LATER))
    assert len(changes.find(texts)) <= 2


@pytest.mark.parametrize(
    ("question", "of_any", "of_ended"),
    [
        ("What did we use before NATS?", True, True),
        ("Wo lagen die Bilder früher?", True, True),
        ("Où était le serveur avant ?", True, True),
        ("¿Dónde vivía antes el abuelo?", True, True),
        ("With whom did we have a contract?", False, True),
        ("Mit wem hatten wir einen Vertrag?", False, True),
        ("Avec qui avait-on un contrat ?", False, True),
        ("¿Para quién seguía activa la API?", False, True),
        ("Which port does the gateway use?", False, False),
        ("Wo liegen die Bilder?", False, False),
        ("Où sont les images ?", False, False),
        ("¿Dónde vive el abuelo?", False, False),
    ],
)
def test_questions_about_the_past(question: str, of_any: bool, of_ended: bool) -> None:
    moved = change("The review is at 14:00.", "the review moved to 15:30")
    ended = change("We use Splunk.", "Splunk is gone")
    assert moved is not None and ended is not None
    assert changes.asks_past(question, moved) is of_any
    assert changes.asks_past(question, ended) is of_ended


@pytest.mark.parametrize(
    "text",
    ["", " ", "?", "İ was moved", "\ud800 moved to \x00", "not " * 200, "a:" * 500, "1.2.3,"],
)
def test_any_text_is_read(text: str) -> None:
    assert change("The gateway listens on port 9000.", text) is None
    assert change(text, "moved the gateway from 9000 to 9443") is None


UPLOADS = (
    "User: how big may an upload be\n"
    "Assistant: The proxy allows one megabyte.\n"
    "User: too small, make it 20\n"
    "Assistant: `UPLOAD_LIMIT_MB = 20`, and the proxy follows."
)
TRASH = (
    "User: deleted rooms go where?\n"
    "Assistant: Nowhere, they are gone.\n"
    "User: keep them 14 days in the trash\n"
    "Assistant: `TRASH_DAYS = 14`; a job empties it at night."
)
RETRIES = "User: the mail queue retries how often\nAssistant: Three attempts now.\nUser: 5, then a person looks"


def by_commit(talk: str, message: str, at: str = LATER, **other: object) -> Replacement | None:
    older = Dated(text=talk, said_at=EARLIER, project="/p", is_talk=talk.startswith("User: "))
    fields = {"said_at": at, "project": "/p", "is_commit": True, **other}
    return changes.find([older, Dated(text=message, **fields)]).get(0)  # type: ignore[arg-type]  # passed on


@pytest.mark.parametrize(
    ("talk", "message", "old", "new"),
    [
        (
            UPLOADS,
            "proxy: uploads up to 50 MB",
            "`UPLOAD_LIMIT_MB = 20`, and the proxy follows.",
            "proxy: uploads up to 50 MB",
        ),
        (
            TRASH,
            "rooms: empty the trash after 30 days",
            "keep them 14 days in the trash",
            "rooms: empty the trash after 30 days",
        ),
        (
            TRASH,
            "ui: rename rooms\n\nPeople asked for it. Rooms stay in the trash for 30 days now.",
            "keep them 14 days in the trash",
            "Rooms stay in the trash for 30 days now.",
        ),
        (
            RETRIES,
            "mail: queue retries 8 times instead of 5",
            "5, then a person looks",
            "mail: queue retries 8 times instead of 5",
        ),
        (
            "User: how long do we keep the access logs of the proxy\nAssistant: After 60 days: `log_days: 60`.",
            "logs: keep those of the proxy for a whole year",
            "After 60 days: `log_days: 60`.",
            "logs: keep those of the proxy for a whole year",
        ),
        (
            'User: mail retries?\n  File "/srv/mail/queue.py", line 31, in retries\nthere should be 5 of them',
            "mail: queue retries 8 times",
            "there should be 5 of them",
            "mail: queue retries 8 times",
        ),
        (
            "The proxy takes uploads up to 20 MB.",
            "proxy: uploads up to 50 MB",
            "The proxy takes uploads up to 20 MB.",
            "proxy: uploads up to 50 MB",
        ),
    ],
)
def test_a_later_commit_changes_an_amount(talk: str, message: str, old: str, new: str) -> None:
    found = by_commit(talk, message)
    assert found is not None
    assert (found.old, found.new, found.why) == (old, new, "commit")
    assert found.is_part and not found.is_certain


@pytest.mark.parametrize(
    ("talk", "message", "other"),
    [
        (UPLOADS, "proxy: uploads up to 20 MB", {}),
        (UPLOADS, "proxy: uploads give up after 50 seconds", {}),
        (UPLOADS, "avatars: shrink to 50 MB of cache", {}),
        (UPLOADS, "proxy: uploads are limited", {}),
        (UPLOADS, "proxy: uploads up to 50 MB", {"project": "/q"}),
        (UPLOADS, "proxy: uploads up to 50 MB", {"at": "2026-01-10T20:00:00Z"}),
        (UPLOADS, "proxy: uploads up to 50 MB", {"at": "2025-12-10T20:00:00Z"}),
        ("User: what about lunch\nAssistant: At 12.", "rooms: open at 9", {}),
        ("User: leave proxy-11 out of uploads", "proxy: uploads of 50 files", {}),
        (UPLOADS, "proxy: keep uploads for a whole year", {}),
    ],
)
def test_commits_that_change_no_amount(talk: str, message: str, other: dict[str, object]) -> None:
    assert by_commit(talk, message, **other) is None  # type: ignore[arg-type]  # passed on


def by_talk(talk: str, later: str, project: str = "/p") -> Replacement | None:
    older = Dated(text=talk, said_at=EARLIER, project="/p", is_talk=True)
    return changes.find(
        [older, Dated(text=later, said_at=LATER, project=project, is_talk=True)]
    ).get(0)


@pytest.mark.parametrize(
    ("talk", "later", "old", "new"),
    [
        (
            TRASH,
            "User: the trash again\nAssistant: `TRASH_DAYS = 30`, for new rooms too.",
            "`TRASH_DAYS = 14`; a job empties it at night.",
            "`TRASH_DAYS = 30`, for new rooms too.",
        ),
        (
            "User: max upload?\nAssistant: uploadLimit: 20mb",
            "User: uploadLimit: 50mb please",
            "uploadLimit: 20mb",
            "uploadLimit: 50mb please",
        ),
        (
            "User: lost rows\nAssistant: `lost-loans: delete`. No: `lost-loans: hide`.",
            "User: show them\nAssistant: `lost-loans: keep`.",
            "`lost-loans: delete`. No: `lost-loans: hide`.",
            "`lost-loans: keep`.",
        ),
        (
            "User: faster\nAssistant: `page_size=50` and `page-timeout = 5s`.",
            "User: still slow\nAssistant: `--page_size=20`.",
            "`page_size=50` and `page-timeout = 5s`.",
            "`--page_size=20`.",
        ),
    ],
)
def test_a_later_talk_changes_a_setting(talk: str, later: str, old: str, new: str) -> None:
    found = by_talk(talk, later)
    assert found is not None
    assert (found.old, found.new, found.why) == (old, new, "setting")
    assert found.is_part and found.is_value


@pytest.mark.parametrize(
    "later",
    [
        "User: the trash again\nAssistant: `TRASH_DAYS = 14` as before.",
        "User: look\nTool: TRASH_DAYS = 30",
        "User: look\n```\nTRASH_DAYS = 30\n```",
        "User: look\nAssistant: that is $TRASH_DAYS=30 of the old script, /etc/TRASH_DAYS: 30",
        "User: look\nAssistant: exit_code: 1, `trash_rows: 88`",
        "User: look\nAssistant: `trash: empty the rooms`, `rooms.py:30`",
    ],
)
def test_talks_that_change_no_setting(later: str) -> None:
    talk = f"{TRASH} exit_code: 0, `trash_rows: 12`, `trash: rename`, `rooms.py:14`"
    assert by_talk(talk, later) is None


def test_a_setting_of_another_project_is_another_setting() -> None:
    later = "User: the trash again\nAssistant: `TRASH_DAYS = 30`."
    assert by_talk(TRASH, later, project="/q") is None


def test_every_talk_with_an_earlier_value_is_marked() -> None:
    values = ("14", "30", "60", "90")
    talks = [
        Dated(
            text=f"User: the trash\nAssistant: `TRASH_DAYS = {value}`.",
            said_at=f"2026-01-{day:02}T08:00:00Z",
            project="/p",
            is_talk=True,
        )
        for day, value in enumerate(values, start=1)
    ]
    assert {old: one.by for old, one in changes.find(talks).items()} == {0: 3, 1: 3, 2: 3}


@pytest.mark.parametrize(
    ("rule", "by", "is_lifted"),
    [
        ("Never use tabs in this repository.", "You may use tabs again.", True),
        ("Never deploy billing on Fridays.", "We can deploy billing on Fridays again.", True),
        ("Nie auf main pushen.", "Ihr dürft wieder auf main pushen.", True),
        ("Ne jamais pousser sur main.", "Vous pouvez de nouveau pousser sur main.", True),
        ("Non usare mai i tab.", "Puoi di nuovo usare i tab.", True),
        ("Nunca usar tabs.", "Podes usar tabs de novo.", True),
        (
            "Always ask Ana before a release.",
            "You no longer need to ask Ana before a release.",
            True,
        ),
        ("Redis is forbidden for sessions.", "Redis is allowed again for sessions.", True),
        ("We deploy billing on Fridays.", "You may deploy billing on Fridays again.", False),
        ("Never use Redis.", "You may use Postgres again.", False),
        ("Never push to main.", "You may push to staging again.", False),
        ("Never push to main.", "May we push to main again?", False),
        ("Never push to main.", "If the audit is over you may push to main again.", False),
        ("Do not merge on Fridays.", "No need to merge today.", False),
    ],
)
def test_a_permission_takes_back_the_rule_that_it_names(
    rule: str, by: str, is_lifted: bool
) -> None:
    assert changes.is_lifted(rule, by) is is_lifted
    texts = [Dated(text=rule, said_at="2026-01-01"), Dated(text=by, said_at="2026-02-01")]
    assert (0 in changes.find(texts)) is is_lifted


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "The mail server runs on port 25 and its disk is 80 GB.",
            "The web server runs on port 8080 and its disk is 200 GB.",
        ),
        ("Der Mailserver läuft, sein Port ist 25.", "Der Webserver läuft, sein Port ist 8080."),
    ],
)
def test_a_clause_about_something_else_replaces_nothing(old: str, new: str) -> None:
    assert change(old, new) is None
    assert change(old, old.replace("80 GB", "90 GB").replace("500", "700").replace("25", "26"))
