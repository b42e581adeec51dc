"""`signet memory …` and what `recall` says of its results, with a real daemon."""

import contextlib
import json
import re
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from cli.program import Program
from signet.cli import output
from signet.db.driver import connect


def saved(program: Program, content: str, *flags: str) -> str:
    """Remember a text and return its id."""
    return str(program.run("remember", content, *flags, "--json").json()["id"])


def test_memories_are_listed_newest_first_with_the_next_page(served: Program) -> None:
    kind = uuid4().hex
    made = [saved(served, f"Lamp {number} of {kind}", "--type", kind) for number in range(3)]
    done = served.run("memory", "list", "--type", kind, "-l", "2")
    assert [line for line in done.out.splitlines() if line[:1].isdigit()] == [
        line for line in done.out.splitlines() if "Lamp" in line
    ]
    assert re.findall("Lamp (.)", done.out) == ["2", "1"]
    assert f"  {kind} saved by you · {made[2][:18]}\n" in done.out
    assert done.err == f"1 to 2 of 3. More: signet list -l 2 --type {kind} --offset 2\n"
    own = served.run("memory", "list", "--type", kind, "-l", "2", "--agent", "default")
    assert own.err.endswith(f" --type {kind} --agent default --offset 2\n")
    last = served.run("memory", "list", "--type", kind, "--offset", "2")
    assert ("Lamp 0" in last.out, last.err) == (True, "")
    page = served.run("memory", "list", "--type", kind, "--json").json()
    assert [row["id"] for row in page["memories"]] == made[::-1]
    assert served.run("memory", "list", "--type", kind, "--offset", "9").out == "No memories\n"


def is_active(program: Program, memory_id: str) -> bool:
    rows = program.run("memory", "list", "--forgotten", "--limit", "200", "--json").json()
    return memory_id not in {row["id"] for row in rows["memories"]}


def test_memories_are_listed_by_filters_and_forgotten_ones_with_their_end(served: Program) -> None:
    kind = uuid4().hex
    gone = saved(served, f"Anchor of {kind}", "--type", kind, "--project", kind, "--tags", "sea")
    kept = saved(served, f"Sail of {kind}", "--type", kind, "--who", "Ada", "--critical")
    for flags, found in (
        (("--query", f"anchor {kind}"), [gone]),
        (("--project", kind), [gone]),
        (("--tags", "sea", "--type", kind), [gone]),
        (("--who", "Ada", "--type", kind, "--pinned", "--since", "yesterday"), [kept]),
        (("--type", kind, "--until", "yesterday"), []),
    ):
        rows = served.run("memory", "list", *flags, "--json").json()["memories"]
        assert [row["id"] for row in rows] == found, flags
    served.run("memory", "forget", gone, "--reason", "sunk", "--yes")
    done = served.run("memory", "list", "--forgotten", "--type", kind)
    assert "Anchor" in done.out and "Sail" not in done.out
    assert re.search(
        r"forgotten \d{4}-\d\d-\d\d \d\d:\d\d by you, on the command line · sunk\W+recoverable until \d{4}-",
        " ".join(done.out.split()),
    )
    assert done.err == f"Recover with: signet memory recover {gone[:18]}\n"
    assert served.run("memory", "recover", gone).status == 0
    again = served.run("memory", "list", "--forgotten", "--type", kind)
    assert again.out == "No forgotten memories\n"


def test_forgetting_by_words_says_why_and_what_stays(served: Program) -> None:
    name = f"plan_{uuid4().hex[:8]}"
    for text in (f"{name} is approved", f"{name}_b is rejected"):
        saved(served, text)
    other = saved(served, f"{name.replace('_', ' ')} needs money")
    asked = ("memory", "forget", "--query", f"please delete everything about {name}")
    seen = served.run(*asked, "--dry-run").out
    assert f"{name} is approved" in seen and f"holds {name}" in seen and f"{name}_b" not in seen
    assert "Similar memories, not selected" in seen and f"(other spelling of {name} · " in seen
    assert served.run(*asked, "--yes").out == "1 memory forgotten\n"
    assert served.run("memory", "show", other).status == 0


