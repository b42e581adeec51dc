"""`signet remember`, `recall`, `jobs` and `status` with a real daemon."""

import json
import re
from typing import get_args

from cli.program import Program
from signet.cli.jobs import Status as Shown
from signet.queue.kinds import JobStatus

SAVED = re.compile(r"Saved memory: (\S+)\n")


def test_what_is_remembered_is_recalled(served: Program) -> None:
    saved = SAVED.fullmatch(served.run("remember", "The kiln in Porto fires at 1240 degrees").out)
    assert saved
    done = served.run("recall", "kiln Porto")
    assert (done.status, done.err) == (0, "")
    first, second = done.out.splitlines()[:2]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \[\d+%\] The kiln in Porto fires at 1240 degrees", first)
    assert second == f"  fact saved by you · {saved[1][:18]}"
    found = served.run("recall", "kiln Porto", "--json").json()
    assert found[0]["id"] == saved[1]


def test_the_same_text_again_names_the_memory_that_holds_it(served: Program) -> None:
    saved = SAVED.fullmatch(served.run("remember", "The ferry to Korsika leaves at dawn").out)
    assert saved
    again = served.run("remember", " The ferry to Korsika leaves at dawn. ")
    assert (again.status, again.out) == (0, f"Already saved: {saved[1]}\n")
    other = served.run("remember", "The Ferry to Korsika leaves at dawn")
    assert (other.status, other.out) == (0, f"Saved in its new spelling: {saved[1]}\n")


def test_a_dash_reads_standard_input_and_flags_become_fields(served: Program) -> None:
    done = served.run(
        *("remember", "-", "--who", "Ada", "--tags", "sky,rule", "--type", "preference"),
        *("--importance", "critical", "--project", "atlas", "--json"),
        stdin="Zeppelins are watered on Sundays\n",
    )
    saved = done.json()
    assert (saved["pinned"], saved["importance"], saved["tags"]) == (True, 1.0, "sky,rule")
    lines = served.run("recall", "zeppelins", "--tags", "sky", "--pinned").out.splitlines()
    assert lines[0].endswith("★ Zeppelins are watered on Sundays [sky,rule]")
    assert lines[1].startswith("  preference saved by Ada · atlas · ")
    assert served.run("recall", "zeppelins", "--who", "Bob").out == "No memories found\n"
    assert served.run("recall", "zeppelins", "--until", "2001-01-01", "--json").json() == []
    left_out = served.run("recall", "zeppelins", "--min-score", "1").out.splitlines()
    assert left_out[0] == "Nothing relevant found. The most similar:"
    assert left_out[1].endswith("%] ★ Zeppelins are watered on Sundays [sky,rule]")
    assert left_out[-1].endswith("is below the minimum of 1.00")


def test_a_long_memory_is_cut_on_a_terminal_only_unless_it_is_wanted_whole(served: Program) -> None:
    text = "Quokkas " + "smile at strangers and " * 20 + "sleep"
    served.run("remember", text)
    assert served.run("recall", "quokkas").out.splitlines()[0].endswith(f"] {text}")
    assert served.run("memory", "list", "-l", "1").out.splitlines()[0].endswith(text)
    for command in (("recall", "quokkas"), ("memory", "list", "-l", "1")):
        drawn = served.on_terminal(*command, columns=100, NO_COLOR="1").replace("\r", "")
        lines = drawn.splitlines()
        assert [line.endswith(" …") for line in lines[:4]] == [False, False, True, False], drawn
        assert max(map(len, lines)) <= 100
        whole = served.on_terminal(*command, "--full", columns=100, NO_COLOR="1")
        assert text in " ".join(whole.split())
    assert served.run("recall", "quokkas", "--json").json()[0]["content"] == text


