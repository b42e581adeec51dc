"""Skills over HTTP: list, read, search, install, remove; the graph follows."""

import io
import os
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from signet.domain.skills import install as installing
from signet.domain.skills.install import InstallFailed
from support.http import Answer, Api
from support.processes import eventually, is_running
from support.repositories import needs_git
from support.skills import write

FULL = """name: Knots
description: Ties what should hold
version: 1.10
author: Ana
license: MIT
permissions: [files, shell]
user_invocable: false
arg_hint: which knot
verified: true
"""


@pytest.fixture(autouse=True)
def no_other_catalogs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNET_SKILL_CATALOG", str(tmp_path / "catalog"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def folder(api: Api) -> Path:
    return api.state.workspace.skills_dir


def install(api: Api, name: str, source: object = None) -> Answer:
    return api.post("/api/skills/install", {"name": name, "source": source and str(source)})


def nodes(api: Api) -> dict[str, str]:
    """Return the skills in the graph: entity to source."""
    return {row["entity_id"]: row["source"] for row in api.rows("skill_meta")}


def jobs(api: Api) -> set[str]:
    return {row["job_type"] for row in api.rows("memory_jobs")}


def listed(api: Api) -> list[str]:
    return [skill["name"] for skill in api.get("/api/skills").body["skills"]]


def test_the_list_shows_what_skills_say_of_themselves_by_name(api: Api) -> None:
    assert api.get("/api/skills").body == {"skills": [], "count": 0}
    write(folder(api), "sail")
    write(folder(api), "tie", FULL)
    (folder(api) / "bare").mkdir()
    (folder(api) / "bare" / "SKILL.md").write_text("No front matter.", "utf-8")
    (folder(api) / "empty").mkdir()
    (folder(api) / ".hidden").mkdir()
    (folder(api) / "file").write_text("x", "utf-8")
    body = api.get("/api/skills").body
    assert (body["count"], listed(api)) == (3, ["bare", "Knots", "sail"])
    shown = body["skills"][1]
    assert (
        shown
        | {
            "name": "Knots",
            "description": "Ties what should hold",
            "version": "1.10",
            "author": "Ana",
            "maintainer": None,
            "license": "MIT",
            "user_invocable": False,
            "arg_hint": "which knot",
            "verified": True,
            "permissions": ["files", "shell"],
            "path": str(folder(api) / "tie"),
        }
        == shown
    )
    assert body["skills"][0]["description"] == ""


def test_a_skill_is_read_by_its_folder_or_by_its_own_name(api: Api) -> None:
    file = write(folder(api), "tie", FULL)
    for name in ("tie", "Knots"):
        body = api.get(f"/api/skills/{name}").body
        assert (body["name"], body["content"]) == ("Knots", file.read_text("utf-8"))
    missing = api.get("/api/skills/none")
    assert (missing.status, missing.error) == (404, "Skill 'none' not found")


@pytest.mark.parametrize("name", [".hidden", "a%5Cb", "a..b", "%20", "%00", "x" * 300])
def test_a_name_that_is_none_is_refused(api: Api, name: str) -> None:
    for method in ("GET", "DELETE"):
        refused = api.send(method, f"/api/skills/{name}")
        assert (refused.status, refused.error) == (400, "Invalid skill name")


