"""Where `signet status` says that texts go."""

import json

import pytest

from cli.program import Program
from signet.cli import status
from signet.cli.output import Ink
from signet.domain.harnesses.models import PLUGIN

LEAVES = " · texts leave this machine"


@pytest.mark.parametrize(
    ("extraction", "line"),
    [
        ({"provider": "rules"}, "built-in rules"),
        ({"provider": "none"}, "none"),
        ({"model": "qwen3:4b"}, "qwen3:4b in Ollama while it runs, else built-in rules"),
        (
            {"model": "m", "endpoint": "http://127.0.0.1:1234/v1"},
            "m at 127.0.0.1 if it answers, else built-in rules",
        ),
        (
            {"model": "m", "endpoint": "https://llm.example/v1"},
            f"m at llm.example if it answers, else built-in rules{LEAVES} for llm.example",
        ),
        ({"provider": "openai", "model": "m", "endpoint": "http://localhost:1234/v1"}, "openai m"),
        ({"provider": "openai", "model": "m"}, f"openai m{LEAVES}"),
        ({"provider": "ollama", "model": "m", "endpoint": None}, "ollama m"),
        (
            {"provider": "ollama", "model": "m", "endpoint": "http://10.1.2.3:11434"},
            f"ollama m{LEAVES} for 10.1.2.3",
        ),
        ({"provider": "anthropic", "model": "m"}, f"anthropic m{LEAVES}"),
        ({"provider": "codex", "model": "m"}, f"codex m{LEAVES}"),
    ],
)
def test_the_line_about_facts_names_where_texts_go(
    extraction: dict[str, object], line: str
) -> None:
    assert status.texts(extraction, Ink(on=False)) == line


def test_a_running_daemon_names_the_connected_programs(
    served: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(served.home))  # where the daemon looks, too
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert served.run("harness", "install", "claude-code").status == 0
    told = served.run("status")
    assert told.status == 0 and "✓ claude-code" in told.out and "backup" in told.out
    assert served.run("harness", "uninstall", "claude-code").status == 0
    enabled = {"enabledPlugins": {PLUGIN: True}}
    settings = served.home / ".claude" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(json.dumps(enabled))
    try:
        assert "claude-code by its plugin" in served.run("status").out
    finally:
        settings.unlink()