def test_similar_memories_are_forgotten_by_one_key_or_by_their_numbers(served: Program) -> None:
    for answer, gone in (("n", ""), ("y", "a"), ("2", "ac"), ("a", "abc"), ("9", "")):
        name = f"plan_{uuid4().hex[:8]}"
        texts = {
            "a": f"{name} is approved",
            "b": f"{name.replace('_', ' ')} needs money",
            "c": f"{name.replace('_', '-')} needs time",
        }
        saved_ids = {key: saved(served, text) for key, text in texts.items()}
        order = served.run("memory", "forget", "--query", name, "--dry-run", "--json").json()
        similar = [one["id"] for one in order["similar"]]
        saved_ids |= dict(zip("bc", similar, strict=True))
        seen = served.on_terminal(
            "memory", "forget", "--query", name, answers=[("[y/N;", f"{answer}\n")]
        )
        left = {key for key, one in saved_ids.items() if is_active(served, one)}
        assert left == set("abc") - set(gone), (answer, seen)


def test_similar_memories_alone_are_offered(served: Program) -> None:
    name = f"plan_{uuid4().hex[:8]}"
    only = saved(served, f"{name.replace('_', ' ')} needs money")
    forget = ("memory", "forget", "--query", name)
    assert served.run(*forget, "--yes").out == "Only similar memories found\n"
    seen = served.on_terminal(*forget, answers=[("Forget similar memories?", "1\n")])
    assert "1 memory forgotten" in seen and not is_active(served, only)


def test_a_type_that_no_memory_has_is_an_error_with_those_that_there_are(served: Program) -> None:
    saved(served, f"Sails {uuid4()}", "--type", "rigging")
    for command in (
        ("recall", "sails"),
        ("memory", "list"),
        ("memory", "forget", "--dry-run"),
    ):
        wrong = served.run(*command, "--type", "riging")
        assert (wrong.status, wrong.out) == (2, ""), command
        assert "'riging'; did you mean rigging? known types: " in wrong.err
        known = served.run(*command, "--type", "daily-log")
        assert known.out in ("No memories\n", "No memories found\n")
    assert "Sails" in served.run("memory", "list", "--type", "rigging").out


def test_a_memory_is_shown_by_the_beginning_of_its_id(served: Program) -> None:
    memory_id = saved(
        served, "The well is deep " * 12, "--who", "Ada", "--tags", "a,b", "--critical"
    )
    shown = served.run("memory", "show", memory_id[:18]).out
    assert shown.startswith("The well is deep The well")
    for row in (rf"id +{memory_id}", "tags +a,b", "importance +1 · ★ pinned", "who +Ada"):
        assert re.search(rf"^  {row}$", shown, re.MULTILINE), row
    whole = served.run("memory", "show", memory_id, "--json").json()
    assert (whole["id"], whole["who"]) == (memory_id, "Ada")


def test_an_id_that_is_too_short_unknown_or_of_several_is_exit_1(served: Program) -> None:
    first, second = saved(served, f"One {uuid4()}"), saved(served, f"Two {uuid4()}")
    short = served.run("memory", "show", first[:7])
    assert (short.status, short.out) == (1, "")
    assert "at least the first 8 characters" in short.err
    unknown = served.run("memory", "show", "ffffffff", "--json")
    assert (unknown.status, unknown.json()["code"]) == (1, "not_found")
    several = served.run("memory", "history", first[:8])
    if first[:8] == second[:8]:
        assert several.status == 1
        assert "Several IDs start with" in several.err
    assert served.run("memory", "show", str(uuid4())).err == "error: not found\n"


