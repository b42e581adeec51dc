"""Words of other programs: many run the command that they mean, the others name it."""

import pytest

from cli.program import Program
from signet.cli import rows


@pytest.mark.parametrize(("word", "meant"), rows.SYNONYMS.items())
def test_a_synonym_runs_the_command(alone: Program, word: str, meant: str) -> None:
    assert rows.renamed(word.split()) == meant.split()
    shown = alone.run(*word.split(), "--quiet" if meant.startswith("--") else "--help")
    assert shown.status == 0, shown.err
    assert f"signet {meant.partition(' --')[0]}" in shown.out or meant.startswith("--")


@pytest.mark.parametrize(("word", "meant"), rows.MEANT.items())
def test_a_word_without_a_synonym_is_answered_with_the_command(
    alone: Program, word: str, meant: str
) -> None:
    done = alone.run(*word.split(), "x")
    assert (done.status, done.out) == (1, "")
    assert f"Did you mean `signet {meant}`?" in done.err
