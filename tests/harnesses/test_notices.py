"""What a person has yet to do for a connection, and the harness's own memories next to ours."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from harnesses.home import CODEX_CONFIG, CODEX_HOOKS, Home, a_home
from signet.domain.harnesses import codex, registry


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return a_home(tmp_path)


def notices(home: Home, harness: str) -> list[str]:
    return registry.find(harness).notices(home.site)


def trusted(home: Home, *events: str) -> str:
    """Return what Codex writes when a person approves hooks; ours come after those of the person at `Stop`."""
    path = home.path / ".codex/hooks.json"
    keys = [f"{path}:{event}:{1 if event == 'stop' else 0}:0" for event in events]
    return "".join(
        f'\n[hooks.state.{json.dumps(key)}]\ntrusted_hash = "sha256:{n:064x}"\n'
        for n, key in enumerate(keys)
    )


def test_codex_hooks_wait_for_an_approval_which_uninstalling_takes_back(home: Home) -> None:
    config = home.path / ".codex/config.toml"
    home.write(".codex/config.toml", CODEX_CONFIG)
    home.write(".codex/hooks.json", CODEX_HOOKS)
    done = registry.connect(home.site, "codex")
    assert codex.APPROVAL in done.warnings
    assert notices(home, "codex") == [codex.APPROVAL]
    others = (
        f'\n[hooks.state."{home.path}/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:aa"\n'
    )
    installed = config.read_text()
    config.write_text(
        installed + others + trusted(home, "session_start", "user_prompt_submit", "stop")
    )
    assert notices(home, "codex") == [codex.APPROVAL], "SessionEnd is not approved yet"
    with config.open("a") as file:
        file.write(trusted(home, "session_end"))
    assert notices(home, "codex") == []
    assert registry.find("codex").problems(home.site) == []
    registry.disconnect(home.site, "codex")
    assert config.read_text() == CODEX_CONFIG + others
    assert home.read(".codex/hooks.json") == CODEX_HOOKS


def test_what_codex_trusted_goes_with_its_table_when_nothing_else_is_in_it(home: Home) -> None:
    config = home.path / ".codex/config.toml"
    home.write(".codex/config.toml", CODEX_CONFIG)
    home.write(".codex/hooks.json", '{"hooks": {}}')
    registry.connect(home.site, "codex")
    events = ("session_start", "user_prompt_submit", "session_end")
    with config.open("a") as file:
        file.write("\n[hooks.state]\n" + trusted(home, *events))
    registry.disconnect(home.site, "codex")
    assert config.read_text().strip() == CODEX_CONFIG.strip()


@pytest.mark.parametrize(
    ("harness", "notes", "settings", "off"),
    [
        (
            "claude-code",
            ".claude/projects/-p/memory/MEMORY.md",
            ".claude/settings.json",
            '{"autoMemoryEnabled": false}',
        ),
        (
            "codex",
            ".codex/memories/MEMORY.md",
            ".codex/config.toml",
            "[features]\nmemories = false\n",
        ),
    ],
)
def test_the_own_memory_of_a_harness_is_named_while_it_is_on(
    home: Home, harness: str, notes: str, settings: str, off: str
) -> None:
    home.write(settings, "{}" if off.startswith("{") else "")
    assert not any("own" in one for one in notices(home, harness))
    home.write(notes, "Tabs.")
    assert any("own" in one and "memor" in one for one in notices(home, harness))
    home.write(settings, off)
    assert not any("own" in one for one in notices(home, harness))


def test_dreaming_of_openclaw_is_named(home: Home) -> None:
    entry = {"memory-core": {"config": {"dreaming": {"enabled": True}}}}
    home.write(".openclaw/openclaw.json", json.dumps({"plugins": {"entries": entry}}))
    [found] = notices(replace(home), "openclaw")
    assert "plugins.entries.memory-core.config.dreaming.enabled" in found
