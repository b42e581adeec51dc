"""Generate pages of the site: commands, HTTP operations, frameworks, and two files of the root."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
ID = re.compile(r"(?<![\w-])([A-Z]{2,4})-(\d{1,3})(?: to (?:\1-)?(\d{1,3}))?(?![\w-])")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Expand folders in the navigation to their pages."""
    for section in config.nav or []:
        for entries in section.values():
            if isinstance(entries, list):
                for entry in entries:
                    for title, place in entry.items():
                        if place.endswith("/"):
                            entry[title] = pages(place)
    return config


def pages(folder: str) -> list[str]:
    """Return the pages of a folder, its index first."""
    found = sorted(f"{folder}{path.name}" for path in (ROOT / "docs" / folder).glob("*.md"))
    return sorted(found, key=lambda place: not place.endswith("index.md"))


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    made = {
        "reference/commands.md": commands(),
        "reference/http.md": operations(),
        "reference/export.md": from_root("shared/signet/domain/transfer/FORMAT.md"),
        "frameworks.md": frameworks(),
        "contributing.md": from_root("CONTRIBUTING.md"),
        "changelog.md": from_root("CHANGELOG.md"),
    }
    for place, text in made.items():
        files.append(File.generated(config, place, content=text))
    return files


def frameworks() -> str:
    """Return the page of frameworks: each example's description and code."""
    parts = [
        "# Frameworks\n\nEach example is a complete program. `uv run examples/NAME.py PROMPT` installs its packages; it"
        " finds the daemon like every client. `tests/examples` runs them against a scripted model."
    ]
    for path in sorted((ROOT / "examples").glob("*.py")):
        code = path.read_text("utf-8")
        name, _, text = (
            (ast.get_docstring(ast.parse(code)) or "").partition("\n\n")[0].partition(": ")
        )
        parts.append(f"## {name}\n\n{text[:1].upper()}{text[1:]}\n\n```python\n{code}```")
    return "\n\n".join(parts) + "\n"


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Add the citing files below each rule."""
    if not page.file.src_uri.startswith("rules/"):
        return markdown
    return re.sub(
        r"(?ms)^## ([A-Z]+-\d+)\n.*?(?=^## |\Z)",
        lambda found: f"{found[0].rstrip()}\n\n{_cited(found[1])}\n\n",
        markdown,
    )


def _cited(rule: str) -> str:
    return "<small>" + ", ".join(places().get(rule, ())) + "</small>"


@cache
def places() -> dict[str, list[str]]:
    """Return the files that cite each rule; `A-1 to A-3` cites three."""
    found: dict[str, list[str]] = defaultdict(list)
    for folder in ("shared", "services", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            cited: set[str] = set()
            for prefix, first, last in ID.findall(path.read_text("utf-8")):
                numbers = range(int(first), int(last or first) + 1)
                cited.update(f"{prefix}-{number}" for number in numbers)
            for rule in cited:
                found[rule].append(str(path.relative_to(ROOT)))
    return found


def from_root(name: str) -> str:
    """Return a repository file with links relative to `docs`; other links become text."""
    text = (ROOT / name).read_text("utf-8").replace("](docs/", "](./")
    return re.sub(r"\[([^\]]+)\]\((?!https?:|\./)[^)]+\)", r"\1", text)


def commands() -> str:
    """Return the help of every command."""
    from signet.cli import tree

    group = tree.command()
    helps = (
        text
        for name in group.list_commands(typer.Context(group))
        for text in _helps(group.commands[name], f"signet {name}", None)
    )
    return "# Commands\n\n" + "\n".join(helps)


def _helps(command: Any, name: str, parent: typer.Context | None) -> Iterator[str]:
    context = typer.Context(command, info_name=name, parent=parent, terminal_width=100)
    level = "##" if parent is None else "###"
    yield f"{level} {name}\n\n```text\n{command.get_help(context).strip()}\n```\n"
    for child in getattr(command, "commands", {}).values():
        yield from _helps(child, f"{name} {child.name}", context)


def operations() -> str:
    """Return every HTTP operation with its purpose; a daemon's `/openapi.json` has the fields."""
    from fastapi.routing import APIRoute

    from signet_api.routes import ROUTER

    rows = sorted(
        (route.path, method, _first_sentence(route.description))
        for route in ROUTER.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    )
    lines = [f"| `{method}` | `{path}` | {text} |" for path, method, text in rows]
    head = "# HTTP\n\nFields and answers: `/docs` and `/openapi.json` of a running daemon."
    return "\n".join([head, "", "| | | |", "| --- | --- | --- |", *lines, ""])


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.])\s", " ".join(text.split()), maxsplit=1)[0].replace("|", "\\|")