def test_a_link_that_leaves_the_folder_is_not_followed(api: Api, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", "secret")
    write(folder(api), "inside")
    (folder(api) / "link").symlink_to(outside.parent)
    (folder(api) / "file").mkdir()
    (folder(api) / "file" / "SKILL.md").symlink_to(outside)
    for name in ("link", "file"):
        assert api.get(f"/api/skills/{name}").error == "Invalid skill name"
        assert api.delete(f"/api/skills/{name}").error == "Invalid skill name"
    assert outside.exists()
    assert listed(api) == ["inside"]


def test_a_pipe_in_place_of_a_file_keeps_nobody_waiting(api: Api) -> None:
    (folder(api) / "pipe").mkdir(parents=True)
    os.mkfifo(folder(api) / "pipe" / "SKILL.md")
    assert api.get("/api/skills/pipe").status == 404
    assert listed(api) == []


def test_removing_takes_the_folder_and_the_node(api: Api, tmp_path: Path) -> None:
    assert install(api, "sail", write(tmp_path / "src", "sail").parent).status == 200
    assert nodes(api)
    gone = api.delete("/api/skills/sail")
    assert gone.body == {"success": True, "name": "sail", "message": "Removed sail"}
    assert list(folder(api).iterdir()) == []
    assert nodes(api) == {} and api.rows("entities") == []
    assert api.delete("/api/skills/sail").status == 404


def test_a_folder_is_installed_whole_and_becomes_a_node(api: Api, tmp_path: Path) -> None:
    source = write(tmp_path / "src", "sail").parent
    (source / "scripts").mkdir()
    (source / "scripts" / "hoist.sh").write_text("#!/bin/sh\n", "utf-8")
    (source / "scripts" / "hoist.sh").chmod(0o755)
    (source / ".git").mkdir()
    (source / "again.sh").symlink_to("scripts/hoist.sh")
    done = install(api, "sail", source)
    assert done.body == {
        "success": True,
        "name": "sail",
        "output": f"Installed sail from {source}",
    }
    made = folder(api) / "sail"
    assert os.access(made / "scripts" / "hoist.sh", os.X_OK)
    assert (made / "again.sh").is_symlink() and not (made / ".git").exists()
    assert nodes(api) == {"skill:default:sail": str(source)}
    [entity] = api.rows("entities")
    assert (entity["entity_type"], entity["canonical_name"]) == ("skill", "sail")
    assert entity["description"] == "How to do sail"
    # Nobody makes vectors here.
    assert jobs(api) == {"skill_enrich", "skill_entities"}


def test_installing_again_replaces_all_of_it(api: Api, tmp_path: Path) -> None:
    source = write(tmp_path / "src", "sail").parent
    (source / "old.txt").write_text("x", "utf-8")
    install(api, "sail", source)
    (source / "old.txt").unlink()
    write(tmp_path / "src", "sail", FULL)
    assert install(api, "sail", source).status == 200
    assert [path.name for path in folder(api).iterdir()] == ["sail"]
    assert [path.name for path in (folder(api) / "sail").iterdir()] == ["SKILL.md"]
    [meta] = api.rows("skill_meta")
    assert (meta["version"], api.rows("entities")[0]["name"]) == ("1.10", "Knots")


def packed(path: Path, files: dict[str, str]) -> Path:
    """Write an archive with these files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as zipped:
            for name, text in files.items():
                entry = zipfile.ZipInfo(name)
                entry.external_attr = 0o755 << 16
                zipped.writestr(entry, text)
        return path
    with tarfile.open(path, "w:gz") as tarred:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(text.encode()), 0o755
            tarred.addfile(member, io.BytesIO(text.encode()))
    return path


@pytest.mark.parametrize("name", ["sail.zip", "sail.tar.gz"])
def test_an_archive_is_unpacked(api: Api, tmp_path: Path, name: str) -> None:
    files = {"sail-main/SKILL.md": "---\nname: sail\n---\nx", "sail-main/a/b.txt": "b"}
    assert install(api, "sail", packed(tmp_path / name, files)).status == 200
    assert (folder(api) / "sail" / "a" / "b.txt").read_text("utf-8") == "b"
    assert os.access(folder(api) / "sail" / "a" / "b.txt", os.X_OK)
    assert listed(api) == ["sail"]


def test_what_a_killed_installation_has_left_is_put_right_by_the_next(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder(api) / ".stage-killed" / "old", "sail", FULL)
    write(folder(api) / ".stage-killed", "ready")
    assert listed(api) == []
    source = write(tmp_path / "src", "tie").parent
    assert install(api, "tie", source).status == 200
    assert (folder(api) / ".stage-killed").exists(), "it may be at work still"
    monkeypatch.setattr("signet.domain.skills.sources.ABANDONED_SECONDS", -1.0)
    assert install(api, "tie", source).status == 200
    assert sorted(path.name for path in folder(api).iterdir()) == ["sail", "tie"]
    assert listed(api) == ["Knots", "tie"]


@pytest.mark.parametrize("name", ["sail.zip", "sail.tar.gz"])
def test_an_archive_cannot_write_elsewhere(api: Api, tmp_path: Path, name: str) -> None:
    files = {"SKILL.md": "---\nname: sail\n---\nx", "../../../escaped.txt": "x"}
    install(api, "sail", packed(tmp_path / "src" / name, files))
    made = tmp_path.rglob("escaped.txt")
    assert all(folder(api) / "sail" in path.parents for path in made)


def linked(path: Path, links: dict[str, tuple[bytes, str]], files: dict[str, str]) -> Path:
    """Write an archive of special members, by name with type and target, followed by files."""
    with tarfile.open(path, "w") as tarred:
        for name, (kind, target) in links.items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, target
            tarred.addfile(member)
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            tarred.addfile(member, io.BytesIO(text.encode()))
    return path


def test_links_in_an_archive_stay_links_and_lead_nothing_outside(api: Api, tmp_path: Path) -> None:
    skill = {"SKILL.md": "---\nname: sail\n---\nx"}
    inside = linked(tmp_path / "a.tar", {"b.md": (tarfile.SYMTYPE, "SKILL.md")}, skill)
    assert install(api, "sail", inside).status == 200
    assert (folder(api) / "sail" / "b.md").is_symlink()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for links, words in (
        ({"out": (tarfile.SYMTYPE, str(elsewhere))}, "cannot be unpacked"),
        ({"b.md": (tarfile.SYMTYPE, "/etc/passwd")}, "a link to outside the skill"),
        ({"b.md": (tarfile.LNKTYPE, "/etc/passwd")}, "cannot be unpacked"),
        ({"b.md": (tarfile.FIFOTYPE, "")}, "cannot be unpacked"),
    ):
        files = skill | ({"out/x.txt": "x"} if "out" in links else {})
        refused = install(api, "tie", linked(tmp_path / "b.tar", links, files))
        assert refused.status == 400 and words in refused.error, links
    assert list(elsewhere.iterdir()) == []
    assert listed(api) == ["sail"]


def unchanged(api: Api, answer: Answer, words: str) -> None:
    """Check that an installation failed with these words and left the one skill that was there."""
    assert (answer.status, answer.body["success"]) == (400, False)
    assert words in answer.error
    assert [path.name for path in folder(api).iterdir()] == ["sail"]
    assert api.get("/api/skills/sail").body["version"] == "1.10"


def test_no_skill_is_installed_from_a_private_place(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CON-11: agents would read its files."""

    def refused(answer: Answer, words: str) -> None:
        assert answer.status == 400 and words in answer.error
        assert not (folder(api) / "sail").exists()

    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    for place in (home / ".ssh", home / ".gnupg" / "x", api.state.workspace.secrets_dir):
        skill = write(place, "sail").parent
        refused(install(api, "sail", skill), "holds keys")
    (tmp_path / "link").symlink_to(home / ".ssh" / "sail")
    refused(install(api, "sail", tmp_path / "link"), "holds keys")
    (home / "SKILL.md").write_text((home / ".ssh" / "sail" / "SKILL.md").read_text())
    refused(install(api, "sail", home), "home folder")
    seen = write(home / ".claude" / "skills", "sail").parent
    assert install(api, "sail", seen).status == 200


def test_what_cannot_be_installed_changes_nothing(api: Api, tmp_path: Path) -> None:
    write(folder(api), "sail", FULL)
    source = tmp_path / "src"
    source.mkdir()
    unchanged(api, install(api, "sail", source), "there is no SKILL.md")
    unchanged(api, install(api, "sail", source / "none"), "does not exist")
    (source / "bad.zip").write_bytes(b"PK nothing")
    unchanged(api, install(api, "sail", source / "bad.zip"), "cannot be unpacked")
    leaving = write(source / "leaving", "sail").parent
    (leaving / "secrets").symlink_to("/etc")
    unchanged(api, install(api, "sail", leaving), "a link to outside the skill")
    for name in ("one", "two"):
        write(source / "many", name)
    unchanged(api, install(api, "sail", source / "many"), "several skills: one, two")
    assert nodes(api) == {}


@pytest.mark.parametrize(
    "name", ["../x", "a/../b", "/etc", "-rf", "a b", "a;b", "..", "é", "x" * 300]
)
def test_an_install_name_that_is_none_is_refused(api: Api, name: str) -> None:
    refused = install(api, name)
    assert (refused.status, refused.error) == (400, "Invalid skill name")
    assert not folder(api).exists()


@pytest.mark.parametrize(
    ("sent", "words"),
    [(b"{", "Invalid JSON body"), (b"[]", "Invalid JSON body"), (b"{}", "name is required")],
)
def test_a_body_that_says_nothing_is_refused(api: Api, sent: bytes, words: str) -> None:
    refused = api.post("/api/skills/install", sent)
    assert (refused.status, refused.error) == (400, words)


def test_a_plain_name_is_found_in_a_catalog(api: Api, tmp_path: Path) -> None:
    write(tmp_path / "catalog", "sail", "name: sail\ndescription: For wind\ninstalls: 1234")
    assert install(api, "sail").body["output"] == "Installed sail from catalog"
    assert install(api, "web-search").status == 200
    assert listed(api) == ["sail", "web-search"]


def program(folder: Path, name: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program first in the path."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_a_plain_name_in_no_catalog_is_left_to_the_skills_program(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        'made="$HOME/.agents/skills/$4"; mkdir -p "$made"\n'
        'printf -- "---\\nname: %s\\n---\\nx" "$4" > "$made/SKILL.md"'
    )
    program(tmp_path / "bin", "npx", script, monkeypatch)
    assert install(api, "moor").body["output"] == "Installed moor from npx skills"
    assert listed(api) == ["moor"]
    program(tmp_path / "bin", "npx", "echo no such skill; exit 3", monkeypatch)
    failed = install(api, "anchor")
    assert failed.status == 400 and "(npx failed: no such skill)" in failed.error


def test_without_the_skills_program_a_plain_name_is_a_clear_error(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "no catalog of this machine has 'moor'" in install(api, "moor").error
    assert "git is needed" in install(api, "ana/boats@moor").error


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder that git takes for https://github.com, with the repository ana/boats in it."""
    repo = tmp_path / "hub" / "ana" / "boats.git"
    for name in ("sail", "moor"):
        write(repo / "skills", name)
    environment = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{tmp_path / 'hub'}/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/",
        "GIT_AUTHOR_NAME": "t",
        "GIT_AUTHOR_EMAIL": "t@t",
        "GIT_COMMITTER_NAME": "t",
        "GIT_COMMITTER_EMAIL": "t@t",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "x")):
        subprocess.run(["git", "-C", str(repo), *command], check=True)
    return repo


