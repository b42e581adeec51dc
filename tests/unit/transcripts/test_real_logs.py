"""Transcripts that real programs wrote: both prompts, both answers, their times, and nothing that nobody said."""

from pathlib import Path

import pytest

from signet.domain.transcripts import transcript
from signet.domain.transcripts.transcript import ASSISTANT, USER

LOGS = sorted((Path(__file__).parents[2] / "harnesses" / "transcripts").glob("*.jsonl"))


def test_several_versions_of_each_harness_are_kept() -> None:
    names = [path.name.rpartition("-")[0] for path in LOGS]
    assert names.count("claude-code") >= 2 and names.count("codex") >= 3


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_a_real_log_is_read_whole(path: Path) -> None:
    turns = transcript.parse(path.read_text())
    assert [turn.role for turn in turns] == [USER, ASSISTANT, USER, ASSISTANT]
    assert turns[0].text.startswith("Which cache does Atlas use?")
    assert turns[2].text == "And when does the release train leave?"
    assert all("Decision: Atlas keeps Valkey" in turns[place].text for place in (1, 3))
    times = [turn.at or "" for turn in turns]
    assert times == sorted(times) and times[0].startswith("2026-11-22T")


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_what_is_stored_reads_as_the_log_does(path: Path) -> None:
    text = transcript.normalize(path.read_text())
    turns = transcript.parse(path.read_text())
    again = transcript.parse(text)
    assert again == turns and [one.at for one in again] == [one.at for one in turns]
    assert transcript.normalize(text) == text
    began, ended = transcript.spoken(text) or pytest.fail("no times")
    assert f"{began:%Y-%m-%dT%H:%M:%SZ}" == turns[0].at
    assert f"{ended:%Y-%m-%dT%H:%M:%SZ}" == turns[-1].at
    assert transcript.untimed(text).startswith("User: Which cache does Atlas use?")
