"""Which paths a pattern means, and which an ignore rule keeps out (CON-8)."""

import pytest

from signet.domain.connectors.registry import Folder
from signet.domain.connectors.sync import is_ignored, matches


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("**/*.md", "a.md"),
        ("**/*.md", "x/y/a.md"),
        ("*.md", "a.md"),
        ("./*.md", "a.md"),
        ("docs/**", "docs/x/a.txt"),
        ("docs/**/a.md", "docs/a.md"),
        ("docs/**/a.md", "docs/x/y/a.md"),
        ("a?.md", "ab.md"),
        ("[a-c].md", "b.md"),
        ("[!a-c].md", "d.md"),
        ("*.{md,txt}", "a.txt"),
        ("{a,b/{c,d}}.md", "b/d.md"),
        ("**", "x/a"),
        ("a+b(1).md", "a+b(1).md"),
        ("a{b.md", "a{b.md"),
        ("[z-a].md", "[z-a].md"),
        ("**/*.md", "line\nbreak.md"),
    ],
)
def test_a_glob_means_these_paths(glob: str, path: str) -> None:
    assert matches(path, glob)


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("*.md", "x/a.md"),
        ("**/*.md", "a.mdx"),
        ("**/*.md", "a.MD"),
        ("docs/**", "other/docs/a.md"),
        ("a?.md", "a/.md"),
        ("[!a-c].md", "b.md"),
        ("*.{md,txt}", "a.rst"),
        ("a.md", "axmd"),
    ],
)
def test_a_glob_does_not_mean_these_paths(glob: str, path: str) -> None:
    assert not matches(path, glob)


@pytest.mark.parametrize(
    ("rule", "path", "is_out"),
    [
        ("node_modules", "x/node_modules/a.md", True),
        ("drafts", "drafts", True),
        ("drafts/", "drafts/a.md", True),
        ("docs/private", "docs/private/a.md", True),
        ("docs/private", "other/docs/private/a.md", False),
        ("**/*.tmp.md", "x/a.tmp.md", True),
        ("drafts", "notes/a.md", False),
        ("none", ".hidden/a.md", True),
        ("none", "a/.hidden.md", True),
    ],
)
def test_ignored_is_what_a_rule_names_or_what_is_hidden(rule: str, path: str, is_out: bool) -> None:
    assert is_ignored(path, Folder(root_path="/r", ignore_patterns=(rule,))) is is_out
