"""Generate the reference pages from the product, and pages from files outside docs/.

`python docs/reference.py` writes them. They are committed, so that a checkout has every page.
"""

import ast
import json
import re
import sqlite3
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from signet.domain.auth.caller import PEER_PERMISSIONS, PERMISSIONS
from signet.wire import operations as declared
from signet.wire.access import Permission, Role

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
ID = re.compile(r"(?<![\w-])([A-Z]{2,4})-(\d{1,3})(?: to (?:\1-)?(\d{1,3}))?(?![\w-])")
#: The access rule of each route.
RULES = {f"{one.method} {one.path}": one.rule for one in declared.BY_ID.values()}
#: The first line of a generated page.
MARK = "<!-- Written by `python docs/reference.py`; do not edit. -->"
#: Weights of pages in searches: readers want tasks first, and what developers need last.
BOOSTS = {"guides/change": 4, "guides/": 2, "troubleshooting/": 2, "rules/": 0.1, "decisions/": 0.1}
#: Place of a generated table in a page of reference/database.md.
TABLES = "<!-- tables -->"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Expand folders in the navigation, and name the version."""
    from signet import __version__

    for section in config.nav or []:
        _expand(section)
    config.copyright = f"Signet {__version__} · Apache-2.0"
    return config


def _expand(section: Mapping[str, Any]) -> None:
    for entries in section.values():
        for entry in entries if isinstance(entries, list) else ():
            for title, place in entry.items() if isinstance(entry, dict) else ():
                if isinstance(place, list):
                    _expand(entry)
                elif place.endswith("/"):
                    entry[title] = pages(place)


def pages(folder: str) -> list[str]:
    """Return the pages of a folder, its index first."""
    found = sorted(f"{folder}{path.name}" for path in (DOCS / folder).glob("*.md"))
    return sorted(found, key=lambda place: not place.endswith("index.md"))


@cache
def generated() -> dict[str, str]:
    """Return the text of each generated page by its place."""
    return {place: f"{MARK}\n\n{text}" for place, text in _pages().items()}


def _pages() -> dict[str, str]:
    return {
        **commands(),
        **operations(),
        "reference/mcp.md": tools(),
        "reference/settings.md": settings(),
        "reference/environment.md": environment(),
        "reference/metrics.md": metrics(),
        "reference/export.md": from_root("shared/signet/domain/transfer/FORMAT.md"),
        "reference/javascript.md": from_root("clients/javascript/README.md"),
        "guides/frameworks.md": frameworks(),
        "develop/contributing.md": from_root("CONTRIBUTING.md", "../"),
        "develop/loadtests.md": from_root("loadtests/README.md", "../"),
        "changelog.md": from_root("CHANGELOG.md"),
    }


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Add the citing files below each rule, the tables of the database, and each page's weight in searches."""
    boosts = (boost for start, boost in BOOSTS.items() if page.file.src_uri.startswith(start))
    page.meta["search"] = {"boost": next(boosts, 1)}
    if page.file.src_uri == "reference/database.md":
        return markdown.replace(TABLES, tables())
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


def from_root(name: str, up: str = "./") -> str:
    """Return a repository file with links to docs/ made relative by `up`; other links become text."""
    text = re.sub(r"\]\((?:\.\./)?docs/", f"]({up}", (ROOT / name).read_text("utf-8"))
    return re.sub(rf"\[([^\]]+)\]\((?!https?:|{re.escape(up)})[^)]+\)", r"\1", text)


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


def commands() -> dict[str, str]:
    """Return an index of the commands and a page with the help of each group of the overview."""
    from signet.cli import tree
    from signet.cli.rows import ROWS

    group = tree.command()
    found: dict[str, list[str]] = {}
    index = [
        "# Commands\n\n`signet COMMAND --help` prints the same text. Every command that returns data has `--json`."
        " Exit status: 0 success, 1 failure, 2 wrong usage."
    ]
    for row in ROWS:
        command = group.commands[row.name]
        place = f"commands-{row.panel.lower().replace(' ', '-')}.md"
        if place not in found:
            found[place] = [f"# Commands: {row.panel.lower()}\n"]
            index.append(f"\n## {row.panel}\n\n| command | |\n| --- | --- |")
        found[place] += _helps(command, "signet", row.name, None)
        summary = _first_sentence(command.help or "")
        index.append(f"| [`signet {row.name}`]({place}#signet-{row.name}) | {summary} |")
    listed = {f"reference/{place}": "\n".join(lines) for place, lines in found.items()}
    return {"reference/commands.md": "\n".join((*index, "")), **listed}