@needs_git
def test_a_skill_of_a_repository_is_fetched(api: Api, hub: Path) -> None:
    assert install(api, "ana/boats@moor").body["name"] == "moor"
    assert install(api, "wind", "ana/boats@sail").body["name"] == "wind"
    assert {path.name for path in folder(api).iterdir()} == {"moor", "wind"}
    assert nodes(api)["skill:default:wind"] == "ana/boats@sail"
    assert "several skills: moor, sail" in install(api, "ana/boats").error
    assert "git failed" in install(api, "ana/none").error
    assert "no skill 'row', only: moor, sail" in install(api, "ana/boats@row").error


def test_a_program_that_hangs_is_ended_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin", "git", f"sleep 600 & echo $! > '{tmp_path}/child'; wait", monkeypatch)
    with pytest.raises(InstallFailed, match="git took longer than 2 s"):
        installing.install(tmp_path / "skills", "ana/boats", seconds=2)
    assert list((tmp_path / "skills").iterdir()) == []
    child = int((tmp_path / "child").read_text())
    eventually(lambda: not is_running(child))


def test_search_needs_words_and_marks_what_is_installed(api: Api, tmp_path: Path) -> None:
    for path in ("/api/skills/search", "/api/skills/search?q=%20"):
        refused = api.get(path)
        assert (refused.status, refused.error) == (400, "Query parameter q is required")
        assert refused.body["results"] == []
    write(tmp_path / "catalog", "sail", "name: sail\ndescription: For wind\ninstalls: 1234")
    write(folder(api), "tie", "name: tie\ndescription: For wind and rope")
    found = api.get("/api/skills/search?q=WIND%20for").body["results"]
    assert [(one["name"], one["installed"]) for one in found] == [("tie", True), ("sail", False)]
    assert found[1]["installs"] == "1.2K"
    assert api.get("/api/skills/search?q=nothing%20of%20this").body == {"results": []}


