"""`signet document …` through a daemon that runs."""

from pathlib import Path

from cli.program import Program


def test_a_file_from_its_reading_to_its_deletion(served: Program, tmp_path: Path) -> None:
    file = tmp_path / "ferry.md"
    file.write_text(
        "# Tides\n\nThe barge leaves when the tide turns.\n\n# Fares\n\nDogs ride free."
    )
    added = served.run("document", "add", str(file))
    assert (added.status, "ferry.md  done  1 piece " in added.out) == (0, True), added
    page = tmp_path / "page.html"
    page.write_text("<title>Locks</title><p>The upper lock is closed in May.")
    found = served.run("document", "add", str(page), "--title", "Upper lock", "--json").json()
    assert (found["title"], found["status"]) == ("Upper lock", "done")
    shown = served.run("document", "show", "Upper lock")
    assert "closed in May" in shown.out and "<p>" not in shown.out
    assert "barge" in served.run("recall", "when does the barge leave").out
    listed = served.run("document", "list", "-l", "1")
    assert "Upper lock" in listed.out and "signet document list -l 1 --offset 1" in listed.err
    refused = served.run("document", "delete", "ferry.md")
    assert refused.status == 1 and "Pass --yes" in refused.err
    deleted = served.run("document", "delete", "ferry.md", "--yes")
    assert deleted.out == "Deleted ferry.md; forgot 1 piece\n"
    assert served.run("document", "show", "ferry.md").status == 1
    assert served.run("document", "delete", found["id"], "--yes").status == 0
    # A whole id is not looked for among the newest.
    assert "Upper lock  deleted" in served.run("document", "show", found["id"]).out


def test_what_is_no_text_is_refused_and_a_text_too_long_for_a_memory_is_told_where_to(
    served: Program, tmp_path: Path
) -> None:
    binary = tmp_path / "x.bin"
    binary.write_bytes(b"\0\1")
    refused = served.run("document", "add", str(binary))
    assert (refused.status, "the content is binary" in refused.err) == (1, True)
    folder = served.run("document", "add", str(tmp_path))
    assert folder.status == 1 and f"signet connector add {tmp_path}" in folder.err
    long = served.run("remember", "-", stdin="The kiln is warm. " * 60_000)
    assert long.status == 1 and "signet document add FILE" in long.err