def test_a_change_shows_in_history_and_a_stale_one_says_so(served: Program) -> None:
    memory_id = saved(served, "The mill grinds rye", "--tags", "mill")
    edit = ("memory", "edit", memory_id[:18])
    done = served.run(
        *edit,
        "--content",
        "-",
        "--tags",
        "",
        "--reason",
        "new crop",
        stdin="The mill grinds oats\n",
    )
    assert done.out == f"Changed: {memory_id} (version 2)\n"
    told = served.run("memory", "history", memory_id[:18]).out
    assert re.search(r"created +by you, on the command line", told)
    assert re.search(
        r"updated +by you, on the command line · new crop\n"
        r" +- The mill grinds rye\n +\+ The mill grinds oats",
        told,
    )
    all_of_them = served.run("memory", "history", "-l", "1", "--since", "2020-01-01")
    assert (
        "More: signet memory history -l 1 --since 2020-01-01T00:00:00.000Z --cursor "
        in all_of_them.err
    )
    row = (
        "looked-at",
        memory_id,
        "none",
        "pipeline-v2",
        "its source says the same",
        "2026-01-01T00:00:00.000Z",
    )
    with contextlib.closing(connect(served.workspace / "memory" / "memories.db")) as connection:
        connection.execute(
            "INSERT INTO memory_history (id, memory_id, event, changed_by, reason, created_at)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            row,
        )
    told = served.run("memory", "history", memory_id[:18]).out
    assert re.search(r"unchanged +by Signet · it repeats its source", told)
    assert served.run("memory", "show", memory_id, "--json").json()["tags"] is None
    assert served.run(*edit, "--content", "The mill grinds oats").out == "Nothing changed\n"
    nothing = served.run(*edit)
    assert (nothing.status, "--content" in nothing.err) == (1, True)
    pinned = served.run(*edit, "--pin", "-i", "0.3", "--json").json()
    assert (pinned["status"], pinned["newVersion"]) == ("updated", 3)
    assert served.run(*edit, "-i", "7").status == 2


def test_without_a_field_the_text_opens_in_an_editor(served: Program) -> None:
    memory_id = saved(served, "The quay is of stone")
    script = "import sys, pathlib; p = pathlib.Path(sys.argv[1]); p.write_text(p.read_text().replace('stone', 'oak'))"
    editor = f"{sys.executable} -c {json.dumps(script)}"
    drawn = served.on_terminal("memory", "edit", memory_id, typed="\n", EDITOR=editor)
    assert f"Changed: {memory_id} (version 2)" in drawn
    assert (
        served.run("memory", "show", memory_id, "--json").json()["content"] == "The quay is of oak"
    )
    assert "Nothing changed" in served.on_terminal(
        "memory", "edit", memory_id, typed="\n", EDITOR="true"
    )
    assert "nothing was changed" in served.on_terminal(
        "memory", "edit", memory_id, typed="\n", EDITOR="false"
    )


def test_forgetting_shows_what_goes_and_asks(served: Program) -> None:
    memory_id = saved(served, "The mast is broken")
    forget = ("memory", "forget", memory_id[:18])
    drawn = served.on_terminal(*forget, typed="n\n")
    assert (
        "The mast is broken" in drawn
        and "Forget 1 memory?" in drawn
        and "Nothing forgotten" in drawn
    )
    drawn = served.on_terminal(*forget, typed="\x04")
    assert "Interrupted." in drawn and "error" not in drawn
    drawn = served.on_terminal(*forget, typed="y\n")
    assert "1 memory forgotten" in drawn
    assert f"signet memory recover {memory_id[:18]}" in drawn
    assert served.run("memory", "show", memory_id).status == 1
    told = served.run("memory", "history", memory_id[:18]).out
    assert "forgotten on the command line" in told
    assert served.run("memory", "recover", memory_id[:18]).out == f"Recovered: {memory_id}\n"
    again = served.run("memory", "recover", memory_id[:18])
    assert (again.status, again.err) == (1, "error: The memory is not forgotten\n")


