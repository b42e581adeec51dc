"""Connecting harnesses: nothing of the user's is lost, twice is once, and taking out leaves no trace."""

import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harnesses.home import (
    CLAUDE_SETTINGS,
    CLAUDE_STATE,
    CODEX_CONFIG,
    CODEX_HOOKS,
    Home,
    a_home,
)
from signet.domain.harnesses import entries, files, jsonedit, openclaw, records, registry
from signet.domain.harnesses.jsonedit import parse
from signet.domain.harnesses.models import ConnectOptions

ALL = tuple(registry.HARNESSES)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return a_home(tmp_path)


def connected(home: Home, harness: str, wishes: ConnectOptions | None = None) -> None:
    done = registry.connect(home.site, harness, wishes)
    assert done.success, done.message


#: Said of the settings of Claude Code in a home, which have comments.
IGNORED = "Claude Code ignores a file with comments or trailing commas; remove them"


def problems(home: Home, harness: str) -> list[str]:
    """Return what is wrong with a connection, without that."""
    found = [one.text for one in registry.find(harness).problems(home.site)]
    return [one for one in found if one != IGNORED]


def test_settings_that_claude_code_ignores_are_told(home: Home) -> None:
    done = registry.connect(home.site, "claude-code")
    path = home.path / ".claude/settings.json"
    assert f"{path}: {IGNORED}" in done.warnings
    claude = registry.find("claude-code")
    assert IGNORED in [one.text for one in claude.problems(home.site)]
    home.write(".claude/settings.json", json.dumps(parse(path.read_text()).value))
    assert claude.problems(home.site) == [] and claude.warnings(home.site, ConnectOptions()) == []


@pytest.mark.parametrize("harness", ALL)
def test_what_is_taken_out_leaves_the_home_as_it_was_to_the_byte(home: Home, harness: str) -> None:
    before = home.seen()
    assert not registry.find(harness).is_installed(home.site)
    connected(home, harness)
    assert home.seen() != before
    assert registry.find(harness).is_installed(home.site)
    assert problems(home, harness) == []
    registry.disconnect(home.site, harness)
    assert home.seen() == before
    assert not registry.find(harness).is_installed(home.site)


@pytest.mark.parametrize("harness", ALL)
def test_connecting_twice_leaves_the_same_bytes(home: Home, harness: str) -> None:
    connected(home, harness)
    once = home.seen()
    again = registry.connect(home.site, harness)
    assert (again.has_changed, again.diff, home.seen()) == (False, "", once)


@pytest.mark.parametrize("harness", ALL)
def test_a_dry_run_shows_the_diff_and_changes_nothing(home: Home, harness: str) -> None:
    before = home.seen()
    shown = registry.connect(home.site, harness, dry_run=True)
    assert shown.success and "\n+" in shown.diff and home.seen() == before
    connected(home, harness)
    after = home.seen()
    assert "\n-" in registry.disconnect(home.site, harness, dry_run=True).diff
    assert home.seen() == after


@pytest.mark.parametrize(
    ("harness", "name", "broken"),
    [
        ("claude-code", ".claude/settings.json", '{\n  "model": "opus",\n  "hooks": {\n'),
        ("claude-code", ".claude.json", '{"mcpServers": [}'),
        ("opencode", ".config/opencode/opencode.jsonc", "{ plugin: [ }"),
        ("openclaw", ".openclaw/openclaw.json", "{ gateway: { port: 1 "),
        ("codex", ".codex/config.toml", "model = \n"),
        ("codex", ".codex/hooks.json", '{"hooks": {"Stop": 5}}'),
        ("claude-code", ".claude/settings.json", b'{"a": "\xff"}'),
        ("gemini-cli", ".gemini/settings.json", '{"mcpServers": []}'),
        ("cursor", ".cursor/hooks.json", '{"version": 1, "hooks": {"stop": {}}}'),
        ("cursor", ".cursor/mcp.json", "{"),
        ("copilot", ".config/Code/User/mcp.json", "// mine\n"),
        ("zed", ".config/zed/settings.json", '{"context_servers": '),
        ("claude-desktop", ".config/Claude/claude_desktop_config.json", "[]"),
    ],
)
def test_a_file_that_does_not_parse_stays_and_nothing_else_is_written(
    home: Home, harness: str, name: str, broken: str | bytes
) -> None:
    home.write(name, broken)
    before = home.seen()
    refused = registry.connect(home.site, harness)
    assert not refused.success and str(home.path / name) in refused.message
    assert home.seen() == before
    assert not list(home.path.rglob("*.bak"))
    assert registry.disconnect(home.site, harness) is not None
    assert home.seen() == before