def test_catalogs_are_browsed_by_popularity(api: Api, tmp_path: Path) -> None:
    assert install(api, "recall").status == 200
    catalog = tmp_path / "catalog"
    write(catalog, "a", "installs: 100\nstars: 2\ncategory: web")
    write(catalog, "b", "verified: true\ncategory: nothing")
    body = api.get("/api/skills/browse").body
    assert body["total"] == len(body["results"]) == 8
    first = [(one["name"], one["popularity"], one["category"]) for one in body["results"][:2]]
    assert first == [("b", 5_000, "Other"), ("a", 500, "Web")]
    marked = {one["name"] for one in body["results"] if one["installed"]}
    assert marked == {"recall"}


def test_a_skill_called_as_a_route_is_still_a_skill(api: Api) -> None:
    write(folder(api), "search")
    assert listed(api) == ["search"]
    assert api.get("/api/skills/search").status == 400
    assert api.delete("/api/skills/search").status == 200


def test_skills_that_have_to_do_with_each_other_are_joined(api: Api, tmp_path: Path) -> None:
    for name, needs in (("sail", "[knots]"), ("knots", "[]")):
        front = f"name: {name}\ndescription: d\ntriggers: [rope]\ndependencies: {{skills: {needs}}}"
        assert install(api, name, write(tmp_path / "src", name, front).parent).status == 200
    [edge] = api.rows("entity_dependencies")
    ends = edge["source_entity_id"], edge["dependency_type"], edge["target_entity_id"]
    assert ends == ("skill:default:sail", "requires", "skill:default:knots")
    assert api.delete("/api/skills/sail").status == 200
    assert api.rows("entity_dependencies") == []