def test_without_a_terminal_nobody_is_asked_and_the_flag_is_named(served: Program) -> None:
    memory_id = saved(served, "The oar is short")
    for flags in ([], ["--reason", "x"]):
        done = served.run("memory", "forget", memory_id, *flags)
        assert (done.status, "--yes" in done.err) == (1, True)
    assert served.run("memory", "forget", memory_id, "--json").json()["code"] == "invalid_request"
    assert served.run("memory", "forget", "--yes", "--reason", "x").status == 1
    assert served.run("memory", "show", memory_id).status == 0
    assert served.run("memory", "forget", memory_id, "--yes").out == "1 memory forgotten\n"


def test_many_are_forgotten_by_filter_after_a_dry_run(served: Program) -> None:
    tag = uuid4().hex
    for number in range(12):
        saved(served, f"Crate {number} {tag}", "--tags", tag)
    look = served.run("memory", "forget", "--tags", tag, "--dry-run")
    assert (look.out.count("Crate"), look.err) == (12, "")
    assert look.out.endswith("\n12 memories would be forgotten\n")
    drawn = served.on_terminal("memory", "forget", "--tags", tag, "--dry-run")
    assert (drawn.count("Crate"), "… and 2 more; --full shows all" in drawn) == (10, True)
    drawn = served.on_terminal("memory", "forget", "--tags", tag, "--dry-run", "--full")
    assert drawn.count("Crate") == 12
    seen = served.run("memory", "forget", "--tags", tag, "--dry-run", "--json").json()
    assert (seen["mode"], seen["count"]) == ("preview", 12)
    done = served.run("memory", "forget", "--tags", tag, "--yes", "--reason", "sold")
    assert (done.status, done.out) == (0, "12 memories forgotten\n")
    assert (
        served.run("memory", "forget", "--tags", tag, "--yes", "--reason", "x").out
        == "No memories found\n"
    )


def test_every_memory_that_matches_is_forgotten_however_many(served: Program) -> None:
    tag = uuid4().hex
    notes = [{"record": "text", "content": f"Nail {n} {tag}", "tags": [tag]} for n in range(230)]
    lines = "".join(f"{json.dumps(note)}\n" for note in notes)
    assert served.run("import", "-", stdin=lines).status == 0
    forget = ("memory", "forget", "--tags", tag)
    assert "230 memories would be forgotten\n" in served.run(*forget, "--dry-run").out
    seen = served.run(*forget, "--dry-run", "--json").json()
    assert (seen["count"], seen["total"]) == (230, 230)
    assert len({one["id"] for one in seen["candidates"]}) == 230
    some = served.run(*forget, "--limit", "5", "--yes", "--reason", "bent")
    assert some.out == "5 memories forgotten\n"
    assert "225 more match" in some.err
    assert "3 memories of 225 would be" in served.run(*forget, "-l", "3", "--dry-run").out
    done = served.run(*forget, "--yes", "--reason", "rusty", "--json").json()
    assert [one for one in done["results"] if one["status"] != "deleted"] == []
    assert (done["deleted"], done["total"], len(done["results"])) == (225, 225, 225)
    assert served.run(*forget, "--dry-run").out == "No memories found\n"


def test_a_pinned_memory_stays_unless_forced_and_then_goes_for_good(served: Program) -> None:
    memory_id = saved(served, f"critical: [valves]: never open valve {uuid4()}")
    forget = ("memory", "forget", memory_id, "--yes", "--reason", "gone")
    done = served.run(*forget)
    assert (done.status, done.out) == (1, "")
    assert "memory edit --unpin, or pass --force to delete it permanently" in done.err
    assert served.run(*forget, "--force").out == "1 memory deleted permanently\n"
    assert served.run("memory", "recover", memory_id).status == 1


def test_a_correction_is_named_where_the_old_one_shows(served: Program) -> None:
    word = uuid4().hex
    old = saved(served, f"The {word} train leaves at nine")
    done = served.run("remember", f"The {word} train leaves at ten", "--supersedes", old[:18])
    assert done.out.endswith(f"Corrects: {old}\n")
    new = done.out.split()[2]
    found = served.run("recall", f"{word} train")
    assert found.out.index("at ten") < found.out.index("at nine")
    assert re.search(rf"corrected [\d-]+ by {new[:18]} · {old[:18]}", found.out)
    assert served.run("recall", word, "--as-of", "2001-01-01").out == "No memories found\n"