def test_harnesses_with_forms_of_their_own_get_them_beside_the_users_entries(home: Home) -> None:
    for harness in ALL:
        connected(home, harness)
    mcp = {"command": home.site.signet_mcp, "args": []}
    start, prompt, end = (
        f"{home.site.signet} hook {one} -H {{}}"
        for one in ("session-start", "user-prompt-submit", "session-end")
    )

    def found(name: str) -> Any:
        return parse(home.read(name)).value

    gemini = found(".gemini/settings.json")
    assert gemini["hooks"]["SessionStart"][0]["hooks"][0]["command"] == "fortune -s"
    assert gemini["hooks"]["BeforeAgent"] == [
        {"hooks": [{"type": "command", "command": prompt.format("gemini-cli"), "timeout": 5_000}]}
    ]
    ours = {**mcp, "env": {"SIGNET_HARNESS": "gemini-cli"}}
    assert gemini["mcpServers"] == {"github": {"command": "gh-mcp"}, "signet": ours}
    assert "// every morning" in home.read(".gemini/settings.json")
    cursor = found(".cursor/hooks.json")
    assert cursor["version"] == 1
    assert cursor["hooks"]["sessionStart"] == [{"command": start.format("cursor"), "timeout": 15}]
    assert cursor["hooks"]["stop"] == [
        {"command": "say done"},
        {"command": end.format("cursor"), "timeout": 10},
    ]
    command = end.format("windsurf") + ' --project "$(pwd)"'
    assert found(".codeium/windsurf/hooks.json") == {
        "hooks": {
            "post_cascade_response_with_transcript": [{"command": command, "show_output": False}]
        }
    }
    copilot = found(".copilot/hooks/signet.json")["hooks"]
    assert sorted(copilot) == ["PreCompact", "SessionStart", "Stop", "UserPromptSubmit"]
    assert copilot["Stop"][0]["timeout"] == 60, "the turn is lost if the program kills its hook"
    ours = {"type": "stdio", **mcp, "env": {"SIGNET_HARNESS": "copilot"}}
    assert found(".copilot/mcp-config.json") == {"mcpServers": {"signet": ours}}
    assert found(".config/Code/User/mcp.json")["servers"]["signet"] == ours
    assert "} // mine" not in home.read(".config/Code/User/mcp.json")
    zed = found(".config/zed/settings.json")["context_servers"]
    assert zed["signet"] == {"source": "custom", **mcp, "env": {"SIGNET_HARNESS": "zed"}}
    assert sorted(found(".config/Claude/claude_desktop_config.json")["mcpServers"]) == [
        "gh",
        "signet",
    ]