def _helps(command: Any, start: str, name: str, parent: typer.Context | None) -> Iterator[str]:
    # Click keeps the help option that it makes first, so it must be the one of the program.
    context = typer.Context(
        command,
        info_name=name if parent else f"{start} {name}",
        parent=parent,
        terminal_width=100,
        help_option_names=["-h", "--help"],
    )
    level = "##" if parent is None else "###"
    yield f"{level} {start} {name}\n\n```text\n{command.get_help(context).strip()}\n```\n"
    for child in getattr(command, "commands", {}).values():
        yield from _helps(child, f"{start} {name}", child.name, context)


@cache
def openapi() -> Mapping[str, Any]:
    """Return the description that a daemon serves at /openapi.json."""
    from signet_api.openapi import Described
    from signet_api.routes import ROUTER

    described = Described(title="Signet")
    described.include_router(ROUTER)
    shown: Mapping[str, Any] = _without_examples(described.openapi())
    return shown


def _without_examples(part: Any) -> Any:
    """Return a description without examples, which differ between two paths of one operation."""
    if isinstance(part, dict):
        return {name: _without_examples(one) for name, one in part.items() if name != "example"}
    return [_without_examples(one) for one in part] if isinstance(part, list) else part


#: Who has each right, for the introduction of the HTTP reference.
RIGHTS = {
    Permission.NONE: "every caller that the daemon knows",
    Permission.RECALL: "read memories and sessions",
    Permission.REMEMBER: "save memories and sessions",
    Permission.SPEAK: "decide as the person",
    Permission.MODIFY: "change memories",
    Permission.FORGET: "forget memories",
    Permission.RECOVER: "recover forgotten memories",
    Permission.DOCUMENTS: "add and delete documents",
    Permission.CONNECTORS: "see connected folders",
    Permission.DIAGNOSTICS: "see jobs and diagnostics",
    Permission.ANALYTICS: "see use and errors",
    Permission.METRICS: "see metrics",
    Permission.ADMIN: "administer the whole workspace",
    Permission.PROGRAMS: "start programs, or change whom the daemon trusts",
    Permission.OPERATOR: "maintain the daemon",
    Permission.LOCAL: "see the machine: log, tasks, secrets' names",
}


def operations() -> dict[str, str]:
    """Return the index of the HTTP routes, and a page of routes for each subject."""
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for (path, method), also in _routes().items():
        one = openapi()["paths"][path][method]
        found.setdefault(one["tags"][0], []).append((f"{method.upper()} {path}", also))
    index: list[str] = []
    written: dict[str, str] = {}
    for place, page in _sections()["pages"].items():
        parts = [
            f"# HTTP: {page['title'].lower()}\n\n[HTTP routes](http.md) explains the rights, errors and names.\n"
        ]
        for family, heading in page["families"].items():
            parts.append(f"## {heading}\n")
            index.append(f"### {heading}\n\n| route | | right |\n| --- | --- | --- |")
            for route, also in sorted(found.pop(family), key=lambda one: _rank(one[0])):
                parts += _route(route, also)
                one, link = _operation(route), f"http-{place}.md#{_anchor(route)}"
                index.append(
                    f"| [`{route}`]({link}) | {_first_sentence(_prose(one['description']))} | {_right(route)} |"
                )
            index.append("")
        written[f"reference/http-{place}.md"] = "\n".join(parts)
    if found:
        raise LookupError(f"sections.toml lacks {', '.join(found)}")
    return {"reference/http.md": _http_index(index), **written}


def _sections() -> Mapping[str, Any]:
    from signet_api.openapi import sections

    return sections()


