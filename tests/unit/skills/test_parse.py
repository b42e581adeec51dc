"""What a SKILL.md says, and what is made of one that says it badly."""

from pathlib import Path

import pytest

from signet.domain.skills import files
from signet.domain.skills.models import SkillFile

PATH = Path("/skills/knots/SKILL.md")


def read(text: str | bytes) -> SkillFile:
    return files.skill("knots", PATH, text if isinstance(text, bytes) else text.encode())


def front(yaml: str) -> SkillFile:
    return read(f"---\n{yaml}\n---\nTie it.\n")


def test_every_key_is_read() -> None:
    skill = front(
        "name: Knots\ndescription: Ties  knots.\nversion: 1.10\nauthor: Ana\nmaintainer: Ben\n"
        "license: MIT\nhomepage: https://example.org\ntriggers: [tie a rope, ' moor ', '']\n"
        "tags: sea, rope,, rope\npermissions:\n  - files\nrole: workflow\nuser_invocable: false\n"
        "arg_hint: which knot\nbuiltin: true\nverified: yes\n"
        "dependencies: {bins: [rope], skills: [boats]}\ncategory: web\ninstalls: 12\nstars: x"
    )
    assert skill.problem is None
    assert (skill.name, skill.title, skill.description) == ("knots", "Knots", "Ties knots.")
    assert (skill.version, skill.author, skill.maintainer) == ("1.10", "Ana", "Ben")
    assert (skill.license, skill.homepage) == ("MIT", "https://example.org")
    assert (skill.triggers, skill.tags) == (("tie a rope", "moor"), ("sea", "rope"))
    assert (skill.permissions, skill.role, skill.arg_hint) == (("files",), "workflow", "which knot")
    assert (skill.user_invocable, skill.builtin, skill.verified) == (False, True, True)
    assert (skill.bins, skill.skills) == (("rope",), ("boats",))
    assert (skill.category, skill.installs, skill.stars) == ("web", 12, 0)
    assert skill.body == "Tie it.\n"


def test_what_is_left_out_has_its_default() -> None:
    skill = front("description:")
    assert (skill.title, skill.description, skill.version) == ("knots", "", None)
    assert (skill.triggers, skill.role, skill.user_invocable) == ((), "utility", True)
    assert not skill.builtin and not skill.verified


@pytest.mark.parametrize(
    ("yaml", "title"),
    [("name: A\ntitle: B", "A"), ("title: B", "B"), ("name: ''\ntitle: B", "B"), ("x: y", "knots")],
)
def test_the_name_wins_over_the_title_and_the_folder_is_left(yaml: str, title: str) -> None:
    assert front(yaml).title == title


def test_lines_may_end_as_on_windows_and_begin_with_a_mark() -> None:
    skill = read(b"\xef\xbb\xbf---\r\nname: Knots\r\n---\r\nTie it.\r\n")
    assert (skill.title, skill.body, skill.problem) == ("Knots", "Tie it.\r\n", None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Tie it.",
        "---\nname: Knots\n",
        " ---\nname: Knots\n---\n",
        "---\nname: [\n---\nTie it.",
        "---\nname: a: b\n---\n",
        "---\nname: a\nname: b\n---\n",
        "---\n- a list\n---\n",
        "---\nname: \x07\n---\n",
        "---\n" + "[" * 1_000 + "\n---\n",
        "---\nname: " + "x" * 70_000 + "\n---\n",
        "---\n---\n",
        b"---\nname: \xff\xfe\x00\n---\n",
    ],
)
def test_a_file_without_usable_front_matter_is_a_skill_by_its_folder(text: str | bytes) -> None:
    skill = read(text)
    assert skill.problem
    assert (skill.name, skill.title, skill.description) == ("knots", "knots", "")


def test_tags_of_yaml_make_nothing_and_anchors_do_not_grow() -> None:
    skill = front("name: !!python/object/apply:os.system [ls]\na: &a [x, x]\ntags: [*a, *a, b]")
    assert (skill.title, skill.tags) == ("knots", ("b",))


def test_the_fingerprint_follows_every_byte() -> None:
    texts = ["---\nname: a\n---\nb", "---\nname: a\n---\nb ", "---\nname: a \n---\nb"]
    assert len({read(text).fingerprint for text in texts}) == 3