def test_a_later_statement_is_named_where_it_is_saved_and_where_the_old_one_shows(
    served: Program,
) -> None:
    word = uuid4().hex
    old = saved(served, f"The {word} train leaves at 9:15")
    done = served.run("remember", f"the {word} train moved to 10:30")
    assert f"Seems to replace {old[:18]}: The {word} train leaves at 9:15\n" in done.out
    assert done.out.endswith(f"repeat it with --supersedes {old[:18]}\n")
    new = done.out.split()[2]
    found = served.run("recall", f"{word} train").out
    assert found.index("10:30") < found.index("9:15")
    assert re.search(rf"until [\d-]+, replaced by {new[:18]}", found)


def test_reasons_are_told_in_words(served: Program) -> None:
    word = uuid4().hex
    saved(served, f"We decided to keep the {word} at the gate", "--type", "decision")
    told = served.run("recall", word, "--explain").out
    assert re.search(r"found by keywords \(1st, \d\.\d\d\)", told)
    assert re.search(r"\d\.\d\d ▲ it contains the words as you wrote them", told)
    assert "explain" in served.run("recall", word, "--explain", "--json").json()[0]
    dated = served.run("recall", f"what about the {word} in March 2024?", "--explain").out
    assert dated.startswith("Asked about 2024-0")


def test_results_that_may_be_wrong_stand_under_a_heading(
    served: Program,
) -> None:
    from signet.cli import recall

    word = uuid4().hex[:12]
    saved(served, f"The {word} ferry leaves at noon")
    assert "Less likely" not in served.run("recall", word).out
    (hit,) = served.run("recall", word, "--json").json()
    answer: Any = {"results": [hit, {**hit, "score": 0.2}, {**hit, "score": 0.1}]}
    lines = [*recall._lines(answer, output.Ink(False), full=False)]
    likely, less = "\n".join(lines).split("Less likely:\n")
    assert likely.count(word) == 1 and less.count(word) == 2


def test_every_stage_of_recall_has_its_words() -> None:
    from pathlib import Path

    from signet.domain import recall
    from signet.domain.recall import explain, rank

    code = Path(str(recall.__file__)).with_name("correct.py").read_text()
    stages = set(re.findall(r'\(\s*"(\w+)",\s*(?:settings\.|query\.|bool\(|scores)', code))
    assert {"learned", "superseded", "topics"} < stages
    assert {"page", "own", *rank.FEATURES, *stages} == explain.STAGES.keys()


def test_results_keep_within_the_terminal(served: Program) -> None:
    word = uuid4().hex[:12]
    saved(
        served,
        f"The {word} " + "rolls over the hill and 列車は毎朝九時に駅を出発します。" * 4,
        "--tags",
        "hill,road,rolling",
    )
    for columns in (60, 80, 120):
        for flags in ([], ["--explain"]):
            drawn = served.on_terminal("recall", word, *flags, columns=columns, NO_COLOR="1")
            lines = drawn.replace("\r", "").splitlines()
            assert len(lines) > 2
            assert max(map(output.cells, lines)) <= columns, drawn
    piped = served.run("recall", word).out.splitlines()
    assert len(piped) == 2


def test_stored_text_cannot_steer_a_terminal(served: Program) -> None:
    word = uuid4().hex
    memory_id = saved(served, f"{word} \x1b[2J\x1b]0;owned\x07 end", "--who", "\x1b[31mEve")
    for command in (
        ["recall", word],
        ["memory", "show", memory_id],
        ["memory", "history", memory_id],
    ):
        done = served.run(*command)
        assert done.status == 0
        assert "\x1b" not in done.out and "\x07" not in done.out


