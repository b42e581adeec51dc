"""`signet config` on the file, without a daemon."""

import shlex

from cli.program import Program


def written(program: Program, text: str = "# mine\nsearch:\n  alpha: 0.5 # half\n") -> None:
    """Write agent.yaml."""
    program.workspace.mkdir(exist_ok=True)
    (program.workspace / "agent.yaml").write_text(text)


def test_a_value_and_where_it_comes_from(alone: Program) -> None:
    written(alone, "search: {alpha: 0.5}\nmemory: {pipelineV2: {shadowMode: true}}\n")
    assert alone.run("config", "get", "search.alpha").out == "0.5\n"
    for key, told in (
        ("search.alpha", "0.5  (agent.yaml)\n"),
        ("search.top_k", "20  (default)\n"),
        ("pipelineV2.shadowMode", "true  (agent.yaml)\n"),
        ("memory.pipelineV2.shadowMode", "true  (agent.yaml)\n"),
    ):
        assert alone.run("config", "get", key, "--show-origin").out == told
    whole = alone.run("config", "get", "git", "--json").json()
    assert whole["key"] == "git" and whole["value"]["remote"] == "origin"
    odd = alone.run("config", "get", "search.alhpa")
    assert (odd.status, "did you mean search.alpha?" in odd.err) == (1, True)


def test_secrets_are_masked(alone: Program) -> None:
    written(alone, "embedding: {provider: openai, api_key: sk-hush}\n")
    assert "sk-hush" not in alone.run("config", "get", "embedding").out
    assert "sk-hush" not in alone.run("config", "get", "embedding.api_key", "--json").out


def test_a_value_is_set_and_the_rest_stays(alone: Program) -> None:
    written(alone)
    assert alone.run("config", "set", "search.top_k", "40").status == 0
    assert alone.run("config", "set", "harnesses", "[codex]").status == 0
    assert (alone.workspace / "agent.yaml").read_text() == (
        "# mine\nsearch:\n  alpha: 0.5 # half\n  top_k: 40\nharnesses:\n  - codex\n"
    )


def test_what_makes_no_sense_changes_nothing(alone: Program) -> None:
    written(alone)
    before = (alone.workspace / "agent.yaml").read_text()
    for key, value, words in (
        ("search.alhpa", "0.5", "unknown setting; did you mean search.alpha?\n"),
        ("extraction.provdr", "x", "did you mean pipelineV2.extraction.provider?\n"),
        ("provider", "x", "several settings match; did you mean embedding.provider or"),
        ("port", "4000", "Did you mean `signet daemon restart --port PORT`?"),
        ("memory.pipelineV2", "x", "expected a section"),
        ("zzzz", "x", "unknown setting. List all: signet config --json\n"),
        ("embedding.provider", "opnai", "(did you mean openai?) is expected\n"),
        ("search.alpha", "often", "search.alpha: a number from 0 to 1 is expected\n"),
        ("search.alpha", "7", "search.alpha: a number from 0 to 1 is expected\n"),
        ("search.alpha", "[1", "not a value in YAML"),
        ("search.alpha", "1\nother: 2", "more than one value"),
    ):
        refused = alone.run("config", "set", key, value)
        assert (refused.status, words in refused.err) == (1, True), refused.err
    joined = alone.run("config", "set", "search.alpha=0.5")
    assert "Write: signet config set search.alpha 0.5\n" in joined.err
    assert (alone.workspace / "agent.yaml").read_text() == before


def test_a_unique_end_of_a_name_is_enough(alone: Program) -> None:
    written(alone)
    assert alone.run("config", "set", "backup.keep", "9").status == 0
    assert alone.run("config", "get", "keep").out == "9\n"
    assert alone.run("config", "set", "extraction.provider", "rules").status == 0
    assert alone.run("config", "get", "memory.pipelineV2.extraction.provider").out == "rules\n"
    assert alone.run("config", "set", "features.boats", "true").status == 0, "an entry of a map"
    reset = alone.run("config", "set", "backup.keep", "null")
    assert reset.status == 0 and reset.out.startswith("backup.keep has its default again in ")
    assert alone.run("config", "get", "backup.keep").out == "7\n"


def test_edit_opens_the_editor_and_says_whether_the_file_can_be_read(alone: Program) -> None:
    written(alone)
    assert "agent.yaml can be read" in alone.on_terminal(
        "config", "edit", typed="\n", EDITOR="true"
    )
    script = alone.home / "spoil"
    script.write_text('#!/bin/sh\necho "a: [" > "$1"\n')
    script.chmod(0o755)
    spoilt = alone.on_terminal("config", "edit", typed="\n", EDITOR=shlex.quote(str(script)))
    assert "agent.yaml line" in spoilt
    failed = alone.on_terminal("config", "edit", typed="\n", EDITOR="false")
    assert "ended with status" in failed
    assert "needs a terminal" in alone.run("config", "edit").err


def test_alone_it_prints_the_settings(alone: Program) -> None:
    written(alone, "search: {alpha: 0.5}\nembedding: {provider: openai, api_key: sk-hush}\n")
    done = alone.run("config", EDITOR="false")
    assert (done.status, "search.alpha: 0.5\n" in done.out) == (0, True)
    assert "sk-hush" not in done.out
    assert "signet config set KEY VALUE" in done.err
    assert "search.alpha: 0.5" in alone.on_terminal("config", PAGER="cat", EDITOR="false")
    assert alone.run("config", "--json", EDITOR="false").json()["search"]["alpha"] == 0.5
    misplaced = alone.run("config", "--json", "get", "search.alpha", EDITOR="false")
    assert (misplaced.status, "after get" in misplaced.json()["error"]) == (2, True)


def test_a_setting_keeps_the_spelling_of_the_file(alone: Program) -> None:
    section = "memory:\n  pipelineV2:\n    extraction:\n      apiKey: sk-old\n"
    written(alone, section)
    assert alone.run("config", "set", "memory.pipelineV2.extraction.api_key", "sk-new").status == 0
    text = (alone.workspace / "agent.yaml").read_text("utf-8")
    assert text == section.replace("sk-old", "sk-new")