def test_the_other_passages_of_a_long_text_stand_below_it_in_one_line(served: Program) -> None:
    said = " ".join(f"Axolotls regrow {n} limbs in the lab of Xochimilco." for n in range(40))
    pieces = json.loads(served.run("remember", said, "--json").out)["ids"]
    lines = served.run("recall", "axolotls limbs").out.splitlines()
    assert sum("Axolotls" in line for line in lines) == 1
    more = f"  and {len(pieces) - 1} more passages"
    assert f"{more} (--full shows them)" in lines
    whole = served.run("recall", "axolotls limbs", "--full").out.splitlines()
    below = whole[whole.index(more) + 1 :][: len(pieces) - 1]
    shown = whole[1].rsplit(" · ", 1)[1]
    assert {line.split()[0] for line in below} | {shown} == {one[:18] for one in pieces}


def test_an_empty_memory_is_refused_with_the_daemons_words(served: Program) -> None:
    done = served.run("remember", "  ")
    assert (done.status, done.err) == (1, "error: content is required\n")
    assert served.run("remember", "  ", "--json").json() == {
        "error": "content is required",
        "code": "invalid_request",
    }


def test_a_named_workspace_is_never_answered_by_another_ones_daemon(
    served: Program, alone: Program
) -> None:
    url = f"http://127.0.0.1:{served.port}"
    assert alone.run("recall", "x", SIGNET_DAEMON_URL=url).status == 0
    done = alone.run("recall", "x", "-p", str(alone.workspace), SIGNET_DAEMON_URL=url)
    assert done.status == 1
    assert "signet daemon start" in done.err
    assert alone.run("recall", "x", "-p", str(served.workspace)).status == 0


def test_status_shows_processes_queue_and_files(served: Program) -> None:
    done = served.run("status")
    assert done.status == 0
    assert done.out.startswith("● Daemon running")
    for part in (
        f"http://127.0.0.1:{served.port}",
        "api running, worker running, scheduler running",
        "off; recall uses keywords only",
        "✓ agent.yaml",
        "✗ AGENTS.md",
        str(served.workspace),
    ):
        assert part in done.out
    shown = served.run("status", "--json").json()
    assert shown["running"] is True
    assert {"processes", "queue", "embedding", "memories", "files", "version"} <= shown.keys()


def test_jobs_are_listed_shown_and_watched_to_their_end(served: Program) -> None:
    saved = served.run("remember", "Orwell decided to keep bees on the roof", "--json").json()
    watched = served.run("jobs", "watch")
    assert re.match(r"\d+ jobs? done in ", watched.out)
    left = json.loads(served.run("jobs", "watch", "--json").out.splitlines()[-1])
    assert (left["open"], left["waiting"], left["paused"]) == (0, 0, False)
    jobs = served.run("jobs", "list", "--kind", "extract", "--json").json()["jobs"]
    mine = next(job for job in jobs if job["memory_id"] == saved["id"])
    assert mine["status"] == "completed"
    assert (
        mine["id"] in served.run("jobs", "list", "--status", "completed", "--kind", "extract").out
    )
    whole = served.run("jobs", "show", mine["id"], "--json").json()
    assert {name: whole[name] for name in mine if name != "result"}.items() <= mine.items()
    assert re.search(rf"^id +{mine['id']}$", served.run("jobs", "show", mine["id"]).out, re.M)


def test_an_unknown_job_is_exit_1(served: Program) -> None:
    done = served.run("jobs", "show", "no-such-job")
    assert (done.status, done.err) == (1, "error: Job not found\n")
    assert served.run("jobs", "show", "no-such-job", "--json").json()["code"] == "not_found"


def test_a_paused_queue_is_said_and_resumed(served: Program) -> None:
    paused = served.run("jobs", "pause", "--json").json()
    assert paused["paused"] is True
    assert [(one["queue"], one["by"]) for one in paused["pauses"]] == [("all", "cli")]
    try:
        served.run("remember", "Nobody distils this for now")
        assert "paused since" in served.run("jobs", "watch").out
        assert "paused" in served.run("status").out
    finally:
        assert served.run("jobs", "resume").out == "Resumed\n"
    told = [json.loads(line) for line in served.run("jobs", "watch", "--json").out.splitlines()]
    assert told[-1]["open"] == 0


def test_the_states_that_can_be_asked_for_are_those_a_job_rests_in() -> None:
    assert set(get_args(Shown)) == set(JobStatus) - {JobStatus.FAILED}