def _routes() -> dict[tuple[str, str], list[str]]:
    """Return path and method of each route, with the other paths of the same operation."""
    found: dict[Any, list[tuple[str, str]]] = {}
    for path, methods in openapi()["paths"].items():
        for method, one in methods.items():
            same = (
                method,
                one["description"],
                str(one.get("requestBody")),
                str(one.get("parameters")),
            )
            key = (*same, _right(f"{method.upper()} {path}"), _answer_of(one))
            found.setdefault(key, []).append((path, method))
    main = (
        sorted(one, key=lambda way: (way[0] not in MAIN, one.index(way))) for one in found.values()
    )
    return {first: [path for path, _ in others] for first, *others in main}


#: Bounds from here on are those of numbers as such.
LARGE = 2**53 - 1
#: Of several paths of one operation, the one to use.
MAIN = {"/api/memory/remember", "/health/live", "/health/ready"}


def _operation(route: str) -> Mapping[str, Any]:
    method, path = route.split(" ")
    found: Mapping[str, Any] = openapi()["paths"][path][method.lower()]
    return found


def _right(route: str) -> str:
    """Return the right that a route requires."""
    rule = RULES[route]
    if rule.is_open:
        return "–"
    return "any known caller" if rule.permission is Permission.NONE else f"`{rule.permission}`"


def _anchor(route: str) -> str:
    return re.sub(r"[^\w\- ]", "", route).strip().lower().replace(" ", "-")


def _http_index(routes: list[str]) -> str:
    roles = [Role.READONLY, Role.AGENT, Role.OPERATOR, Role.ADMIN, Role.MONITOR]
    rows = []
    for right, text in RIGHTS.items():
        has = [role for role in roles if right in PERMISSIONS[role]]
        peer = "yes" if right in PEER_PERMISSIONS else "no"
        rows.append(f"| `{right}` | {text} | {', '.join(has)} | {peer} |")
    text = (DOCS / "reference" / "http.txt").read_text("utf-8")
    text = text.replace("CONVENTIONS", _sections()["conventions"].strip())
    return text.replace("RIGHTS", "\n".join(rows)) + "\n".join(routes)


def _route(route: str, also: list[str]) -> Iterator[str]:
    one = _operation(route)
    yield f"### `{route}` {{ #{_anchor(route)} }}\n\n{_prose(one['description'])}\n"
    notes = [f"Right: {_right(route)}."] if _right(route) != "–" else ["No right needed."]
    if RULES[route].limit:
        notes.append(f"Limit: [`auth.rateLimits.{RULES[route].limit}`](settings.md).")
    if also:
        method = route.partition(" ")[0]
        notes.append(f"The same: {', '.join(f'`{method} {path}`' for path in also)}.")
    yield f"{' '.join(notes)}\n"
    for example in examples():
        if example["route"] == route:
            yield _example(example)
    fields = [*_parameters(one.get("parameters", ())), *_body(one.get("requestBody"))]
    if fields:
        yield "| request | type | |\n| --- | --- | --- |"
        yield from fields
        yield ""
    if answer := _answer(route):
        yield f"{answer}\n"


def _rank(route: str) -> int:
    """Return the place of a route in its family: routes with examples first."""
    shown = [one["route"] for one in examples()]
    return shown.index(route) if route in shown else len(shown)


@cache
def examples() -> list[Any]:
    """Return recorded requests with their answers (tests/docs/http.py)."""
    found: list[Any] = json.loads(
        (DOCS.parent / "services" / "api" / "signet_api" / "examples.json").read_text("utf-8")
    )
    return found


def _example(one: Mapping[str, Any]) -> str:
    method = one["route"].partition(" ")[0]
    body = (
        "" if one["body"] is None else f"\n{json.dumps(one['body'], indent=2, ensure_ascii=False)}"
    )
    answer = json.dumps(one["answer"], indent=2, ensure_ascii=False)
    return f"```text\n{method} {one['path']}{body}\n```\n\nAnswer ({one['status']}):\n\n```json\n{answer}\n```\n"


def _answer_of(one: Mapping[str, Any]) -> str:
    good = next(reply for status, reply in one["responses"].items() if status.startswith("2"))
    return str(good.get("content", ""))


def answers_of(route: str) -> dict[str, None]:
    """Return the models of a route's answers."""
    return models(_answer_of(_operation(route)))


