"""What an ended session shows of the memories that it was given."""

import json
import pickle
from pathlib import Path

import pytest

from api.test_context import (
    ASK_FALCON,
    ASK_WALRUS,
    FALCON,
    KEY,
    WALRUS,
    hook,
    log,
    prompt,
    remember,
    told_both,
)
from learning.talk import RUNS, claimed, ends, labels, work, worth
from signet import clock
from signet.domain.episodes import index
from signet.domain.learning import labels as labelling
from signet.domain.learning import worth as worths
from signet.domain.retention import purge
from signet.domain.retention.purge import Windows
from signet.queue.job_context import JobContext
from support.http import Api
from support.processes import PATIENCE_SECONDS, program

USES = ("assistant", "It sleeps on the northern pier at night, next to crane 4711.")
SAID = ("user", ASK_WALRUS), USES, ("user", ASK_FALCON), ("assistant", "I have never seen one.")


def test_what_was_used_counts_for_a_memory_and_silence_for_nothing(api: Api) -> None:
    walrus, falcon = told_both(api)
    ends(api, *SAID)
    assert labels(api) == {walrus: (1.0, 1.0, "used"), falcon: (0.0, 0.0, "silent")}
    [place] = [row["place"] for row in api.rows("memory_labels") if row["memory_id"] == walrus]
    assert json.loads(place) == {"turn": 1}
    assert {one: (row["helped"], row["times"]) for one, row in worth(api).items()} == {
        walrus: (1, 1)
    }
    [outcome] = api.rows("session_outcomes")
    counted = ("prompts", "corrections", "asked_again", "given", "used", "missed", "is_held_out")
    assert [outcome[one] for one in counted] == [2, 0, 0, 2, 1, 0, 0]
    assert 0 < outcome["tokens_used"] < outcome["tokens"]


def test_the_same_session_looked_at_twice_has_the_same_labels(api: Api) -> None:
    told_both(api)
    ends(api, *SAID)
    before = api.rows("memory_labels"), api.rows("memory_worth"), api.rows("session_outcomes")
    ends(api, *SAID)
    after = api.rows("memory_labels"), api.rows("memory_worth"), api.rows("session_outcomes")
    assert after == before


def test_no_text_is_kept_with_a_label(api: Api) -> None:
    told_both(api)
    ends(api, *SAID)
    kept = json.dumps([*api.rows("memory_labels"), *api.rows("memory_worth")], default=dict)
    assert "pier" not in kept and "falcon" not in kept


def test_what_the_user_corrects_counts_against_a_memory_though_it_was_used(api: Api) -> None:
    walrus, _ = told_both(api)
    wrong = "No, that is wrong: the walrus sleeps on the southern pier, next to crane 12."
    ends(api, ("user", ASK_WALRUS), USES, ("user", wrong), ("assistant", "I see."))
    assert labels(api)[walrus] == (-1.0, 1.0, "corrected")
    [outcome] = api.rows("session_outcomes")
    assert outcome["corrections"] == 1


def test_a_correction_of_something_else_is_none_of_a_memory(api: Api) -> None:
    walrus, _ = told_both(api)
    ends(api, ("user", ASK_WALRUS), USES, ("user", "No, that is wrong: rename the variable."))
    assert labels(api)[walrus] == (1.0, 1.0, "used")


def test_what_is_asked_again_was_not_answered(api: Api) -> None:
    walrus, _ = told_both(api)
    again = ("user", "So where does the walrus sleep at night?")
    ends(api, ("user", ASK_WALRUS), ("assistant", "Let me see the files."), again)
    assert labels(api)[walrus] == (-0.5, 1.0, "asked_again")


@pytest.mark.parametrize(("change", "reason"), [("forget", "forgotten"), ("edit", "corrected")])
def test_what_somebody_takes_back_in_a_session_counts_against_it(
    api: Api, change: str, reason: str
) -> None:
    _, falcon = told_both(api)
    if change == "forget":
        api.delete(f"/api/memory/{falcon}?reason=wrong")
    else:
        sent = {"content": "The falcon hunts rats.", "reason": "it is rats"}
        assert api.send("PATCH", f"/api/memory/{falcon}", json.dumps(sent).encode()).status == 200
    ends(api, *SAID)
    assert labels(api)[falcon] == (-1.0, 1.0, reason)