def test_quiet_leaves_results_and_errors(served: Program) -> None:
    saved(served, f"Loud {uuid4()}")
    saved(served, f"Louder {uuid4()}")
    assert served.run("memory", "list", "-l", "1").err != ""
    done = served.run("--quiet", "memory", "list", "-l", "1")
    assert (done.err, done.out.count("\n")) == ("", 2)
    assert served.run("-q", "memory", "show", "ffffffff").err.startswith("error: ")


def test_types_are_completed_without_a_daemon(alone: Program) -> None:
    words = "signet recall x --type de"
    typed = {"_SIGNET_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": "4"}
    assert alone.run(**typed).out.split() == ["decision"]
    typed |= {"COMP_WORDS": "signet memory re", "COMP_CWORD": "2"}
    assert sorted(alone.run(**typed).out.split()) == ["recover", "rewrite"]


def test_ids_and_projects_are_completed_by_the_daemon(served: Program) -> None:
    id_ = saved(served, f"A lighthouse {uuid4()}", "--project", "/work/lighthouse")

    def offered(words: str) -> str:
        place = str(len(words.split()))
        typed = {"_SIGNET_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": f"signet {words}"}
        return served.run(**typed, COMP_WORDS=words, COMP_CWORD=place).out

    assert id_ in offered(f"memory show {id_[:12]}")
    assert "A lighthouse" in offered(f"forget {id_[:12]}")
    assert "/work/lighthouse" in offered("recall x --project /work/l")
    assert offered("sessions show nothing-of-this-name").strip() in ("", "_files")


def test_a_memory_without_a_vector_has_no_similar_ones(served: Program) -> None:
    assert served.run("memory", "similar", saved(served, f"Alone {uuid4()}")).status == 1


def test_matched_words_are_bold_on_a_terminal_only(served: Program) -> None:
    saved(served, f"{'The grey quay. ' * 40}A puffin nests there. {'The grey quay. ' * 40}")
    drawn = served.on_terminal("recall", "puffins nesting")
    assert "\x1b[1mpuffin\x1b[0m \x1b[1mnests\x1b[0m" in drawn and drawn.count(" …") >= 1
    for plain in (
        served.run("recall", "puffins nesting").out,
        served.on_terminal("recall", "puffins nesting", NO_COLOR="1"),
    ):
        assert "puffin nests" in plain and not {"\x1b", "\ue000", "\ue001"} & set(plain)
    hit = served.run("recall", "puffins nesting", "--json").json()[0]
    assert [hit["content"][start:end] for start, end in hit["highlights"]] == ["puffin", "nests"]


def test_changes_are_undone_one_by_one_and_done_again(served: Program) -> None:
    id_ = saved(served, "The kite is red", "--tags", "wind")

    def now() -> tuple[Any, ...]:
        shown = served.run("memory", "show", id_, "--json").json()
        return shown["content"], shown["tags"], shown["pinned"]

    first = now()
    assert served.run("edit", id_[:18], "The kite is blue", "--pin").status == 0
    second = now()
    served.run("edit", id_, "--tags", "", "--unpin")
    third = now()
    assert "Would restore: 1 memory" in served.run("undo", "--dry-run").out and now() == third
    assert served.run("undo").out.startswith("Restored: 1 memory (updated ") and now() == second
    assert served.run("undo").status == 0 and now() == first
    assert served.run("redo").status == 0 and now() == second
    assert served.run("redo").status == 0 and now() == third
    assert "Nothing to redo" in served.run("redo").err
    served.run("undo")
    assert served.run("undo").status == 0 and now() == first
    served.run("forget", id_, "--yes")
    assert "Nothing to redo" in served.run("redo").err
    asked = served.on_terminal("undo", after="Recover 1 memory?", typed="y\n")
    assert "Recover: 1 memory" in asked and "Recovered: 1 memory" in asked and now() == first
    gone = saved(served, "The mast is new")
    assert served.run("undo").out.startswith("Forgot: 1 memory (created ")
    assert "The mast is new" in served.run("list", "--forgotten").out and gone
    twice = served.run("edit", id_, "a text", "--content", "another")
    assert twice.status == 2 and "give the new text once" in twice.err


