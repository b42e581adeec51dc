"""Logs with lines of any length: messages are kept, images and the output of tools are dropped."""

import io
import json
from pathlib import Path

import pytest

from signet.domain.transcripts import log_files, log_lines, transcript
from signet.domain.transcripts.log_files import LogFile

LINE, STRING, KEPT = 4_096, 1_024, 8_192


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_lines, "LINE_BYTES", LINE)
    monkeypatch.setattr(log_lines, "STRING_BYTES", STRING)
    monkeypatch.setattr(log_lines, "KEPT_BYTES", KEPT)
    monkeypatch.setattr(transcript, "HEAD_CHARS", 2 * LINE)


def record(*parts: object, role: str = "user") -> bytes:
    said = {"type": role, "message": {"role": role, "content": list(parts)}}
    return json.dumps(said, ensure_ascii=False).encode() + b"\n"


def spoken(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def result(content: object) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": "t", "content": content}


@pytest.mark.parametrize(
    "filling",
    [
        "iVBORw0KGgo" * 40_000,
        'said "yes" \\ and \n' * 9_000,
        "\\" * 50_001,
        "日本語のログ🚀" * 9_000,
        "\x00\x01\x1f" * 9_000,
        "x" * (LINE - 90) + '"' * 3,
        [f"piece {number} of a long result" * 9 for number in range(2_000)],
    ],
    ids=["image", "escapes", "backslashes", "wide", "control", "edge", "many"],
)
def test_messages_beside_long_output_are_kept(tmp_path: Path, filling: object) -> None:
    log = record(spoken("Which port?")) + record(spoken("Before."), result(filling))
    log += record(result(filling), spoken("Port 8080."), role="assistant")
    path = tmp_path / "s.jsonl"
    path.write_bytes(log + record(spoken("Last.")))
    found = log_files.read(LogFile(str(path)), None, masks=True)
    said = [turn.text for turn in transcript.parse(found.text)]
    assert [said[0], said[-1]] == ["Which port?", "Last."]
    # A message in front of the output is never lost; one behind it only with the whole line, which is reported.
    assert "Before." in said or found.left_out
    assert (len(said) == 4) != bool(found.left_out)
    assert not found.shortened


def test_a_message_that_is_too_long_is_cut_between_characters_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(record(spoken("日本語🚀\n" * 2_000)) + record(spoken("And now?")))
    found = log_files.read(LogFile(str(path)), None, masks=True)
    assert (found.messages, found.shortened, found.left_out) == (2, 1, 0)
    first, second = transcript.parse(found.text)
    assert first.text.startswith("日本語🚀") and first.text.endswith("[… left out]")
    assert "�" not in first.text and second.text == "And now?"


def test_a_long_line_that_is_no_record_ends_nothing(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"a" * 50_000 + b"\nUser: Which port?\nAssistant: 8080.\n")
    found = log_files.read(LogFile(str(path)), None, masks=True)
    assert "User: Which port?\nAssistant: 8080." in found.text and len(found.text) < 2 * STRING


def test_the_newest_messages_are_read_and_the_older_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_files, "MOST_CHARS", 1_000)
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(record(spoken(f"Message {number:04}.")) for number in range(500)))
    found = log_files.read(LogFile(str(path)), None, masks=True)
    assert (found.messages, found.left_out) == (500, 500 - len(transcript.parse(found.text)))
    assert found.text.endswith("Message 0499.") and len(found.text) < 2_000


def test_what_is_sent_elsewhere_keeps_every_message(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "iVBO" * 90_000}}
    lines = [record(spoken("Which port?"), image), record(result("line\n" * 90_000))]
    lines.append(record(spoken("é" * 30_000), role="assistant"))
    sent = log_lines.newest(lines, 100_000)
    assert len(sent) < 100_000
    found = log_files.read(None, sent.decode(), masks=True)
    assert [turn.text for turn in transcript.parse(found.text)] == ["Which port?", "é" * 30_000]
    many = [record(spoken(f"Message {number}.")) for number in range(400)]
    part = log_files.read(None, log_lines.newest(many, 10_000).decode(), masks=True)
    turns = transcript.parse(part.text)
    assert turns[0].text == "Message 0." and turns[-1].text == "Message 399."
    assert len(turns) + part.left_out == 400


def test_lines_are_whole_up_to_the_limit() -> None:
    short, long = b"x" * (LINE - 1) + b"\n", b'{"a":"' + b"x" * LINE + b'"}\n'
    first, second = log_lines.lines(io.BytesIO(short + long))
    assert first == short and len(second) < STRING + 100
