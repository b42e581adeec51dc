"""Session starts and prompts hold nothing of another repository, and no imported note; their own arrives everywhere."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from episodes.world import World, a_world
from providers.native.cases import Models
from support.repositories import Copy, needs_git

pytestmark = needs_git

#: Of each repository: a talk, and the words that must not leave it.
TALKS = {
    "atlas": (
        (
            "Write the retry code. We decided to cap retries at 7 with jitter because the gateway bans above 8.",
            "7",
        ),
        ("From now on: always run make heron before each commit.", "make heron"),
        ("Never push to the branch dunlin without a review.", "dunlin"),
    ),
    "borealis": (
        (
            "We decided to cap retries at 3 without jitter because the billing API wants fast failures.",
            "billing",
        ),
        ("Always run make kestrel before each commit.", "make kestrel"),
        ("Never push to the branch plover without a review.", "plover"),
    ),
    "cetus": (
        (
            "We chose Postgres 17 over MySQL for the ledger because of its partial indexes.",
            "Postgres",
        ),
        ("Always bump the version in osprey.toml before a release.", "osprey"),
        ("Never deploy on Fridays because nobody is on call.", "Fridays"),
    ),
}
#: Imported private notes, and a word of each.
NOTES = (
    ("Water the plants. The big one must get 2 litres, never more.", "litres"),
    (
        "The office printer is called Gutenberg; always use tray 2 before each commit of paper.",
        "Gutenberg",
    ),
    ("Die Zählernummer im Keller ist 4711. Immer vor dem Release ablesen.", "Zählernummer"),
    ("Il faut toujours arroser les tomates avant le déploiement du store.", "tomates"),
    ("Nunca dejes las llaves del garaje en la rama principal del olivo.", "garaje"),
    ("リリースの前に必ず鍵を確認すること。", "鍵"),
)
PROMPTS = (
    "How many retries may the client make?",
    "Please finish the retry loop: how many attempts may it make before it gives up?",
    "What do I have to run before each commit?",
    "Which database does the ledger use?",
    "Push the branch after the review.",
    "Prepare the release.",
    "Was muss vor dem Release passieren?",
)


#: Enough for a session to be read.
FILLER = [
    ("user", "Rename the helper of the parser and keep its tests as they are, please."),
    (
        "assistant",
        "Renamed it, the tests pass. I looked at every call and left the documentation alone.",
    ),
]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Iterator[World]:
    with a_world(tmp_path_factory.mktemp("boundaries"), models) as made:
        for number, (name, said) in enumerate(TALKS.items()):
            folder = a_repository(made, name)
            answers = itertools.cycle(["Done.", "Noted."])
            turns = [
                turn for text, _ in said for turn in (("user", text), ("assistant", next(answers)))
            ]
            turns.append(("user", "I prefer short answers in release notes."))
            made.talk(f"{name}-1", [*turns, *FILLER], 2 + number, cwd=str(folder))
        for text, _ in NOTES:
            body = {"content": text, "sourceType": "markdown", "origin": "imported"}
            made.server.post("/api/memory/remember", body)
        made.server.post(
            "/api/memory/remember", {"content": "The user lives in Porto.", "pinned": True}
        )
        made.rest()
        made.warm()
        yield made


def a_repository(world: World, name: str) -> Path:
    folder = world.project.parent / name
    folder.mkdir()
    copy = Copy(folder)
    copy.git("init", "--quiet", "--initial-branch", "main")
    copy.commit("README", name)
    copy.git("worktree", "add", "--quiet", f"../{name}-fix", "-b", "fix")
    (folder / "src").mkdir()
    (folder.parent / f"{name}-link").symlink_to(folder)
    return folder


def foreign(name: str) -> list[str]:
    others = [words for other, said in TALKS.items() if other != name for _, words in said]
    own = {words for _, words in TALKS.get(name, ())}
    return [one for one in [*others, *(word for _, word in NOTES)] if one not in own and one != "7"]


@pytest.mark.parametrize("name", [*TALKS, "project"])
def test_starts_and_prompts_hold_nothing_foreign(world: World, name: str) -> None:
    for place, prompt in itertools.product(("", "-fix") if name in TALKS else ("",), PROMPTS):
        folder = f"{world.project.parent}/{name}{place}"
        key = f"{name}{place}-{prompt}"
        given = world.hook("session-start", key, cwd=folder)
        given += world.hook("user-prompt-submit", key, userPrompt=prompt, cwd=folder)
        assert not [one for one in foreign(name) if one in given], given


@pytest.mark.parametrize("place", ["", "-fix", "/src", "-link", "-link/src"])
def test_a_decision_reaches_every_folder_of_its_repository(world: World, place: str) -> None:
    asked = {"cwd": f"{world.project.parent}/atlas{place}", "userPrompt": PROMPTS[1]}
    told = world.hook("user-prompt-submit", f"decided{place}", **asked)
    assert "cap retries at 7 with jitter" in told


def test_rules_of_the_user_are_told_in_their_repository_and_facts_of_the_user_everywhere(
    world: World,
) -> None:
    told = world.hook(
        "user-prompt-submit",
        "rules",
        cwd=f"{world.project.parent}/cetus-fix",
        userPrompt="Prepare the release of the ledger with Postgres 17.",
    )
    assert "osprey.toml" in told
    start = world.hook("session-start", "person", cwd=f"{world.project.parent}/borealis")
    assert "The user lives in Porto." in start and "all projects" in start


def test_a_session_that_only_asked_the_same_hides_nothing(world: World) -> None:
    question = "Which spanner opens the hatch of the lighthouse lantern room?"
    world.talk("asked", [("user", question), ("assistant", "Done.")], 9)
    world.rest()
    assert world.hook("user-prompt-submit", "again", userPrompt=question) == ""


def test_each_part_of_a_session_belongs_to_the_repository_of_its_folder(world: World) -> None:
    here, there, base = "atlas", "borealis", world.project.parent
    records: list[dict[str, object]] = []
    for folder, said in (
        (f"{base}/{here}/src", "The heron exporter writes semicolons because of German Excel."),
        (
            f"{base}/{there}-fix",
            "The curlew importer reads tabulators because of the customs office.",
        ),
        ("/tmp", "Keep the scratch file of the curlew importer until the audit is over."),
        (f"{base}/{here}", "The heron exporter also writes a header line for the auditors."),
    ):
        for role, text in (("user", said), ("assistant", "Noted, I wrote that into the module.")):
            message = {"role": role, "content": text}
            records.append({"type": role, "cwd": folder, "message": message})
    path = world.log("moves", records, 10)
    folder = f"{base}/{here}"
    world.hook("session-end", "moves", transcriptPath=path, reason="other", cwd=folder)
    world.rest()
    found = set(
        world.rows(
            "SELECT project, instr(content, 'curlew') > 0 FROM episode_chunks WHERE source_id = 'moves'"
        )
    )
    assert found == {(folder, 0), (f"{base}/{there}", 1)}
    parts = world.rows(
        "SELECT project, sub_path FROM session_parts WHERE session_key = 'moves' ORDER BY since"
    )
    assert parts == [(folder, "src"), (f"{base}/{there}", ""), (folder, "")]
    for name, word in ((here, "semicolons"), (there, "tabulators")):
        asked = (
            "Which separators do the heron exporter and the curlew importer use for their files?"
        )
        told = world.hook(
            "user-prompt-submit", f"moved-{name}", userPrompt=asked, cwd=f"{base}/{name}"
        )
        assert [one for one in ("semicolons", "tabulators") if one in told] == [word]