@pytest.mark.parametrize(
    ("platform", "claude", "zed"),
    [
        ("linux", ".config/Claude", ".config/zed"),
        ("darwin", "Library/Application Support/Claude", ".config/zed"),
        ("win32", "AppData/Roaming/Claude", "AppData/Roaming/Zed"),
    ],
)
def test_settings_are_where_each_system_has_them(
    home: Home, monkeypatch: pytest.MonkeyPatch, platform: str, claude: str, zed: str
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    paths = {one: registry.find(one).config_path(home.site) for one in ("claude-desktop", "zed")}
    assert paths["claude-desktop"] == home.path / claude / "claude_desktop_config.json"
    assert paths["zed"] == home.path / zed / "settings.json"


@pytest.mark.parametrize("harness", ALL)
def test_files_that_are_not_there_are_made_and_go_again(tmp_path: Path, harness: str) -> None:
    home = a_home(tmp_path)
    for name in (
        ".claude/settings.json",
        ".claude.json",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".cursor/hooks.json",
        ".cursor/mcp.json",
        ".codeium/windsurf/mcp_config.json",
        ".config/zed/settings.json",
        ".config/Code/User/mcp.json",
        ".config/Claude/claude_desktop_config.json",
    ):
        (home.path / name).unlink()
    (home.path / ".config/opencode/opencode.jsonc").unlink()
    home.write(".openclaw/openclaw.json", "")
    before = home.seen()
    connected(home, harness)
    registry.disconnect(home.site, harness)
    assert home.seen() == before


def test_claude_code_gets_hooks_in_seconds_beside_the_users_own(home: Home) -> None:
    home.write(
        ".claude/settings.json",
        CLAUDE_SETTINGS.replace(
            '"PostToolUse"',
            '"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "/old/signet hook '
            'user-prompt-submit -H claude-code", "timeout": 2000}, {"type": "command", "command": '
            '"notify"}]}], "PreCompaction": [{"hooks": [{"type": "command", "command": "signet hook '
            'pre-compaction"}]}], "PostToolUse"',
        ),
    )
    connected(home, "claude-code")
    found: Any = parse(home.read(".claude/settings.json")).value
    hooks = found["hooks"]
    command = f'{home.site.signet} hook {{}} -H claude-code --project "$(pwd)"'
    assert hooks["SessionStart"] == [
        {"matcher": "startup", "hooks": [{"type": "command", "command": "fortune -s"}]},
        {"hooks": [{"type": "command", "command": command.format("session-start"), "timeout": 15}]},
    ]
    assert hooks["UserPromptSubmit"] == [
        {"hooks": [{"type": "command", "command": "notify"}]},
        {
            "hooks": [
                {"type": "command", "command": command.format("user-prompt-submit"), "timeout": 5}
            ]
        },
    ]
    assert [hooks[name][-1]["hooks"][0]["timeout"] for name in ("PreCompact", "SessionEnd")] == [
        10,
        60,
    ]
    assert "PreCompaction" not in hooks
    state = json.loads(home.read(".claude.json"))
    ours = {
        "type": "stdio",
        "command": home.site.signet_mcp,
        "args": [],
        "env": {"SIGNET_HARNESS": "claude-code"},
    }
    assert state["mcpServers"] == {"github": {"command": "gh-mcp", "args": []}, "signet": ours}
    for comment in ("// Tabs cost", "// every morning", "/* The rest is\n       as it came. */"):
        assert comment in home.read(".claude/settings.json")


def test_what_the_user_changes_meanwhile_stays_when_we_go(home: Home) -> None:
    connected(home, "claude-code")
    state = json.loads(home.read(".claude.json"))
    state["numStartups"] = 42
    home.write(".claude.json", json.dumps(state, indent=2))
    text = home.read(".claude/settings.json")
    home.write(".claude/settings.json", text.replace('"opus"', '"haiku"'))
    registry.disconnect(home.site, "claude-code")
    del state["mcpServers"]["signet"]
    assert json.loads(home.read(".claude.json")) == state
    assert home.read(".claude/settings.json") == CLAUDE_SETTINGS.replace('"opus"', '"haiku"')


def test_a_copy_is_made_before_the_first_change_and_never_in_place_of_another(home: Home) -> None:
    home.write(".claude/settings.json.bak", "precious")
    connected(home, "claude-code")
    assert home.read(".claude/settings.json.bak") == "precious"
    assert home.read(".claude/settings.json.bak1") == CLAUDE_SETTINGS
    home.write(".claude/settings.json", CLAUDE_SETTINGS)
    connected(home, "claude-code")
    assert not (home.path / ".claude/settings.json.bak2").exists()


@pytest.mark.parametrize("harness", ALL)
@pytest.mark.parametrize("writes", [0, 1, 2, 3])
def test_a_death_between_two_files_leaves_whole_files_and_can_be_undone(
    home: Home, harness: str, writes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = home.seen()
    made: list[Path] = []

    class Died(BaseException):
        pass

    def replace_file(path: Path, content: bytes, **said: object) -> None:
        if len(made) == writes:
            raise Died
        made.append(path)
        path.write_bytes(content)

    with monkeypatch.context() as patched, pytest.raises(Died):
        patched.setattr(files, "replace_file", replace_file)
        registry.connect(home.site, harness)
        raise Died
    connected(home, harness)
    whole = home.seen()
    registry.connect(home.site, harness)
    assert home.seen() == whole
    registry.disconnect(home.site, harness)
    assert home.seen() == before


def test_a_file_that_somebody_writes_meanwhile_is_not_overwritten(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = files.planned

    def planned(*given: object, **more: object) -> list[files.FileChange]:
        found = plan(*given, **more)  # type: ignore[arg-type]
        home.write(".claude/settings.json", "{}")
        return found

    monkeypatch.setattr(files, "planned", planned)
    refused = registry.connect(home.site, "claude-code")
    assert not refused.success and "changed meanwhile" in refused.message
    assert home.read(".claude/settings.json") == "{}"


def test_skills_are_linked_and_a_folder_of_the_user_stays(home: Home) -> None:
    elsewhere = home.write("other/sail/SKILL.md", "x").parent
    (home.path / ".claude/skills/sail").symlink_to(elsewhere)
    (home.path / ".claude/skills/gone").symlink_to(home.site.workspace.skills_dir / "gone")
    before = home.seen()
    connected(home, "claude-code")
    sail = home.path / ".claude/skills/sail"
    assert sail.readlink() == home.site.workspace.skills_dir / "sail"
    assert home.read(".claude/skills/tie/SKILL.md") == "My own knots.\n"
    assert not (home.path / ".claude/skills/gone").is_symlink()
    registry.disconnect(home.site, "claude-code")
    # A link to a skill that is gone does not come back.
    del before[".claude/skills/gone"]
    assert home.seen() == before


def test_opencode_names_itself_to_the_server(home: Home) -> None:
    connected(home, "opencode")
    server = jsonedit.get(home.read(".config/opencode/opencode.jsonc"), ("mcp", "signet"))
    assert server == {
        "type": "local",
        "command": [home.site.signet_mcp],
        "environment": {"SIGNET_HARNESS": "opencode"},
        "enabled": True,
    }


def test_codex_keeps_its_file_and_the_old_wrapper_goes(home: Home) -> None:
    block = (
        "# >>> signet codex >>>\nexport PATH=~/.config/signet/bin:$PATH\n# <<< signet codex <<<\n"
    )
    home.write(".bashrc", f"alias l=ls\n{block}alias k=ls\n")
    wrapper = home.write(".config/signet/bin/codex", "#!/bin/sh\nexec signet codex\n")
    done = registry.connect(home.site, "codex")
    assert any("not found on PATH" in one for one in done.warnings)
    assert home.read(".bashrc") == "alias l=ls\nalias k=ls\n" and not wrapper.exists()
    config = home.read(".codex/config.toml")
    assert "# never write" in config and config.index("[mcp_servers.signet]")
    assert tomllib.loads(config)["mcp_servers"]["signet"] == {
        "command": home.site.signet_mcp,
        "env": {"SIGNET_HARNESS": "codex"},
    }
    hooks = json.loads(home.read(".codex/hooks.json"))["hooks"]
    assert [
        (event, [one for group in hooks[event] for one in group["hooks"]][-1]["timeout"])
        for event in ("SessionStart", "UserPromptSubmit", "Stop")
    ] == [("SessionStart", 20), ("UserPromptSubmit", 10), ("Stop", 65)]
    assert hooks["Stop"][0]["hooks"][0]["command"] == "say done"
    allowed = {"type", "command", "timeout"}
    assert all(set(one) <= allowed for e in hooks.values() for g in e for one in g["hooks"])


def test_opencode_needs_an_identity(home: Home) -> None:
    (home.site.workspace.root / "SOUL.md").unlink()
    refused = registry.connect(home.site, "opencode")
    assert not refused.success and "SOUL.md" in refused.message


def test_opencode_loads_our_plugin_with_the_place_of_this_daemon(tmp_path: Path) -> None:
    home = a_home(tmp_path)
    home.write(".config/opencode/memory.mjs", "// signet\n")
    assert registry.connect(home.site, "opencode").success
    plugin = home.read(".config/opencode/plugins/signet.mjs")
    assert f'workspace: "{home.site.workspace.root}"' in plugin
    assert not (home.path / ".config/opencode/memory.mjs").exists()
    config: Any = parse(home.read(".config/opencode/opencode.jsonc")).value
    assert config["plugin"] == ["opencode-wakatime", "./plugins/signet.mjs"]
    assert "// read only" in home.read(".config/opencode/opencode.jsonc")


def test_a_program_that_is_gone_is_told_and_mended(home: Home, tmp_path: Path) -> None:
    home.write(".claude/settings.json", "{}")
    program = tmp_path / "signet"
    program.write_text("")
    site = replace(home.site, signet=str(program))
    assert registry.connect(site, "claude-code").success
    assert registry.find("claude-code").problems(site) == []
    program.unlink()
    assert registry.find("claude-code").problems(site) != []
    assert registry.mend(home.site)["claude-code"].has_changed
    assert registry.find("claude-code").problems(site) == []


def test_the_programs_of_the_installation_are_kept_when_the_daemon_mends(home: Home) -> None:
    connected(home, "claude-code")
    elsewhere = replace(home.site, signet="/elsewhere/signet", signet_mcp="/elsewhere/signet-mcp")
    assert not registry.mend(elsewhere)["claude-code"].has_changed
    text = home.read(".claude/settings.json")
    home.write(".claude/settings.json", text.replace('"timeout": 15', '"timeout": 1'))
    assert registry.mend(elsewhere)["claude-code"].has_changed
    assert home.read(".claude/settings.json") == text


def without_one_hook(home: Home) -> None:
    text = entries.take_hooks(home.read(".claude/settings.json"), ["UserPromptSubmit"])
    home.write(".claude/settings.json", text)


def without_hooks(home: Home) -> None:
    home.write(".claude/settings.json", CLAUDE_SETTINGS)


def without_settings(home: Home) -> None:
    (home.path / ".claude/settings.json").unlink()


def without_a_server(home: Home) -> None:
    home.write(".claude.json", CLAUDE_STATE.replace("41", "42"))


def without_a_link(home: Home) -> None:
    (home.path / ".claude/skills/sail").unlink()


def without_codex(home: Home) -> None:
    home.write(".codex/hooks.json", CODEX_HOOKS)
    home.write(".codex/config.toml", CODEX_CONFIG)


def without_a_plugin(home: Home) -> None:
    text = home.read(".config/opencode/opencode.jsonc")
    home.write(".config/opencode/opencode.jsonc", text.replace(', "./plugins/signet.mjs"', ""))
    (home.path / ".config/opencode/plugins/signet.mjs").unlink()


def with_openclaw_off(home: Home) -> None:
    text = home.read(".openclaw/openclaw.json")
    for path, value in ((openclaw.ENTRY, {"enabled": False}), (openclaw.SLOT, "memory-lancedb")):
        text = jsonedit.put(text, path, value)
    home.write(".openclaw/openclaw.json", text)


@pytest.mark.parametrize(
    ("harness", "take"),
    [
        ("claude-code", without_one_hook),
        ("claude-code", without_hooks),
        ("claude-code", without_settings),
        ("claude-code", without_a_server),
        ("claude-code", without_a_link),
        ("codex", without_codex),
        ("opencode", without_a_plugin),
        ("openclaw", with_openclaw_off),
    ],
)
def test_what_a_person_took_out_by_hand_stays_out_until_somebody_connects(
    home: Home, harness: str, take: Callable[[Home], None]
) -> None:
    connected(home, harness)
    take(home)
    chosen = home.whole()
    moved = replace(home.site, signet="/opt/signet", signet_mcp="/opt/signet-mcp", port=4001)
    for _ in range(2):
        assert registry.mend(home.site)[harness].success
        assert registry.bring_up_to_date(home.site, harness).success
        assert home.whole() == chosen
    # What is left of ours is still brought up to date, and only that.
    removed = {name for name in chosen if "signet" not in str(chosen[name])}
    assert registry.bring_up_to_date(moved, harness).success
    after = home.whole()
    assert after.keys() == chosen.keys()
    assert {name for name in after if "signet" not in str(after[name])} == removed
    connected(home, harness)
    assert problems(home, harness) == []
    assert registry.find(harness).is_installed(home.site)


def test_a_hook_that_is_left_is_mended_and_the_one_that_was_taken_out_is_not(home: Home) -> None:
    connected(home, "claude-code")
    without_one_hook(home)
    moved = replace(home.site, signet="/opt/signet")
    assert registry.bring_up_to_date(moved, "claude-code").has_changed
    text = home.read(".claude/settings.json")
    assert entries.our_commands(text, "UserPromptSubmit") == []
    assert all("/opt/signet " in one for one in entries.our_commands(text, "SessionStart"))
    registry.disconnect(home.site, "claude-code")
    assert home.read(".claude/settings.json") == CLAUDE_SETTINGS


def test_a_skill_that_is_new_is_linked_when_the_daemon_mends(home: Home) -> None:
    connected(home, "claude-code")
    home.write(".agents/skills/reef/SKILL.md", "---\nname: reef\n---\n")
    assert registry.mend(home.site)["claude-code"].has_changed
    assert (home.path / ".claude/skills/reef").is_symlink()


@pytest.mark.parametrize("harness", ALL)
def test_one_copy_is_made_of_a_file_and_none_is_left(home: Home, harness: str) -> None:
    home.write(".claude/settings.json.bak", "precious")
    before = home.whole()
    connected(home, harness)
    copies = home.whole().keys() - home.seen().keys() - before.keys()
    assert copies and all(name.endswith((".bak", ".json.bak1")) for name in copies)
    home.write(".claude/settings.json", home.read(".claude/settings.json") + "\n")
    connected(home, harness)
    registry.mend(replace(home.site, port=4001))
    assert home.whole().keys() - home.seen().keys() - before.keys() == copies
    registry.disconnect(home.site, harness)
    assert home.whole().keys() == before.keys()
    assert home.read(".claude/settings.json.bak") == "precious"


def test_what_was_taken_out_is_not_mended_until_somebody_asks(home: Home) -> None:
    assert registry.wanted(home.site, ["codex"]) == ["codex"]
    connected(home, "claude-code")
    assert registry.wanted(home.site, ()) == ["claude-code"]
    registry.disconnect(home.site, "claude-code")
    assert registry.mend(home.site) == {}
    assert registry.wanted(home.site, ["claude-code"]) == []
    connected(home, "claude-code")
    assert registry.wanted(home.site, ()) == ["claude-code"]


def test_without_its_record_our_entries_still_go(home: Home) -> None:
    connected(home, "claude-code")
    (home.site.workspace.daemon_dir / "harnesses.json").write_text("no json")
    registry.disconnect(home.site, "claude-code")
    assert home.read(".claude/settings.json") == CLAUDE_SETTINGS
    assert "signet" not in home.read(".claude.json")
    assert not (home.path / ".claude/skills/sail").is_symlink()


def test_a_link_to_settings_stays_a_link(home: Home) -> None:
    path = home.path / ".claude/settings.json"
    real = home.write("dotfiles/claude.json", CLAUDE_SETTINGS)
    path.unlink()
    path.symlink_to(real)
    connected(home, "claude-code")
    assert path.is_symlink() and "session-start" in real.read_text()
    registry.disconnect(home.site, "claude-code")
    assert path.is_symlink() and real.read_text() == CLAUDE_SETTINGS


def test_records_hold_no_more_of_a_file_than_what_was_replaced(home: Home) -> None:
    connected(home, "claude-code")
    kept = (home.site.workspace.daemon_dir / "harnesses.json").read_text()
    assert "fortune" not in kept
    assert records.read(home.site.workspace, "claude-code").is_installed
    assert jsonedit.get(kept, ("claude-code", "is_installed")) is True


@pytest.mark.parametrize(
    ("harness", "name", "ours", "theirs"),
    [
        ("claude-code", ".claude.json", '"claude-code"', '"mine"'),
        ("opencode", ".config/opencode/opencode.jsonc", '"enabled": true', '"enabled": false'),
        ("codex", ".codex/config.toml", 'signet-mcp"', 'signet-mcp"\nstartup_timeout_sec = 9'),
    ],
    ids=["claude-code", "opencode", "codex"],
)
def test_what_a_person_chose_in_our_entry_is_not_mended_away(
    home: Home, harness: str, name: str, ours: str, theirs: str
) -> None:
    connected(home, harness)
    chosen = home.read(name).replace(ours, theirs)
    assert chosen != home.read(name)
    home.write(name, chosen)
    assert not registry.mend(home.site)[harness].has_changed
    assert home.read(name) == chosen
    registry.disconnect(home.site, harness)
    assert "signet" not in home.read(name)


@pytest.mark.parametrize("restored", [0, 1, 2])
def test_a_death_while_going_leaves_whole_files_and_can_be_ended(
    home: Home, restored: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.write(".config/opencode/plugins/signet.mjs", "// my own plugin of that name\n")
    before = home.seen()
    connected(home, "opencode")
    made: list[Path] = []

    class Died(BaseException):
        pass

    def replace_file(path: Path, content: bytes, **said: object) -> None:
        if len(made) == restored:
            raise Died
        made.append(path)
        path.write_bytes(content)

    with monkeypatch.context() as patched, pytest.raises(Died):
        patched.setattr(files, "replace_file", replace_file)
        registry.disconnect(home.site, "opencode")
        raise Died
    registry.disconnect(home.site, "opencode")
    assert home.seen() == before


def test_what_could_not_be_taken_out_is_taken_out_when_it_parses_again(home: Home) -> None:
    before = home.seen()
    connected(home, "openclaw")
    whole = home.read(".openclaw/openclaw.json")
    home.write(".openclaw/openclaw.json", whole + "}")
    [refused] = registry.disconnect(home.site, "openclaw").refused
    assert "openclaw.json: line" in refused and home.read(".openclaw/openclaw.json") == whole + "}"
    home.write(".openclaw/openclaw.json", whole)
    registry.disconnect(home.site, "openclaw")
    assert home.seen() == before
