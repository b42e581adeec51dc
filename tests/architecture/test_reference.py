"""The reference covers every setting, route, command, tool, table and variable, and nothing that is gone."""

import re
import tomllib

import pytest

from architecture.sources import ROOT, reference
from signet.cli import rows
from signet.mcp.tools import TOOLS
from signet.wire import operations

#: Variables of the product's processes among themselves, and of other programs that it only passes on.
INTERNAL = {
    "SIGNET_CONTROL_SOCKET", "SIGNET_LISTEN", "SIGNET_LOG_STDOUT", "SIGNET_PORT_FD", "SIGNET_PULSE_FD",
    "SIGNET_PYTHON", "SIGNET_QUIET", "SIGNET_SOCKET_FD", "SIGNET_STARTUP_LOG", "SIGNET_SUPERVISOR_PID",
    "SIGNET_CODEX_BYPASS_WRAPPER",
}  # fmt: skip


def page(name: str) -> str:
    return str(reference().generated()[f"reference/{name}.md"])


def test_generated_pages_are_current() -> None:
    generated = reference().generated()
    assert len(generated) > 10
    stale = [
        place
        for place, text in generated.items()
        if (ROOT / "docs" / place).read_text("utf-8") != text
    ]
    assert stale == [], "run: python docs/reference.py"


def test_every_setting_is_explained_and_every_explanation_is_of_a_setting() -> None:
    known = {one["key"] for one in reference().known_settings()}
    lines = reference().told("settings.toml")
    found = {
        name if name == section else f"{section}.{name}"
        for section, texts in lines.items()
        for name in texts
        if name
    }
    assert known - found == set(), "add a line to docs/reference/settings.toml"
    assert found - known == set(), "remove the line from docs/reference/settings.toml"
    assert [one for one in known if f"| `{one}` |" not in page("settings")] == []


def test_every_table_is_explained() -> None:
    known = set(reference().columns())
    found = {name for texts in reference().told("tables.toml").values() for name in texts if name}
    assert known - found == set(), "add a line to docs/reference/tables.toml"
    assert found - known == set(), "remove the line from docs/reference/tables.toml"


def test_every_environment_variable_is_explained() -> None:
    names: set[str] = set()
    for folder in ("shared", "services"):
        for path in (ROOT / folder).rglob("*.py"):
            names.update(re.findall(r"[\"'](SIGNET_[A-Z_]+)[\"']", path.read_text("utf-8")))
    lines = reference().told("environment.toml")
    found = {name for texts in lines.values() for name in texts if name}
    assert names - INTERNAL - found == set(), "add a line to docs/reference/environment.toml"
    assert {name for name in found if name.startswith("SIGNET_")} - names <= {"SIGNET_ENABLED"}


def test_every_route_is_listed() -> None:
    routes = {f"`{one.method} {one.path}`" for one in operations.BY_ID.values()}
    assert len(routes) > 200
    pages = "".join(text for place, text in reference().generated().items() if "/http" in place)
    assert [route for route in routes if route not in pages] == []


def test_every_field_of_a_request_is_explained() -> None:
    pages = "".join(text for place, text in reference().generated().items() if "/http" in place)
    rows = re.findall(r"(?m)^\| (`\S+`(?: \(path\))?) \| [^|]* \| ([^|]*) \|$", pages)
    assert len(rows) > 800
    unexplained = [
        name
        for name, text in rows
        if not re.sub(r"default `\S*`|\*\*required\*\*|;", "", text).strip()
    ]
    assert unexplained == [], "add a line to fields.toml or answers.toml"


def test_every_answer_of_an_example_is_explained() -> None:
    description = reference().openapi()
    models = description["components"]["schemas"]
    unexplained = [
        f"{model}.{name}"
        for one in reference().examples()
        for model in reference().answers_of(one["route"])
        for name, field in models[model].get("properties", {}).items()
        if "description" not in field
    ]
    assert unexplained == [], "add a section to services/api/signet_api/answers.toml"


@pytest.mark.parametrize("name", ["fields", "answers"])
def test_every_explained_field_exists(name: str) -> None:
    lines = tomllib.loads((ROOT / f"services/api/signet_api/{name}.toml").read_text("utf-8"))
    description = reference().openapi()
    known = {
        f"{method.upper()} {path}": {one["name"] for one in way.get("parameters", ())}
        for path, methods in description["paths"].items()
        for method, way in methods.items()
    }
    known |= {
        name: set(schema.get("properties", ()))
        for name, schema in description["components"]["schemas"].items()
    }
    for section, texts in lines.items():
        if base := texts.get("like"):
            known.setdefault(base, set()).update(known.get(section, ()))
    wrong = [
        f"{section}.{field}"
        for section, texts in lines.items()
        if section != name
        for field in texts
        if field != "like"
        and not {field, re.sub("_([a-z])", lambda one: one[1].upper(), field)}
        & known.get(section, set())
    ]
    assert wrong == []


def test_every_command_is_listed_with_its_help() -> None:
    pages = "".join(text for place, text in reference().generated().items() if "commands" in place)
    missing = [row.name for row in rows.ROWS if f"\n## signet {row.name}\n" not in pages]
    assert missing == []
    assert "### signet memory erase\n" in pages


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_every_tool_is_listed_with_its_arguments(name: str) -> None:
    section = page("mcp").partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    assert TOOLS[name].text in section
    assert all(f"| `{one.name}` |" in section for one in TOOLS[name].arguments)