def _answer(route: str) -> str:
    """Return the fields of an operation's answers: a table where they are explained."""
    texts = []
    for name in answers_of(route):
        model = _schema(name)
        about = f" {_prose(model['description'])}" if "description" in model else ""
        if name in explained_answers():
            rows = "\n".join(_explained_fields(name))
            texts.append(
                f"Answer `{name}`:{about}\n\n| answer | type | |\n| --- | --- | --- |\n{rows}"
            )
        elif listed := [
            f"`{field}` {_type(kind)}{'' if field in model.get('required', ()) else ' (optional)'}"
            for field, kind in model.get("properties", {}).items()
        ]:
            texts.append(f"Answer `{name}`:{about} <small>{', '.join(listed)}</small>")
    return "\n\n".join(texts)


def _explained_fields(name: str) -> Iterator[str]:
    """Yield a row for each field of an answer, and for those of its explained objects."""
    fields = _schema(name).get("properties", {}).items()
    shown: set[str] = set()
    for field, kind in fields:
        yield _field(f"`{field}`", kind, kind, is_needed=False)
        for inner in explained_answers().keys() & models(str(kind)).keys() - shown:
            own = explained_answers()[inner]
            for deep, one in _schema(inner).get("properties", {}).items():
                if own.get("like") not in shown or deep in own:
                    yield _field(f"`{field}.{deep}`", one, one, is_needed=False)
            shown.add(inner)


@cache
def explained_answers() -> dict[str, dict[str, str]]:
    """Return the sections of services/api/signet_api/answers.toml by model."""
    return tomllib.loads((ROOT / "services/api/signet_api/answers.toml").read_text("utf-8"))


def models(text: str) -> dict[str, None]:
    """Return the names of the models in a piece of the description."""
    return dict.fromkeys(re.findall(r"#/components/schemas/(\w+)", text))