def test_a_rating_counts_double_also_when_it_comes_after_the_end(api: Api) -> None:
    walrus, falcon = told_both(api)
    ends(api, *SAID)
    api.post("/api/memory/feedback", {"sessionKey": KEY, "feedback": {falcon: -0.4, walrus: 1}})
    work(api)
    assert labels(api) == {walrus: (1.0, 2.0, "rated"), falcon: (-0.4, 2.0, "rated")}


def test_a_correction_in_words_is_a_proposal_and_counts_against_the_memory(api: Api) -> None:
    walrus, _ = told_both(api)
    said = {"memory_id": walrus, "feedback_type": "correction", "correction_text": "Crane 12."}
    assert api.post("/api/memory/feedback", {"session_id": KEY, **said}).status == 200
    ends(api, *SAID)
    assert labels(api)[walrus] == (-1.0, 1.0, "corrected")
    [row] = [one for one in api.rows("memories") if one["id"] == walrus]
    assert "4711" in row["content"]


def test_what_was_left_out_and_used_all_the_same_was_missed(api: Api) -> None:
    hook(api, "session-start")
    falcon = remember(api, FALCON)
    api.configure("hooks: {userPromptSubmit: {minScore: 1}}\n")
    assert FALCON not in prompt(api, ASK_FALCON)
    ends(api, ("user", ASK_FALCON), ("assistant", "It hunts mice behind the customs shed at dawn."))
    assert labels(api)[falcon] == (1.0, 1.0, "missed")


def test_what_helped_long_ago_is_forgotten_by_being_told_to_no_use(api: Api) -> None:
    walrus, _ = told_both(api)
    told = (
        "INSERT INTO memory_labels (agent_id, session_key, memory_id, label, weight, reason, was_given, created_at)"
        " VALUES ('default', ?, ?, ?, ?, ?, ?, ?)"
    )
    for day in range(10, 20):
        api.run(told, f"used-{day}", walrus, 1, 1, "used", 1, f"2026-01-{day}")
    for day in range(10, 15):
        api.run(told, f"silent-{day}", walrus, 0, 0, "silent", 1, f"2026-02-{day}")
        api.run(told, f"left-out-{day}", walrus, 0, 0, "silent", 0, f"2026-03-{day}")
    ends(api, *SAID)
    row = worth(api)[walrus]
    assert (row["helped"], row["times"]) == (5, 5)


def test_while_a_session_runs_it_has_no_labels(api: Api) -> None:
    _, falcon = told_both(api)
    api.post("/api/memory/feedback", {"sessionKey": KEY, "feedback": {falcon: 1}})
    work(api)
    assert api.rows("memory_labels") == []


def test_old_labels_are_swept_and_what_they_counted_for_with_them(api: Api) -> None:
    told_both(api)
    ends(api, *SAID)
    later = clock.now() + Windows().session_memories * 2
    purge.sweep(api.state.db, windows=Windows(), now=later)
    assert (api.rows("memory_labels"), worth(api)) == ([], {})
    assert len(api.rows("session_outcomes")) == 1


@pytest.mark.parametrize(
    ("helped", "hurt", "times", "factor"),
    [
        (2, 0, 2, 1.0),
        (3, 0, 3, 1.0),
        (5, 0, 5, 1.06),
        (10, 0, 10, 1.15),
        (0, 10, 10, 0.85),
        (4, 4, 8, 1.0),
    ],
)
def test_a_memory_is_raised_by_what_it_certainly_helps(
    helped: float, hurt: float, times: int, factor: float
) -> None:
    found = worths.learned(helped, hurt, times)
    assert found == pytest.approx(factor, abs=0.01) and 0.85 <= found <= 1.15


def test_the_bounds_are_those_of_a_beta_distribution() -> None:
    low, high = worths.bounds(3, 0)
    assert low == pytest.approx(0.05 ** (1 / 4), abs=0.001)
    assert high == pytest.approx(0.95 ** (1 / 4), abs=0.001)