def test_without_procedural_memory_there_are_files_and_no_nodes(api: Api, tmp_path: Path) -> None:
    api.configure("memory:\n  pipelineV2:\n    procedural:\n      enabled: false\n")
    assert install(api, "sail", write(tmp_path / "src", "sail").parent).status == 200
    assert listed(api) == ["sail"]
    assert nodes(api) == {} and jobs(api) == set()
    assert api.delete("/api/skills/sail").status == 200


def test_a_busy_database_does_not_stop_an_installation(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from signet.domain.skills import node
    from signet.errors import StorageBusy

    def busy(*_: object, **__: object) -> None:
        raise StorageBusy()

    monkeypatch.setattr(node, "put", busy)
    assert install(api, "sail", write(tmp_path / "src", "sail").parent).status == 200
    assert any(line["event"] == "skill.not_in_graph" for line in api.logged)


def test_skills_are_results_when_they_are_asked_for_and_that_is_a_use(
    api: Api, tmp_path: Path
) -> None:
    for name, told in (("sail", "Hoist the sail in strong wind"), ("tie", "Tie a bowline knot")):
        front = f"name: {name}\ndescription: {told}\ntags: [sea]"
        install(api, name, write(tmp_path / "src", name, front).parent)
    api.post("/api/memory/remember", {"content": "Ana hoists the sail in any wind."})
    asked = {"query": "how do I hoist a sail", "type": "skill"}
    [found] = api.post("/api/memory/recall", asked).body["results"]
    assert (found["source"], found["type"], found["source_id"]) == ("skill", "skill", "sail")
    assert found["content"] == "sail: Hoist the sail in strong wind"
    assert found["id"] == "skill:default:sail"
    plain = api.post("/api/memory/recall", {"query": "how do I hoist a sail"}).body["results"]
    assert "skill" not in {row["source"] for row in plain}
    api.post("/api/memory/recall", asked)

    def used() -> dict[str, int]:
        assert api.get("/livez").status == 200  # counting goes on while others are answered
        return {row["entity_id"]: row["use_count"] for row in api.rows("skill_meta")}

    eventually(lambda: used() == {"skill:default:sail": 2, "skill:default:tie": 0})
    assert [row["last_used_at"] is not None for row in api.rows("skill_meta")] == [True, False]


def test_an_agent_sees_the_skills_that_the_roster_lists_for_it(api: Api, tmp_path: Path) -> None:
    for name in ("sail", "moor"):
        front = f"name: {name}\ndescription: How to {name} in wind\ntags: [sea]"
        install(api, name, write(tmp_path / "src", name, front).parent)
    write(folder(api), "tie", FULL)
    agents = "{name: mate, skills: [sail, Knots]}, {name: cook, skills: []}, {name: boy}"
    api.configure(f"agents: {{roster: [{agents}]}}\n")

    def seen(agent: str) -> list[str]:
        answer = api.get(f"/api/skills?agent_id={agent}")
        return [skill["name"] for skill in answer.body["skills"]]

    def found(agent: str) -> set[str]:
        asked = {"query": "what to do in wind", "type": "skill", "agentId": agent}
        return {one["source_id"] for one in api.post("/api/memory/recall", asked).body["results"]}

    assert seen("mate") == ["Knots", "sail"] and found("mate") == {"sail"}
    assert seen("cook") == [] and found("cook") == set()
    assert seen("boy") == seen("default") == ["Knots", "moor", "sail"]
    assert found("boy") == found("default") == {"moor", "sail"}
