"""Documents read by a real worker: pages from a real server, files from the disk."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from signet.process.rescuer import Rescuer
from support.pages import Page, Site, a_site, html, moved
from support.pdf import a_pdf
from support.processes import eventually
from worker.home import Home, a_home
from worker.sources import chunks, drained, emptied, endless, handed_over, read, settings, state

ARTICLE = "<title>Tides</title><h1>Why</h1><p>The moon pulls.</p><footer>Imprint</footer>"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with a_site() as running:
        yield running


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        made.configure(settings())
        with made.worker():
            yield made


def a_page(home: Home, url: str, **fields: object) -> str:
    return handed_over(home, source_type="url", url=url, **fields)


def a_file(home: Home, path: Path | str, **fields: object) -> str:
    return handed_over(home, source_type="file", url=str(path), **fields)


def test_a_page_is_fetched_read_and_found_by_its_title(home: Home, site: Site) -> None:
    site.pages["/old"] = moved("/tides")
    site.pages["/tides"] = html(ARTICLE.replace("moon", "full moon"))
    document = read(home, document_id := a_page(home, site.url("/old")))
    assert (document["title"], document["content_type"]) == ("Tides", "text/html")
    assert document["raw_content"] == "# Why\n\nThe full moon pulls."
    assert chunks(home, document_id) == ["# Why\n\nThe full moon pulls."]
    (tags,) = home.rows("SELECT tags FROM memories WHERE source_id = ?", document_id)[0]
    assert "document:Tides" in tags


def test_a_title_that_was_given_stays(home: Home, site: Site) -> None:
    site.pages["/a"] = html("<title>Theirs</title><p>Ours is another.")
    assert read(home, a_page(home, site.url("/a"), title="Ours"))["title"] == "Ours"


def test_a_page_of_this_machine_is_refused_without_the_setting(home: Home, site: Site) -> None:
    site.pages["/inside"] = html("<p>a secret")
    home.configure_live(settings(allowPrivateNetworks=False))
    document = read(home, document_id := a_page(home, site.url("/inside")), "failed")
    home.configure_live(settings())
    assert "not on the public internet" in str(document["error"])
    assert "allowPrivateNetworks: true in agent.yaml" in str(document["error"])
    job = home.job(document_id, "document_ingest")
    assert (job["status"], job["attempts"]) == ("dead", 1)
    assert job["last_error_code"] == "address_not_allowed"
    assert "/inside" not in [asked[0] for asked in site.asked]


@pytest.mark.parametrize(
    ("page", "error"),
    [
        (Page(status=404), "answered 404"),
        (Page(body=b"GIF89a", headers={"Content-Type": "image/gif"}), "content type: image/gif"),
        (html(" <p> <br> "), "Empty content"),
        (Page(body=b"a\0b"), "not a text"),
    ],
)
def test_what_can_never_be_read_fails_at_once(
    home: Home, site: Site, page: Page, error: str
) -> None:
    site.pages["/bad"] = page
    document = read(home, document_id := a_page(home, site.url("/bad")), "failed")
    assert error in str(document["error"])
    assert home.job(document_id, "document_ingest")["attempts"] == 1


def test_a_server_in_trouble_is_asked_again(home: Home, site: Site) -> None:
    site.pages["/busy"] = Page(status=503)
    document_id = a_page(home, site.url("/busy"))
    waiting = "SELECT status = 'queued' AND error LIKE '%answered 503%' FROM documents WHERE id = ?"
    eventually(lambda: bool(home.value(waiting, document_id)))
    site.pages["/busy"] = html("<p>back again")
    home.hurry()
    assert read(home, document_id)["error"] is None


@pytest.mark.own_files
def test_files_of_the_workspace_are_read_by_what_they_are(home: Home) -> None:
    notes = home.workspace.root / "notes"
    notes.mkdir()
    files = {
        "a.md": b"# Ports\n\nThe east port silts up.",
        "b.html": ARTICLE.encode(),
        "c.json": b'{"berth": 7}',
        "d.pdf": a_pdf("The pilot book is on board."),
        "e.txt": "Größe des Hafens".encode("utf-16"),
    }
    texts = {}
    for name, data in files.items():
        (notes / name).write_bytes(data)
        document = read(home, a_file(home, notes / name))
        texts[name] = document["raw_content"]
        assert document["title"] == ("Tides" if name == "b.html" else name)
    assert texts == {
        "a.md": "# Ports\n\nThe east port silts up.",
        "b.html": "# Why\n\nThe moon pulls.",
        "c.json": '{"berth": 7}',
        "d.pdf": "The pilot book is on board.",
        "e.txt": "Größe des Hafens",
    }


@pytest.mark.own_files
def test_only_files_of_allowed_folders_are_read(home: Home, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("a secret")
    root = home.workspace.root
    (root / "leads-out.md").symlink_to(outside)
    (root / ".hidden.md").write_text("a secret")
    refused: list[tuple[Path | str, str]] = [
        (outside, "path not allowed"),
        (root / "leads-out.md", "path not allowed"),
        (root / ".hidden.md", "path not allowed"),
        (root / "agent.yaml", "path not allowed"),
        (f"{root}/../outside.md", "path not allowed"),
        (root.parent, "path not allowed"),
        (root / "nothing.md", "file not found"),
        (root / "memory", "cannot be read: Is a directory"),
        (home.workspace.database, "it is the Signet database"),
    ]
    for path, error in refused:
        document = read(home, a_file(home, path), "failed")
        assert error in str(document["error"]), path
    assert not home.value("SELECT count(*) FROM memories WHERE content = 'a secret'")


@pytest.mark.own_files
def test_a_file_that_is_too_large_or_never_ends_is_refused(home: Home) -> None:
    home.configure_live(settings(maxContentBytes=2_000))
    large, endless = home.workspace.root / "large.txt", home.workspace.root / "pipe.txt"
    large.write_text("x" * 2_001)
    os.mkfifo(endless)
    for path, error in ((large, "larger than 2000 bytes"), (endless, "not a file")):
        assert error in str(read(home, a_file(home, path), "failed")["error"])
    home.configure_live(settings())


def test_a_text_is_read_as_the_form_that_was_named(home: Home) -> None:
    page = handed_over(home, source_type="text", content=ARTICLE, content_type="text/html")
    plain = handed_over(home, source_type="text", content=f"{ARTICLE} as text")
    assert read(home, page)["raw_content"] == ARTICLE
    assert chunks(home, page) == ["# Why\n\nThe moon pulls."]
    read(home, plain)
    assert chunks(home, plain) == [f"{ARTICLE} as text"]


def test_chunks_belong_to_the_agent_whose_document_it_is(home: Home) -> None:
    ids = [
        handed_over(home, source_type="text", content="Both have read this.", agent_id=agent)
        for agent in ("nora", "otto")
    ]
    for document_id, agent in zip(ids, ("nora", "otto"), strict=True):
        read(home, document_id)
        owners = home.rows("SELECT agent_id FROM memories WHERE source_id = ?", document_id)
        assert [row[0] for row in owners] == [agent]


def test_extraction_does_not_wait_behind_many_documents(home: Home) -> None:
    home.configure_live(
        {**settings(), "memory": {"pipelineV2": {"extraction": {"provider": "rules"}}}}
    )
    home.run("INSERT INTO queue_control VALUES ('all', 1, '', '')")
    for number in range(150):
        text = "".join(f"Line {line} of report {number}.\n" for line in range(300))
        handed_over(home, source_type="text", content=text)
    source = home.remember("We decided to moor at the north quay.")
    home.run("DELETE FROM queue_control")
    home.ended(source)
    earlier = (
        "SELECT count(*) FROM memory_jobs WHERE job_type = 'document_ingest' AND completed_at <"
        " (SELECT completed_at FROM memory_jobs WHERE memory_id = ? AND job_type = 'extract')"
        " AND document_id IN (SELECT id FROM documents WHERE raw_content LIKE '% of report %')"
    )
    assert int(str(home.value(earlier, source))) < 50
    home.configure_live(settings())
    home.run("DELETE FROM memory_jobs WHERE job_type = 'document_ingest' AND status = 'pending'")


def test_a_worker_killed_in_the_middle_leaves_the_same_as_one_that_was_not(
    tmp_path: Path, site: Site
) -> None:
    text = "".join(f"<p>Line no {number} of the long page.</p>" for number in range(3_000))
    page = Page(body=text.encode(), headers={"Content-Type": "text/html"})
    with a_home(tmp_path / "w") as home:
        home.configure(settings(chunkSize=200, chunkOverlap=0))
        ends = []
        for where in ("nowhere", "fetching", "indexing"):
            emptied(home)
            site.pages["/long"] = replace(page, release=Event()) if where == "fetching" else page
            document_id = a_page(home, site.url("/long"))
            if where != "nowhere":
                _kill(home, site, document_id, where)
            site.pages["/long"] = page
            with home.worker():
                home.hurry()
                read(home, document_id)
                drained(home)
            ends.append(state(home))
        assert ends[0] == ends[1] == ends[2]
        assert len(ends[0]["chunks"]) > 400
        assert home.value("PRAGMA integrity_check") == "ok"


def _kill(home: Home, site: Site, document_id: str, where: str) -> None:
    asked = len(site.asked)
    reaper = Rescuer(home.db, home.workspace.runtime_dir, own="test")
    linked = "SELECT count(*) FROM document_memories WHERE document_id = ?"
    half = "(SELECT count(*) FROM document_memories) >= 200"
    with endless(home, "INSERT ON document_memories", half), home.worker() as victim:
        reaper.poll()
        if where == "fetching":
            eventually(lambda: len(site.asked) > asked)
        else:
            eventually(lambda: bool(home.value(linked, document_id)))
        victim.kill()
        victim.wait()
        eventually(lambda: home.job(document_id, "document_ingest")["status"] == "pending")
    found = int(str(home.value(linked, document_id)))
    assert found == 0 if where == "fetching" else 0 < found < 400