@pytest.mark.parametrize(
    "message",
    [
        "Actually the owner is Ben.",
        "You are wrong about the branch.",
        "No, we deploy on Fridays.",
        "That's not right, it is port 80.",
        "We no longer use Redis.",
        "No wait, it is the other branch.",
        "Nein, wir deployen freitags.",
        "Das stimmt nicht, es ist Port 80.",
        "Wir benutzen Redis nicht mehr.",
        "Das ist falsch, der Besitzer ist Ben.",
        "Eigentlich heißt der Hund Bruno.",
        "Da irrst du dich: es war im März.",
        "Non, on déploie le vendredi.",
        "C'est faux, c'est le port 80.",
        "On n'utilise plus Redis.",
        "Ce n'est pas vrai, elle habite à Lyon.",
        "En fait, le propriétaire est Ben.",
        "Tu te trompes de branche.",
        "No, desplegamos los viernes.",
        "Eso no es correcto, es el puerto 80.",
        "Ya no usamos Redis.",
        "Eso está desactualizado.",
        "Te equivocas de rama.",
        "En realidad, la dueña es Ana.",
        "Нет, мы выкатываем по пятницам.",
        "Это не так, порт 80.",
        "Мы больше не используем Redis.",
        "Ты ошибаешься, это другая ветка.",
        "На самом деле владелец — Иван.",
        "不对，我们周五部署。",
        "这不正确，端口是80。",
        "我们不再使用Redis。",
        "你记错了，是另一个分支。",
        "其实负责人是小李。",
        "いいえ、金曜日にデプロイします。",
        "それは違います、ポートは80です。",
        "もうRedisは使っていません。",
        "実は担当者は田中さんです。",
        "間違っています、別のブランチです。",
    ],
)
def test_a_correction_is_known_by_its_words(message: str) -> None:
    assert labelling.corrects(message)


def test_no_is_an_answer_to_a_question_and_corrects_what_was_said() -> None:
    assert labelling.corrects("No, cap it at 4 attempts.", "I retry for ever.")
    assert not labelling.corrects("No, cap it at 4 attempts.", "Shall I retry for ever?")
    assert labelling.corrects("No, that is wrong.", "Shall I retry for ever?")


@pytest.mark.parametrize(
    "message",
    [
        "No problem, go on.",
        "Now deploy it.",
        "What is wrong with the build?",
        "Note the port.",
        "Nein danke, mach weiter.",
        "Was ist an dem Build falsch?",
        "Stimmt das nicht?",
        "Bitte deploye jetzt.",
        "Kein Problem, weiter.",
        "Non merci, continue.",
        "Notez le port.",
        "Qu'est-ce qui ne va pas ?",
        "Ajoute un test de plus.",
        "Pas de problème.",
        "No sé cuál es el puerto.",
        "No hay problema, sigue.",
        "¿No es así?",
        "No olvides probar la rama.",
        "Nota el puerto.",
        "Нет проблем, продолжай.",
        "Что не так со сборкой?",
        "Запусти тесты ещё раз.",
        "Нету времени.",
        "是不是用Redis？",
        "不用担心，继续。",
        "请部署。",
        "不知道端口是多少。",
        "問題ありません、続けてください。",
        "もう一度テストしてください。",
        "ポートはいくつですか？",
        "間違いありません。",
    ],
)
def test_what_corrects_nothing_is_no_correction(message: str) -> None:
    assert not labelling.corrects(message)


def test_a_job_that_is_killed_anywhere_leaves_what_was_or_everything(
    api: Api, tmp_path: Path
) -> None:
    walrus, _ = told_both(api)
    hook(api, "session-end", transcript=log(*SAID), reason="other")
    [look] = claimed(api, "trace_use")
    RUNS["trace_use"](JobContext(lease=look, db=api.state.db))
    [lease] = claimed(api, "label_session")
    pickled = tmp_path / "lease"
    pickled.write_bytes(pickle.dumps(lease))
    asked = ("-m", "learning.dies_at", str(api.state.workspace.database), str(pickled))
    with program(*asked) as process:
        told, _ = process.communicate(timeout=PATIENCE_SECONDS)
    *deaths, last = told.split()
    assert process.returncode == 0 and len(deaths) >= 10
    assert (set(deaths), last) == ({"same"}, "whole")
    assert labels(api)[walrus] == (1.0, 1.0, "used")


def test_the_session_that_a_memory_is_from_does_not_make_its_words_common(api: Api) -> None:
    hook(api, "session-start", "before")
    hook(api, "session-end", "before", transcript=log(("user", WALRUS)), reason="other")
    [lease] = claimed(api, "index_session")
    index.run(JobContext(lease=lease, db=api.state.db), model=None)
    sent = {"content": WALRUS, "sourceType": "session_end", "sourceId": "before"}
    walrus = api.post("/api/memory/remember", {**sent, "importance": 0.8}).body["id"]
    assert WALRUS in hook(api, "session-start").body["inject"]
    ends(api, ("user", ASK_WALRUS), ("assistant", "Look beside crane 4711."))
    assert labels(api)[walrus] == (1.0, 1.0, "used")