def _schema(name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = openapi()["components"]["schemas"][name]
    return found


def _parameters(listed: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for one in listed:
        if one["in"] != "header":
            place = "" if one["in"] == "query" else f" ({one['in']})"
            yield _field(f"`{one['name']}`{place}", one["schema"], one, one.get("required", False))


def _body(body: Mapping[str, Any] | None) -> Iterator[str]:
    schema = next(iter(body["content"].values()))["schema"] if body else {}
    yield from _properties(schema)
    for name in models(str(schema)):
        yield from _properties(_schema(name))
        for field, kind in _schema(name).get("properties", {}).items():
            for inner in models(str(kind)):
                yield from _properties(_schema(inner), f"{field}.")


def _properties(model: Mapping[str, Any], above: str = "") -> Iterator[str]:
    needed = model.get("required", ())
    rows = [
        _field(f"`{above}{field}`", kind, kind, field in needed)
        for field, kind in model.get("properties", {}).items()
    ]
    yield from sorted(rows, key=lambda row: "**required**" not in row)


def _field(name: str, kind: Mapping[str, Any], about: Mapping[str, Any], is_needed: bool) -> str:
    text = str(about.get("description", "")).replace("|", "\\|")
    needed = text.endswith("Required") or is_needed
    text = text.removesuffix("Required").rstrip(". ")
    default = _default(kind)
    notes = [one for one in (text, default, "**required**" if needed else "") if one]
    return f"| {name} | {_type(kind)} | {'; '.join(notes)} |"


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(f"`{one}`" for one in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if reference := schema.get("$ref"):
        model = _schema(reference.rpartition("/")[2])
        return _type(model) if "enum" in model else "object"
    if variants := schema.get("anyOf"):
        kinds = (_type(one) for one in variants if one.get("type") != "null")
        return " or ".join(dict.fromkeys(kinds)) or "null"
    kind = str(schema.get("type", ""))
    bounds = [schema[key] for key in ("minimum", "maximum") if abs(schema.get(key, LARGE)) < LARGE]
    if kind == "array":
        kind = "list"
        if schema.get("items"):
            kind += " of " + re.sub(
                r"\b(string|object|integer|number)\b", r"\1s", _type(schema["items"])
            )
    return kind + (f" {'–'.join(map(_number, bounds))}" if bounds else "")


def _default(schema: Mapping[str, Any]) -> str:
    value = schema.get("default")
    return "" if value in (None, "", [], {}) else f"default `{_value(value)}`"


def _prose(text: str) -> str:
    return " ".join(text.split()).replace("<", "&lt;")


def tools() -> str:
    """Return every MCP tool with its arguments and its route."""
    from signet.mcp.tools import TOOLS

    parts = [
        "# MCP tools\n\n`signet-mcp` serves these tools over stdio, a daemon at `POST /mcp` (streamable HTTP). Each"
        " call is the request named below, with the caller's rights. Arguments marked *unlisted* are accepted, but not"
        " described to the model, to save space.\n\n| tool | changes data | route |\n| --- | --- | --- |"
    ]
    for tool in TOOLS.values():
        changes = "no" if tool.reads_only else "adds" if tool.adds_only else "yes"
        route = f"`{tool.method} {tool.path}`"
        parts.append(f"| [`{tool.name}`](#{tool.name}) | {changes} | {route} |")
    for tool in TOOLS.values():
        parts.append(f"\n## {tool.name}\n\n{tool.text}\n")
        if tool.arguments:
            parts.append("| argument | type | |\n| --- | --- | --- |")
        for one in tool.arguments:
            notes = [one.text, *(["required"] if one.required else [])]
            notes += [] if one.default is None else [f"default {one.default}"]
            notes += [] if one.listed else ["*unlisted*"]
            kind = " or ".join(f"`{word}`" for word in one.among) or one.kind.value
            parts.append(f"| `{one.name}` | {kind} | {'; '.join(notes)} |")
    return "\n".join(parts) + "\n"


def told(name: str) -> dict[str, dict[str, str]]:
    """Return the hand-written lines of a generated page."""
    return tomllib.loads((DOCS / "reference" / name).read_text("utf-8"))


def settings() -> str:
    """Return every setting with its default, its bounds and what it changes."""
    lines = told("settings.toml")
    rows: dict[str, list[str]] = {name: [] for name in lines}
    for one in known_settings():
        section, text = explained(one["key"], lines)
        bounds = " or ".join(f"`{word}`" for word in one["choices"])
        is_time = one["key"].endswith(("Ms", "_ms", "timeout"))
        shown = _length if is_time else _number
        if one["low"] is not None and one["high"] is not None:
            bounds = f"{shown(one['low'])} – {shown(one['high'])}"
        notes = " Needs a restart." if one["restart"] else ""
        default = one["default"]
        value = "" if default in (None, "", (), [], {}) else f"`{_value(default)}`"
        if is_time and isinstance(default, int | float):
            value = f"`{int(default)}` ({_length(default)})" if default else value
        kind = bounds or one["kind"]
        rows[section].append(f"| `{one['key']}` | {value} | {kind} | {text}{notes} |")
    parts = [
        "# Settings\n\nSettings are in `agent.yaml` in the workspace, and a change applies within two seconds."
        " [Change a setting](../guides/change.md) lists the most frequent changes.\n\n"
        "```sh\nsignet config                         # print all settings\n"
        "signet config set backup.keep 9       # write `keep: 9` below `backup:`\n"
        "signet config set backup.keep null    # back to the default\n```\n\n"
        "- **Names.** A dot is a level in the file. A unique end of a name is enough, such as `extraction.provider`.\n"
        "- **Durations** ending in `Ms` are milliseconds; this page adds days, hours, minutes or seconds. `retention`"
        " also accepts `30d` and `12h`.\n"
        "- **Secrets.** A value `$secret:NAME` is read from the vault.\n"
        "- **Invalid values** are reported by `signet doctor` and replaced by the default.\n\n"
        "The port and the workspace folder are not settings:"
        " [where each is chosen](../running.md#where-things-are).\n"
    ]
    for name, listed in rows.items():
        parts += [f"## {name}\n\n{lines[name]['']}\n", "| setting | default | values | |"]
        parts += ["| --- | --- | --- | --- |", *listed, ""]
    return "\n".join(parts)


def known_settings() -> list[Any]:
    """Return the settings of a workspace without agent.yaml."""
    from signet import config
    from signet.config.described import every
    from signet.paths import Workspace

    nowhere = Workspace(ROOT / "no-workspace")
    return every(nowhere, config.load(nowhere, {}))


def explained(key: str, lines: Mapping[str, Mapping[str, str]]) -> tuple[str, str]:
    """Return the section of a setting and its line; the longest section that holds the key."""
    section = max(
        (name for name in lines if key == name or key.startswith(f"{name}.")), key=len, default=""
    )
    name = key.removeprefix(f"{section}.")
    return section, lines[section][name]


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else _number(value)


#: Names of durations, with their milliseconds.
LENGTHS = {"days": 86_400_000, "h": 3_600_000, "min": 60_000, "s": 1_000, "ms": 1}


def _length(value: float) -> str:
    """Return milliseconds in the largest unit that divides them."""
    unit = next((one for one, length in LENGTHS.items() if value and value % length == 0), "ms")
    return f"{value / LENGTHS[unit]:,g} {unit}".replace("1 days", "1 day")


def _number(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{int(value):,}" if value == int(value) else str(value)


def environment() -> str:
    """Return the environment variables."""
    parts = ["# Environment variables\n\nAn empty variable counts as missing."]
    for section, lines in told("environment.toml").items():
        parts.append(f"\n## {section}\n\n{lines.pop('')}\n\n| variable | |\n| --- | --- |")
        parts += [f"| `{name}` | {text} |" for name, text in lines.items()]
    return "\n".join(parts) + "\n"


def metrics() -> str:
    """Return every metric with its labels."""
    from prometheus_client.metrics import MetricWrapperBase

    from signet.observe import metrics as known

    rows = [
        f"| `{one._name}{'_total' if one._type == 'counter' else ''}` | {one._type} "
        f"| {', '.join(one._labelnames)} | {one._documentation} |"
        for one in vars(known).values()
        if isinstance(one, MetricWrapperBase)
    ]
    rows += [
        f"| `{name}` | gauge | {', '.join(labels)} | {text} |"
        for name, (labels, text) in known.GAUGES.items()
    ]
    return "\n".join(
        [
            "# Metrics\n\n`GET /metrics` returns them in Prometheus' text format. Gauges are read at each scrape. No"
            " label contains an ID, a path or a text. [Grafana](../guides/grafana.md) uses them.\n",
            "| metric | kind | labels | |\n| --- | --- | --- | --- |",
            *sorted(rows),
            "",
        ]
    )


@cache
def columns() -> dict[str, list[tuple[str, str]]]:
    """Return the tables of a new database: name and declaration of each column."""
    from signet.db import migrate

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memories.db"
        migrate.upgrade(path, now=datetime(2026, 1, 1, tzinfo=UTC))
        opened = sqlite3.connect(path)
        try:
            names = [
                name
                for (name,) in opened.execute(
                    "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
                )
                if not re.search(r"_fts(_|$)|^sqlite_|^vec_|^alembic_", name)
            ]
            return {name: _columns(opened, name) for name in names}
        finally:
            opened.close()


def _columns(opened: sqlite3.Connection, table: str) -> list[tuple[str, str]]:
    found = []
    for _, name, kind, is_needed, default, key in opened.execute(f"PRAGMA table_info({table})"):
        words = [kind, *(["primary key"] if key else []), *(["not null"] if is_needed else [])]
        words += [] if default is None else [f"default {default}"]
        found.append((name, " ".join(words)))
    return found


def tables() -> str:
    """Return every table of the database with its columns."""
    lines = told("tables.toml")
    parts = []
    for section, texts in lines.items():
        parts.append(f"### {section}\n\n{texts.pop('')}\n")
        for table, text in texts.items():
            listed = ", ".join(f"`{name}` {kind}" for name, kind in columns()[table])
            parts.append(f"**`{table}`**: {text}\n\n<small>{listed}</small>\n")
    return "\n".join(parts)


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.])\s", " ".join(text.split()), maxsplit=1)[0].replace("|", "\\|")


if __name__ == "__main__":
    for place, text in generated().items():
        (DOCS / place).write_text(text, "utf-8")