def test_an_undone_save_takes_nothing_of_others_and_erased_is_skipped(served: Program) -> None:
    kept = saved(served, "The pier light is green")
    erased = saved(served, "The pier code is 5521")
    (served.workspace / ".git").mkdir()
    told = served.run("memory", "erase", erased, "--yes")
    (served.workspace / ".git").rmdir()
    assert told.status == 0 and ".git'  # loses every earlier version" in told.out + told.err
    assert served.run("undo", "--json").json()["ids"] == [kept]
    assert "pier light" not in served.run("forgotten").out
    assert "Would recover: 1 memory" in served.run("redo", "--dry-run").out
    assert served.run("redo", "--yes").out.startswith("Recovered: 1 memory")
    assert served.run("undo", "--yes").out.startswith("Forgot: 1 memory")
    assert "pier light" not in served.run("forgotten").out


def test_the_memories_of_a_project_are_forgotten_together(served: Program) -> None:
    kept = saved(served, "The quay belongs to another project.", "--project", "/work/quay")
    gone = saved(served, "The breakwater is repaired in June.", "--project", "/work/breakwater")
    done = served.run("forget", "--project", "/work/breakwater", "--yes", "--json").json()
    assert [one["id"] for one in done["results"]] == [gone]
    assert served.run("memory", "show", kept).status == 0


def test_a_bulk_forget_is_one_change(served: Program) -> None:
    tag = "harbour-bulk"
    notes = [{"record": "text", "content": f"Cleat {n} {tag}", "tags": [tag]} for n in range(230)]
    served.run("import", "-", stdin="\n".join(map(json.dumps, notes)))
    assert "230 memories forgotten" in served.run("forget", "--tags", tag, "--yes").out
    undone = served.run("undo")
    assert "Recovered: 230 memories" in undone.out and "… and 220 more" in undone.out
    assert served.run("list", "--tags", tag, "--json").json()["total"] == 230
    assert "Forgot: 230 memories" in served.run("redo").out
    assert "Recovered: 230 memories" in served.run("undo").out
    assert "Forgot: 230 memories" in served.run("undo").out
    assert "Recovered: 230 memories" in served.run("redo").out


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (("forgett",), "Did you mean 'forget'"),
        (("sesions", "list"), "Did you mean 'sessions'"),
        (("sessions", "lst"), "Did you mean 'list'"),
    ],
)
def test_a_near_miss_names_the_command(served: Program, typed: tuple[str, ...], meant: str) -> None:
    answer = served.run(*typed)
    assert answer.status in (1, 2) and meant in answer.err


def test_what_a_newcomer_types_is_understood(served: Program, tmp_path: Path) -> None:
    folder = tmp_path / "larder"
    piped = served.run("add", "--project", str(folder), stdin="Otter jam keeps for a year.")
    assert piped.status == 0, piped.err
    for asked in (("ls", "--search", "Otter"), ("search", "Otter jam", "-n", "1")):
        assert "Otter jam keeps" in served.run(*asked).out
    assert "Otter jam keeps" in served.run("list", "-n", "2", "--project", "larder").out
    assert "Otter jam keeps" in served.run("recall", "Otter jam", "--project", "larder").out
    named = served.run(
        "remember", "Otter jam needs no lid.", "--project", "larder", "--json"
    ).json()
    shown = served.run("memory", "show", named["id"], "--json").json()
    assert shown["project"] == str(folder)


@pytest.mark.parametrize(
    ("words", "way"),
    [
        (("memory", "show", "nope"), "find the ID with `signet recall WORDS`"),
        (("edit", "Otter", "Jam"), "find the ID with `signet recall WORDS`"),
        (("forget", "nope"), "or forget by words with --query WORDS"),
        (("memory", "recover", "nope"), "list forgotten memories with `signet forgotten`"),
    ],
)
def test_a_wrong_id_names_the_way_to_the_right_one(
    served: Program, words: tuple[str, ...], way: str
) -> None:
    refused = served.run(*words)
    assert refused.status == 1
    assert refused.err.strip().endswith(way)
